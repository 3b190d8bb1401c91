// The tokenizers of GPT-2, BERT, LLaMA, T5 and others, from the files beside a model's tensors.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/tensor/message.h"
#include "core/base/tensor/tensor.h"

namespace headlight {

class ArrayFile;

struct Token {
  Index id = 0;      ///< the row of the embedding
  std::string text;  ///< as it is shown: " cat" as "␣cat", "##s" as it is
  bool operator==(const Token&) const = default;
};
/// The tokens' texts as they are drawn; the pieces of one letter say so: "你 (1/3)".
std::vector<std::string> texts_of(const std::vector<Token>& tokens);

class TokenSplitter {
 public:
  virtual ~TokenSplitter() = default;
  virtual std::vector<Token> split(std::string_view line) const = 0;
  /// The padding of the shorter lines of a batch; no query uses it.
  virtual Token padding() const = 0;
  /// A token as it is shown, by its id; nothing if there is none.
  virtual std::optional<std::string> text_of(Index id) const = 0;
  /// The largest id.
  virtual Index last_id() const = 0;
  /// "vocab.json and merges.txt: byte-level BPE"
  virtual Message made_from() const = 0;
};

/// Tokens of one or more lines, all of one length.
struct TokenBatch {
  std::vector<std::vector<Token>> entries;
  std::vector<Index> lengths;  ///< before padding
  Index size() const { return static_cast<Index>(entries.size()); }
  Index count() const { return entries.empty() ? 0 : static_cast<Index>(entries.front().size()); }
  bool padded() const;
  /// The texts of a line's tokens, without padding.
  std::vector<std::string> words(Index entry) const;
  /// The texts of all lines' tokens; padding is named as such.
  std::vector<std::vector<std::string>> names() const;
  /// [B]: the lengths, counted from position `first` on.
  Tensor lengths_from(Index first) const;
  bool operator==(const TokenBatch&) const = default;
};
/// The lines, each filled up with `padding` to the longest.
TokenBatch batch_of(std::vector<std::vector<Token>> lines, const Token& padding);

/// The names of the files that find_tokenizer() looks for beside a model's tensors, and of the settings that belong to
/// them.
std::vector<const char*> tokenizer_files();

/// The tokenizer of the model that `tensors` belongs to: the one in a .gguf, else tokenizer.json beside it, else
/// vocab.json with merges.txt (GPT-2's byte-level BPE), vocab.txt (BERT's WordPiece), SentencePiece's own file
/// (tokenizer.model, spiece.model, source.spm …), tokenizer.pkl (nanochat's) or meta.pkl (nanoGPT's characters). Null
/// if there is none; throws FileError if one is damaged or of another kind.
std::unique_ptr<const TokenSplitter> find_tokenizer(const std::filesystem::path& tensors);
/// The same; throws FileError if there is none.
std::unique_ptr<const TokenSplitter> open_tokenizer(const std::filesystem::path& tensors);

/// Hugging Face's: BPE over bytes or with byte fallback, WordPiece, Unigram, whole words; with its normaliser,
/// pre-tokenizer, added tokens and the tokens around a line. The ids are those of Hugging Face's tokenizers; parts that
/// are not supported are refused by name.
std::unique_ptr<const TokenSplitter> open_tokenizer_json(const std::filesystem::path& path);
/// The same from its text; `name` is the subject of errors.
std::unique_ptr<const TokenSplitter> tokenizer_of_json(const std::string& text, const std::string& name);
/// Sennrich et al. 2016 over bytes, as in Radford et al. 2019: text is cut into words by GPT-2's pattern, and a word's
/// bytes are joined in the order of merges.txt.
std::unique_ptr<const TokenSplitter> open_byte_pairs(const std::filesystem::path& vocabulary,
                                                     const std::filesystem::path& merges);
/// Schuster & Nakajima 2012, as in Devlin et al. 2018: words and punctuation marks, each cut greedily into the longest
/// pieces of the vocabulary, between [CLS] and [SEP]. Lower case without accents where the vocabulary has no capitals.
std::unique_ptr<const TokenSplitter> open_word_pieces(const std::filesystem::path& vocabulary);
/// SentencePiece's own file, Unigram or BPE, with the tokens that its class in transformers puts around a line. With a
/// vocabulary (Marian's vocab.json) the ids come from there.
std::unique_ptr<const TokenSplitter> open_sentence_pieces(const std::filesystem::path& path,
                                                          const std::filesystem::path& vocabulary = {});
/// The tokenizer of a GGUF file, null if it has none.
std::unique_ptr<const TokenSplitter> gguf_tokenizer(const ArrayFile& file);
/// nanoGPT's meta.pkl: each character is a token. Its split throws SettingError for a character unknown to the model.
std::unique_ptr<const TokenSplitter> open_characters(const std::filesystem::path& meta);
/// For a model without a tokenizer: "2 0 1 1", numbers from 0 to vocabulary − 1 between spaces or commas. Its split
/// throws SettingError for anything else.
std::unique_ptr<const TokenSplitter> token_ids(Index vocabulary);

}  // namespace headlight
