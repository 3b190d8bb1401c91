// The tokenizer that a GGUF file holds itself: BPE over bytes as GPT-2's ("gpt2"), or SentencePiece's pairs ("llama").
#include <algorithm>
#include <map>
#include <tuple>

#include "core/files/array_file.h"
#include "core/files/error_place.h"
#include "core/text/utf8.h"
#include "core/tokenizer/token_pipeline.h"

namespace headlight {
namespace {

constexpr const char* space_mark = "▁";

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
    else place_.fail("its tokenizer " + in_quotes(model) + " is not known", "gpt2 or llama");
    rules.vocabulary = vocabulary_;
    parts.model = pair_model(std::move(rules), place_.path);
    add_control(parts);
    parts.made_from =
        "tokenizer of the file: " + std::string(model == "gpt2" ? "BPE over bytes" : "SentencePiece's pairs");
    return assembled(std::move(parts));
  }

 private:
  std::string text(const char* key) const {
    const auto found = file_.texts().find("tokenizer.ggml." + std::string(key));
    return found == file_.texts().end() ? std::string() : found->second;
  }
  bool flag(const char* key, bool usual) const {
    const auto found = file_.numbers().find("tokenizer.ggml." + std::string(key));
    return found == file_.numbers().end() ? usual : found->second != 0;
  }
  std::optional<Token> token(const char* key) const {
    const auto found = file_.numbers().find("tokenizer.ggml." + std::string(key));
    if (found == file_.numbers().end() || !(found->second >= 0) || found->second >= static_cast<double>(tokens_.size()))
      return {};
    const auto id = static_cast<std::size_t>(found->second);
    return Token{static_cast<Index>(id), tokens_[id]};
  }
  std::vector<float> numbers(const char* key) const {
    const std::string name = "tokenizer.ggml." + std::string(key);
    if (!file_.find(name)) return {};
    const Tensor list = file_.load(name);
    if (list.count() != static_cast<Index>(tokens_.size())) place_.fail("its " + name + " are not one for each token");
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
    if (words == "gpt-2" || words.empty() || words == "default") {
      parts.words.push_back(byte_level(false, true));
    } else if (const std::size_t digits = words == "llama-bpe" || words == "llama3" || words == "llama-v3" ? 3
                                          : words == "qwen2"                                               ? 1
                                                                                                           : 0;
               digits > 0) {
      parts.words.push_back(words_by([digits](std::string_view rest) { return gpt4_word(rest, digits); }));
      parts.words.push_back(byte_level(false, false));
      rules.whole_words = digits == 3;
      if (digits == 1) parts.normalizer = unicode_form(UnicodeForm::nfc);  // as Qwen's own tokenizer
    } else {
      place_.fail("its words are cut as " + in_quotes(words) + " does, which is not known here",
                  "gpt-2, llama-bpe or qwen2");
    }
    bos_ = flag("add_bos_token", rules.whole_words);
  }

  /// Every way in which a token is made of two others is a merge; the token's score is its rank.
  void by_pieces(TokenizerParts& parts, PairRules& rules) {
    const std::vector<float> scores = numbers("scores");
    if (scores.empty()) place_.fail("holds no tokenizer.ggml.scores");
    std::vector<std::tuple<float, Index, Index, Index>> merges;  // score, token, left, right
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const std::string& whole = tokens_[i];
      for (std::size_t cut = 0; cut < whole.size();) {
        next_character(whole, cut);
        const auto left = vocabulary_.find(whole.substr(0, cut)), right = vocabulary_.find(whole.substr(cut));
        if (cut < whole.size() && left != vocabulary_.end() && right != vocabulary_.end())
          merges.emplace_back(-scores[i], static_cast<Index>(i), left->second, right->second);
      }
    }
    std::ranges::sort(merges);
    for (const auto& [score, made, left, right] : merges)
      rules.merges.emplace_back(tokens_[static_cast<std::size_t>(left)], tokens_[static_cast<std::size_t>(right)]);
    rules.bytes = true;
    if (const auto unknown = token("unknown_token_id")) rules.unknown = unknown->text;
    rules.join_unknown = true;
    std::vector<Normalizer> steps;
    if (flag("add_space_prefix", true)) steps.push_back(prepending(space_mark));
    steps.push_back(replacing(" ", space_mark));
    parts.normalizer = one_after_another(std::move(steps));
    bos_ = flag("add_bos_token", true);
  }

  /// Tokens that are found in a text as they stand, and those around it.
  void add_control(TokenizerParts& parts) const {
    constexpr float control = 3, by_user = 4;
    const std::vector<float> types = numbers("token_type");
    for (std::size_t i = 0; i < types.size(); ++i) {
      if ((types[i] == control || types[i] == by_user) && !tokens_[i].empty())
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
  bool bos_ = false;
};

}  // namespace

std::unique_ptr<const TokenSplitter> gguf_tokenizer(const ArrayFile& file) {
  if (!file.texts().contains("tokenizer.ggml.model")) return nullptr;
  return GgufTokenizer(file).splitter();
}

}  // namespace headlight
