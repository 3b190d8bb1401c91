#include "core/models/tokenizer/tokenizer.h"

#include <algorithm>
#include <array>

#include "core/base/arrays/array_file.h"
#include "core/base/tensor/error.h"
#include "core/base/text/utf8_path.h"
#include "core/models/tokenizer/spelling.h"
#include "core/models/tokenizer/token_pipeline.h"

namespace headlight {
namespace {

/// SentencePiece's own file, under the names that published models give it.
constexpr std::array sentence_piece_names{"tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "spm.model",
                                          "sentencepiece.model"};

}  // namespace

std::vector<std::string> texts_of(const std::vector<Token>& tokens) {
  std::vector<std::string> texts;
  for (const Token& token : tokens) texts.push_back(token.text);
  return with_letters_joined(std::move(texts));
}

bool TokenBatch::padded() const {
  return std::ranges::any_of(lengths, [&](Index length) { return length < count(); });
}

std::vector<std::string> TokenBatch::words(Index entry) const {
  std::vector<std::string> words = texts_of(entries[static_cast<std::size_t>(entry)]);
  words.resize(static_cast<std::size_t>(lengths[static_cast<std::size_t>(entry)]));
  return words;
}

std::vector<std::vector<std::string>> TokenBatch::names() const {
  std::vector<std::vector<std::string>> names;
  for (std::size_t line = 0; line < entries.size(); ++line) {
    names.push_back(texts_of(entries[line]));
    for (std::size_t i = static_cast<std::size_t>(lengths[line]); i < names.back().size(); ++i) {
      std::string& name = names.back()[i];
      const bool says_so = name.find("pad") != std::string::npos || name.find("PAD") != std::string::npos;
      if (!says_so) name = "<pad>";  // many models pad with a token that also ends a text
    }
  }
  return names;
}

Tensor TokenBatch::lengths_from(Index first) const {
  Buffer left;
  for (const Index length : lengths) left.push_back(static_cast<float>(std::max<Index>(0, length - first)));
  return Tensor({size()}, std::move(left));
}

TokenBatch batch_of(std::vector<std::vector<Token>> lines, const Token& padding) {
  TokenBatch batch;
  std::size_t longest = 0;
  for (const auto& line : lines) longest = std::max(longest, line.size());
  for (auto& line : lines) {
    batch.lengths.push_back(static_cast<Index>(line.size()));
    line.resize(longest, padding);
  }
  batch.entries = std::move(lines);
  return batch;
}

std::vector<const char*> tokenizer_files() {
  std::vector<const char*> names{"tokenizer.json",
                                 "tokenizer_config.json",
                                 "special_tokens_map.json",
                                 "added_tokens.json",
                                 "vocab.json",
                                 "merges.txt",
                                 "vocab.txt",
                                 "source.spm",
                                 "tokenizer.pkl",
                                 "meta.pkl"};
  names.insert(names.end(), sentence_piece_names.begin(), sentence_piece_names.end());
  return names;
}

std::unique_ptr<const TokenSplitter> find_tokenizer(const std::filesystem::path& tensors) {
  if (tensors.extension() == ".gguf") return gguf_tokenizer(*open_arrays(tensors));
  const std::filesystem::path folder = tensors.parent_path();
  std::error_code error;
  const auto has_file = [&](const char* name) { return std::filesystem::is_regular_file(folder / name, error); };
  if (!has_file("tokenizer.json") && has_file("tokenizer.model") && holds_ranked_bytes(folder / "tokenizer.model"))
    return open_ranked_bytes(folder / "tokenizer.model");
  if (has_file("tokenizer.json")) return open_tokenizer_json(folder / "tokenizer.json");
  if (has_file("vocab.json") && has_file("merges.txt"))
    return open_byte_pairs(folder / "vocab.json", folder / "merges.txt");
  if (has_file("source.spm") && has_file("vocab.json"))
    return open_sentence_pieces(folder / "source.spm", folder / "vocab.json");
  for (const char* name : sentence_piece_names) {
    if (has_file(name)) return open_sentence_pieces(folder / name);
  }
  if (has_file("vocab.txt")) return open_word_pieces(folder / "vocab.txt");
  if (has_file("tokenizer.pkl")) return open_pickled_ranks(folder / "tokenizer.pkl");
  // nanochat's own folders: base_checkpoints/d20/ and tokenizer/.
  const std::filesystem::path checkpoints =
      std::filesystem::absolute(tensors, error).lexically_normal().parent_path().parent_path();
  const std::filesystem::path shared = checkpoints.parent_path() / "tokenizer" / "tokenizer.pkl";
  if (utf8_from(checkpoints.filename()).ends_with("_checkpoints") && std::filesystem::is_regular_file(shared, error))
    return open_pickled_ranks(shared);
  if (has_file("meta.pkl")) return open_characters(folder / "meta.pkl");
  return nullptr;
}

std::unique_ptr<const TokenSplitter> open_tokenizer(const std::filesystem::path& tensors) {
  if (auto found = find_tokenizer(tensors)) return found;
  throw FileError(utf8_from(tensors), "has no tokenizer beside it, which text needs",
                  "expected tokenizer.json, vocab.json and merges.txt (GPT-2), vocab.txt (BERT), tokenizer.model "
                  "(SentencePiece), tokenizer.pkl (nanochat) or meta.pkl (nanoGPT), in the same folder");
}

}  // namespace headlight
