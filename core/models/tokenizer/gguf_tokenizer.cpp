// The tokenizer inside a GGUF file: byte-level BPE as GPT-2's ("gpt2"), or SentencePiece's BPE ("llama").
#include <algorithm>
#include <map>

#include "core/base/arrays/array_file.h"
#include "core/base/files/error_place.h"
#include "core/base/text/texts.h"
#include "core/base/text/unicode.h"
#include "core/models/tokenizer/token_pipeline.h"

namespace headlight {
namespace {

constexpr const char* space_mark = "▁";

/// For each value of tokenizer.ggml.pre: the expressions that split a text into words, one after the other, as in
/// llama.cpp.
std::map<std::string, std::vector<std::string>> split_expressions() {
  const std::vector<std::string> digits_apart{R"(\p{N})", gpt2_words}, by_llama{llama3_words(3)};
  return {{"default", {gpt2_words}},
          {"gpt-2", {gpt2_words}},
          {"olmo", {gpt2_words}},
          {"llama-bpe", by_llama},
          {"llama3", by_llama},
          {"llama-v3", by_llama},
          {"dbrx", by_llama},
          {"smaug-bpe", by_llama},
          {"qwen2", {llama3_words(1)}},
          {"stablelm2", {llama3_words(1)}},
          {"starcoder", digits_apart},
          {"refact", digits_apart},
          {"command-r", digits_apart},
          {"smollm", digits_apart},
          {"gpt-4o", {gpt4o_words}},
          {"llama4", {gpt4o_words}},
          {"deepseek-v3", deepseek3_words()}};
}

class GgufTokenizer {
 public:
  explicit GgufTokenizer(const ArrayFile& file) : file_(file), place_{file.path()} {
    const auto list = file.words("tokenizer.ggml.tokens");
    if (!list || list->words.empty()) place_.fail("holds no tokenizer.ggml.tokens");
    tokens_ = list->words;
    for (std::size_t i = 0; i < tokens_.size(); ++i) vocabulary_.emplace(tokens_[i], static_cast<Index>(i));
  }

  std::unique_ptr<const TokenSplitter> splitter() {
    const std::string model = text("model");
    TokenizerParts parts;
    PairRules rules;
    if (model == "gpt2") by_bytes(parts, rules);
    else if (model == "llama") by_pieces(parts, rules);
    else place_.fail(Message("its tokenizer {0} is not known", in_quotes(model)), "gpt2 or llama");
    rules.vocabulary = vocabulary_;
    parts.model = pair_model(std::move(rules), place_.path);
    add_control(parts);
    parts.made_from =
        model == "gpt2" ? "tokenizer of the file: BPE over bytes" : "tokenizer of the file: SentencePiece's pairs";
    return assembled(std::move(parts));
  }

 private:
  std::string text(const char* key) const {
    const auto found = file_.texts().find("tokenizer.ggml." + std::string(key));
    return found == file_.texts().end() ? std::string() : found->second;
  }
  double number(const char* key, double usual) const {
    const auto found = file_.numbers().find("tokenizer.ggml." + std::string(key));
    return found == file_.numbers().end() ? usual : found->second;
  }
  bool flag(const char* key, bool usual) const { return number(key, usual ? 1 : 0) != 0; }
  std::optional<Token> token(const char* key) const {
    const double id = number(key, -1);
    if (!(id >= 0) || id >= static_cast<double>(tokens_.size())) return {};
    return Token{static_cast<Index>(id), tokens_[static_cast<std::size_t>(id)]};
  }
  std::vector<float> numbers(const char* key) const {
    const std::string name = "tokenizer.ggml." + std::string(key);
    if (!file_.find(name)) return {};
    const Tensor list = file_.load(name);
    if (list.count() != static_cast<Index>(tokens_.size()))
      place_.fail(Message("its {0} are not one for each token", name));
    return {list.values().begin(), list.values().end()};
  }

  void by_bytes(TokenizerParts& parts, PairRules& rules) {
    const std::string words = text("pre");
    const auto merges = file_.words("tokenizer.ggml.merges");
    if (!merges) place_.fail("holds no tokenizer.ggml.merges");
    for (const std::string& merge : merges->words) {
      const std::size_t blank = merge.find(' ', 1);
      if (blank == std::string::npos) place_.fail("one of its merges is no pair", "\"a b\"");
      rules.merges.emplace_back(merge.substr(0, blank), merge.substr(blank + 1));
    }
    parts.byte_level = true;
    const auto known = split_expressions_.find(words.empty() ? "default" : words);
    if (known == split_expressions_.end())
      place_.fail(Message("its words are cut as {0} does, which is not known here", in_quotes(words)),
                  Message("one of {0}", comma_list(split_expressions_, [](const auto& each) { return each.first; })));
    for (const std::string& expression : known->second) parts.words.push_back(words_by(expression));
    parts.words.push_back(byte_level(false, false));
    rules.whole_words = words == "llama-bpe" || words == "llama3" || words == "llama-v3";
    if (words == "qwen2") parts.normalizer = unicode_form(UnicodeForm::nfc);  // as Qwen's own tokenizer does
    bos_ = flag("add_bos_token", rules.whole_words);
  }

  void by_pieces(TokenizerParts& parts, PairRules& rules) {
    const std::vector<float> scores = numbers("scores");
    if (scores.empty()) place_.fail("holds no tokenizer.ggml.scores");
    std::vector<ScoredPiece> pieces;
    for (std::size_t i = 0; i < tokens_.size(); ++i) pieces.push_back({tokens_[i], static_cast<double>(scores[i])});
    add_merges(pieces, rules);
    rules.bytes = true;
    if (const auto unknown = token("unknown_token_id")) rules.unknown = unknown->text;
    rules.join_unknown = true;
    std::vector<Normalizer> steps;
    if (flag("add_space_prefix", true)) steps.push_back(prepending(space_mark));
    steps.push_back(replacing(" ", space_mark));
    parts.normalizer = one_after_another(std::move(steps));
    bos_ = flag("add_bos_token", true);
  }

  /// Special tokens: those that are matched in a text as they are, and those around each line.
  void add_control(TokenizerParts& parts) const {
    constexpr float control = 3, user_defined = 4;
    const std::vector<float> types = numbers("token_type");
    for (std::size_t i = 0; i < types.size(); ++i) {
      if ((types[i] == control || types[i] == user_defined) && !tokens_[i].empty())
        parts.added.push_back({static_cast<Index>(i), tokens_[i], false, false, false});
    }
    const auto first = token("bos_token_id"), last = token("eos_token_id");
    if (bos_ && first) parts.before.push_back(*first);
    if (flag("add_eos_token", false) && last) parts.after.push_back(*last);
    const auto padding = token("padding_token_id");
    parts.padding = padding ? *padding : last ? *last : Token{0, tokens_[0]};
  }

  const ArrayFile& file_;
  ErrorPlace place_;
  std::vector<std::string> tokens_;
  Vocabulary vocabulary_;
  std::map<std::string, std::vector<std::string>> split_expressions_ = split_expressions();
  bool bos_ = false;
};

}  // namespace

std::unique_ptr<const TokenSplitter> gguf_tokenizer(const ArrayFile& file) {
  if (!file.texts().contains("tokenizer.ggml.model")) return nullptr;
  return GgufTokenizer(file).splitter();
}

}  // namespace headlight
