// A tokenizer put together from its parts, in the order of Hugging Face's: added tokens, normaliser, words, tokens, and
// what stands around them.
#pragma once

#include "core/tensor/message.h"
#include "core/tokenizer/added_tokens.h"
#include "core/tokenizer/normalizer.h"
#include "core/tokenizer/pre_tokenizer.h"
#include "core/tokenizer/token_model.h"

namespace headlight {

struct TokenizerParts {
  std::vector<AddedToken> added;
  Normalizer normalizer;            ///< may be none
  std::vector<PreTokenizer> words;  ///< one after another; none: the text is one word
  std::unique_ptr<const TokenModel> model;
  std::vector<Token> before, after;  ///< of every line: [CLS], [SEP]
  Token padding;
  bool byte_level = false;  ///< tokens are spelled byte by byte
  Message made_from;
};
std::unique_ptr<const TokenSplitter> assembled(TokenizerParts parts);

/// Whether the file is tiktoken's, a line a token with its rank, and the tokenizer that it makes, with LLaMA 3's words
/// and marks. Throws FileError.
bool holds_ranked_bytes(const std::filesystem::path& path);
std::unique_ptr<const TokenSplitter> open_ranked_bytes(const std::filesystem::path& path);

}  // namespace headlight
