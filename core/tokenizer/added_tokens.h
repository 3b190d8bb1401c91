// Tokens that are found in a text before anything else is done to it, such as [MASK] or <|endoftext|>.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tokenizer/tokenizer.h"

namespace headlight {

struct AddedToken {
  Index id = 0;
  std::string text;
  bool normalized = false;    ///< found in the normalised text, and there in its own normalised form
  bool takes_before = false;  ///< the blanks before it ("lstrip")
  bool takes_after = false;   ///< and after it ("rstrip")
};

/// A stretch of the text, or a token instead of one.
struct Stretch {
  std::string text;
  std::size_t start = 0;  ///< in the text that was cut
  const AddedToken* token = nullptr;
};

/// Leftmost first, the longest where several begin. `tokens` must outlive what comes back.
std::vector<Stretch> cut_at(std::string_view text, const std::vector<AddedToken>& tokens);

}  // namespace headlight
