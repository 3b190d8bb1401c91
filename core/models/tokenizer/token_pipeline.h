// A tokenizer made of its parts, in Hugging Face's order: added tokens, normaliser, pre-tokenizer, model, and the
// tokens around a line.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/tensor/message.h"
#include "core/models/tokenizer/normalizer.h"
#include "core/models/tokenizer/pre_tokenizer.h"
#include "core/models/tokenizer/token_model.h"
#include "core/models/tokenizer/tokenizer.h"

namespace headlight {

/// A token that is found in a text before anything else is done to it, such as [MASK] or <|endoftext|>.
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

struct TokenizerParts {
  std::vector<AddedToken> added;
  Normalizer normalizer;            ///< may be none
  std::vector<PreTokenizer> words;  ///< applied in order; none: the text is one word
  std::unique_ptr<const TokenModel> model;
  std::vector<Token> before, after;  ///< around every line: [CLS], [SEP]
  Token padding;
  bool byte_level = false;  ///< tokens are spelled byte by byte
  Message made_from;
};
std::unique_ptr<const TokenSplitter> assembled(TokenizerParts parts);

/// Whether the file is tiktoken's (each line a token and its rank); and the tokenizer from it, with LLaMA 3's splitting
/// and special tokens. Throws FileError.
bool holds_ranked_bytes(const std::filesystem::path& path);
std::unique_ptr<const TokenSplitter> open_ranked_bytes(const std::filesystem::path& path);
/// nanochat's tokenizer.pkl. Throws FileError, also where it asks for anything but tiktoken's class, which is not run.
std::unique_ptr<const TokenSplitter> open_pickled_ranks(const std::filesystem::path& path);

}  // namespace headlight
