// Tokens that are found in a text before anything else is done to it, such as [MASK] or <|endoftext|>.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/tokenizer/tokenizer.h"

namespace headlight {

struct AddedToken {
  Index id = 0;
  std::string text;
  bool normalized = false;    ///< found in the normalised text, in its own normalised form
  bool takes_before = false;  ///< the blanks before it ("lstrip")
  bool takes_after = false;   ///< and after it ("rstrip")
  bool whole_word = false;    ///< only if no letter is next to it ("single_word")
};

/// A part of the text, or a token found in it.
struct Stretch {
  std::string text;
  std::size_t start = 0;  ///< in the text that was cut
  const AddedToken* token = nullptr;
};

class AddedTokens {
 public:
  explicit AddedTokens(std::vector<AddedToken> tokens = {});
  const std::vector<AddedToken>& all() const { return tokens_; }
  /// Leftmost first, the longest if several begin there. The result points into this object.
  std::vector<Stretch> cut(std::string_view text) const;

 private:
  const AddedToken* at(std::string_view rest) const;

  std::vector<AddedToken> tokens_;
  std::array<std::vector<std::size_t>, 256> by_first_byte_;  ///< the longest first
};

}  // namespace headlight
