// GPT-2's tokenizer, from vocab.json and merges.txt.
#include <algorithm>

#include "core/files/error_place.h"
#include "core/text/utf8_path.h"
#include "core/tokenizer/json_steps.h"
#include "core/tokenizer/saved_settings.h"

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

/// Whether the tokenizer puts <s> and </s> around each line, as RoBERTa's does.
bool has_roberta_marks(const std::string& tokenizer_class) {
  for (const char* like_roberta :
       {"RobertaTokenizer", "BartTokenizer", "MvpTokenizer", "LongformerTokenizer", "LEDTokenizer"}) {
    if (tokenizer_class == like_roberta) return true;
  }
  return false;
}

}  // namespace

std::unique_ptr<const TokenSplitter> open_byte_pairs(const std::filesystem::path& vocabulary,
                                                     const std::filesystem::path& merges) {
  PairRules rules;
  rules.vocabulary = read_vocabulary(vocabulary);
  rules.merges = read_merges(merges);
  const SavedSettings saved(vocabulary.parent_path());
  const bool roberta_marks = has_roberta_marks(saved.tokenizer_class());
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
    for (const char* mark : {"mask_token", "pad_token", "unk_token"}) {
      special(mark, mark == std::string_view("mask_token")  ? "<mask>"
                    : mark == std::string_view("pad_token") ? "<pad>"
                                                            : "<unk>");
    }
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

}  // namespace headlight
