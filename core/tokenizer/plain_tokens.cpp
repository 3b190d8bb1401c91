// Tokenizers without splitting rules: single characters, from nanoGPT's meta.pkl, and ids typed as numbers.
#include <algorithm>
#include <charconv>
#include <map>
#include <span>

#include "core/files/error_place.h"
#include "core/files/load_budget.h"
#include "core/files/pickle.h"
#include "core/tensor/error.h"
#include "core/text/utf8.h"
#include "core/text/utf8_path.h"
#include "core/tokenizer/tokenizer.h"

namespace headlight {
namespace {

class Characters : public TokenSplitter {
 public:
  explicit Characters(std::map<std::string, Index, std::less<>> ids) : ids_(std::move(ids)) {
    for (const auto& [text, id] : ids_) texts_[id] = text;
  }
  std::vector<Token> split(std::string_view line) const override {
    std::vector<Token> tokens;
    for (std::size_t at = 0; at < line.size();) {
      const std::size_t first = at;
      next_character(line, at);
      const std::string_view character = line.substr(first, at - first);
      const auto found = ids_.find(character);
      if (found == ids_.end())
        throw SettingError("--text",
                           Message("{0} is not among the model's {1} characters", in_quotes(character), ids_.size()),
                           "expected others");
      tokens.push_back({found->second, shown(found->first)});
    }
    return tokens;
  }
  Token padding() const override { return {texts_.begin()->first, shown(texts_.begin()->second)}; }
  std::optional<std::string> text_of(Index id) const override {
    const auto found = texts_.find(id);
    return found == texts_.end() ? std::nullopt : std::optional(shown(found->second));
  }
  Index last_id() const override { return texts_.rbegin()->first; }
  Message made_from() const override { return "meta.pkl: a token a character"; }

 private:
  static std::string shown(const std::string& text) { return text == " " ? "␣" : text == "\n" ? "⏎" : text; }

  std::map<std::string, Index, std::less<>> ids_;
  std::map<Index, std::string> texts_;
};

class Ids : public TokenSplitter {
 public:
  explicit Ids(Index vocabulary) : vocabulary_(vocabulary) {}
  std::vector<Token> split(std::string_view line) const override {
    std::vector<Token> tokens;
    for (std::size_t at = 0; (at = line.find_first_not_of(" \t,", at)) < line.size();) {
      const std::size_t end = std::min(line.find_first_of(" \t,", at), line.size());
      const std::string word(line.substr(at, end - at));
      Index id = -1;
      const auto [stopped, error] = std::from_chars(word.data(), word.data() + word.size(), id);
      if (error != std::errc() || stopped != word.data() + word.size() || id < 0 || id >= vocabulary_) {
        throw SettingError(
            "--text",
            Message("{0} is no token id, and there is no tokenizer beside the weights to make words into ids",
                    in_quotes(word)),
            Message("expected numbers from 0 to {0}, or tokenizer.json, vocab.json and merges.txt (GPT-2), vocab.txt "
                    "(BERT), tokenizer.pkl (nanochat) or meta.pkl (nanoGPT) in the model's folder",
                    vocabulary_ - 1));
      }
      tokens.push_back({id, word});
      at = end;
    }
    return tokens;
  }
  Token padding() const override { return {0, "0"}; }
  std::optional<std::string> text_of(Index id) const override {
    return id < 0 || id >= vocabulary_ ? std::nullopt : std::optional(std::to_string(id));
  }
  Index last_id() const override { return vocabulary_ - 1; }
  Message made_from() const override { return "ids, as typed: no tokenizer is beside the weights"; }

 private:
  Index vocabulary_;
};

}  // namespace

std::unique_ptr<const TokenSplitter> open_characters(const std::filesystem::path& path) {
  const ErrorPlace place{utf8_from(path)};
  const std::string bytes = LoadBudget(place).text_of(path);
  const pickle::Tree tree = pickle::read(
      std::as_bytes(std::span(bytes)), [](std::string_view) { return false; }, place);
  const char* expected = "a dict with \"stoi\", from characters to ids, as nanoGPT writes it";
  const auto* table = tree.find<pickle::Dict>(tree.root, "stoi");
  if (table == nullptr || table->items.empty()) place.fail("holds no \"stoi\"", expected);
  std::map<std::string, Index, std::less<>> ids;
  for (const auto& [character, number] : table->items) {
    const auto* text = std::get_if<std::string>(&tree.nodes[character]);
    const auto* id = std::get_if<std::int64_t>(&tree.nodes[number]);
    if (text == nullptr || id == nullptr || *id < 0)
      place.fail("\"stoi\" holds something else than characters and ids", expected);
    ids[*text] = *id;
  }
  return std::make_unique<Characters>(std::move(ids));
}

std::unique_ptr<const TokenSplitter> token_ids(Index vocabulary) { return std::make_unique<Ids>(vocabulary); }

}  // namespace headlight
