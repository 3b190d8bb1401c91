// Tokenizers from a vocabulary alone: GPT-2's vocab.json and merges.txt, BERT's vocab.txt, nanoGPT's meta.pkl, and ids
// typed as numbers.

#include <algorithm>
#include <map>
#include <span>

#include "core/base/arrays/pickle.h"
#include "core/base/files/error_place.h"
#include "core/base/files/load_budget.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/unicode.h"
#include "core/base/text/utf8_path.h"
#include "core/models/tokenizer/json_steps.h"
#include "core/models/tokenizer/saved_settings.h"
#include "core/models/tokenizer/token_pipeline.h"
#include "core/models/tokenizer/tokenizer.h"

namespace headlight {
namespace {

std::vector<std::pair<std::string, std::string>> read_merges(const std::filesystem::path& path) {
  std::vector<std::pair<std::string, std::string>> merges;
  const std::vector<std::string> lines = lines_of(path, ErrorPlace{utf8_from(path)});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (line.empty() || line.starts_with("#version")) continue;
    const std::size_t blank = line.find(' ');
    if (blank == std::string::npos)
      ErrorPlace{utf8_from(path)}.fail(Message("line {0} has no blank", i + 1), "two pieces that are joined");
    merges.emplace_back(line.substr(0, blank), line.substr(blank + 1));
  }
  return merges;
}

/// The classes that put <s> and </s> around each line, as RoBERTa's does.
constexpr std::string_view like_roberta[] = {"RobertaTokenizer", "BartTokenizer", "MvpTokenizer", "LongformerTokenizer",
                                             "LEDTokenizer"};

}  // namespace

std::unique_ptr<const TokenSplitter> open_byte_pairs(const std::filesystem::path& vocabulary,
                                                     const std::filesystem::path& merges) {
  PairRules rules;
  rules.vocabulary = read_vocabulary(vocabulary);
  rules.merges = read_merges(merges);
  const SavedSettings saved(vocabulary.parent_path());
  const bool roberta_marks = std::ranges::find(like_roberta, saved.tokenizer_class()) != std::end(like_roberta);
  TokenizerParts parts;
  parts.added = saved.added_tokens(rules.vocabulary);
  const auto special = [&](const char* name, const char* usual) -> std::optional<Token> {
    const std::string text = saved.token(name).value_or(usual);
    const auto found = rules.vocabulary.find(text);
    if (found == rules.vocabulary.end()) return {};
    if (std::ranges::find(parts.added, text, &AddedToken::text) == parts.added.end())
      parts.added.push_back({.id = found->second, .text = text, .takes_before = text == "<mask>"});
    return Token{found->second, text};
  };
  const auto add_around = [&](const char* name, const char* usual, std::vector<Token>& tokens) {
    const auto token = special(name, usual);
    if (!token)
      ErrorPlace{utf8_from(vocabulary)}.fail(
          Message("has no {0}, which stands around each line", in_quotes(saved.token(name).value_or(usual))),
          "the vocabulary of its tokenizer_config.json");
    tokens.push_back(*token);
  };
  if (roberta_marks) {
    add_around("cls_token", "<s>", parts.before);
    add_around("sep_token", "</s>", parts.after);
    special("mask_token", "<mask>");
    special("pad_token", "<pad>");
    special("unk_token", "<unk>");
  } else if (saved.flag("add_bos_token").value_or(false)) {
    add_around("bos_token", "<|endoftext|>", parts.before);
  }
  if (!roberta_marks && saved.flag("add_eos_token").value_or(false))
    add_around("eos_token", "<|endoftext|>", parts.after);
  parts.padding.text = "<pad>";
  if (const auto end = special("eos_token", "<|endoftext|>")) {
    parts.padding.id = end->id;
    rules.unknown = end->text;
  }
  if (const auto padding = special("pad_token", "<pad>")) parts.padding = *padding;
  parts.words.push_back(byte_level(saved.flag("add_prefix_space").value_or(false), true));
  parts.byte_level = true;
  parts.model = pair_model(std::move(rules), utf8_from(vocabulary));
  parts.made_from = "vocab.json and merges.txt: byte-level BPE";
  return assembled(std::move(parts));
}

// BERT's tokenizer, from vocab.txt.
namespace {

/// A vocabulary with capitals is for texts with capitals and accents.
bool is_cased(const Vocabulary& vocabulary) {
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  return std::ranges::any_of(vocabulary, [&](const auto& entry) {
    const bool special = entry.first.starts_with('[') && entry.first.ends_with(']');
    return !special && std::ranges::any_of(entry.first, is_capital);
  });
}

}  // namespace

std::unique_ptr<const TokenSplitter> open_word_pieces(const std::filesystem::path& path) {
  const ErrorPlace place{utf8_from(path)};
  PieceRules rules;
  Index id = 0;  // of two equal lines the last one counts
  for (std::string& line : lines_of(path, place)) rules.vocabulary.insert_or_assign(std::move(line), id++);
  for (const char* needed : {"[UNK]", "[CLS]", "[SEP]"}) {
    if (!rules.vocabulary.contains(needed))
      place.fail(Message("has no {0}", needed), "a token a line, as BERT's vocab.txt has them");
  }
  const auto named = [&](const char* token) { return Token{rules.vocabulary.at(token), token}; };
  const SavedSettings saved(path.parent_path());
  const bool lower = saved.flag("do_lower_case").value_or(!is_cased(rules.vocabulary));
  const bool plain = saved.flag("strip_accents").value_or(lower),
             ideographs = saved.flag("tokenize_chinese_chars").value_or(true);
  TokenizerParts parts;
  for (const char* special : {"[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]"}) {
    if (rules.vocabulary.contains(special)) parts.added.push_back({named(special).id, special});
  }
  parts.normalizer = bert_cleaning({.ideographs = ideographs, .plain = plain, .lower = lower});
  parts.words = {between_blanks(), punctuation(Cut::isolated)};
  parts.before = {named("[CLS]")};
  parts.after = {named("[SEP]")};
  parts.padding = named(rules.vocabulary.contains("[PAD]") ? "[PAD]" : "[UNK]");
  parts.made_from = lower && plain ? "vocab.txt: WordPiece, in lower case, accents left out"
                    : lower        ? "vocab.txt: WordPiece, in lower case"
                    : plain        ? "vocab.txt: WordPiece, accents left out"
                                   : "vocab.txt: WordPiece";
  parts.model = piece_model(std::move(rules));
  return assembled(std::move(parts));
}

// Tokenizers without splitting rules: single characters, from nanoGPT's meta.pkl, and ids typed as numbers.
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
      const Index id = number_of_text<Index>(word).value_or(-1);
      if (id < 0 || id >= vocabulary_) {
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
