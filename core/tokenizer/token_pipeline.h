// A tokenizer made of its parts, in Hugging Face's order: added tokens, normaliser, pre-tokenizer, model, and the
// tokens around a line.
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
