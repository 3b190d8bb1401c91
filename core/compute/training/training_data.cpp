// What a run learns from: a made-up task, or the sentences of a text file.
#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "core/base/files/load_budget.h"
#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"
#include "core/base/text/unicode.h"
#include "core/base/text/utf8_path.h"
#include "core/compute/training/task.h"
#include "core/models/tokenizer/pre_tokenizer.h"

namespace headlight {
namespace {

constexpr std::uint64_t most_text = 8 << 20;  // bytes
constexpr std::size_t most_words = 4000;      // of a vocabulary; rarer ones are unknown
constexpr const char* unknown_word = "<unk>";

/// The words of a line as the tokenizer splits it (\w+|[^\w\s]+), or its characters.
std::vector<std::string> tokens_of(const std::string& line, TextUnit unit) {
  std::vector<std::string> tokens;
  if (unit == TextUnit::words) {
    for (TextPiece& piece : signs_apart()({line, true})) tokens.push_back(std::move(piece.text));
    return tokens;
  }
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t from = at;
    next_character(line, at);
    tokens.push_back(line.substr(from, at - from));
  }
  return tokens;
}

/// The accuracy of the answer that is right most often.
double share_of_largest(const std::map<std::int32_t, Index>& answers) {
  Index most = 0, all = 0;
  for (const auto& [answer, count] : answers) {
    most = std::max(most, count);
    all += count;
  }
  return all == 0 ? 0 : static_cast<double>(most) / static_cast<double>(all);
}

}  // namespace

TrainingData::TrainingData(const TrainingSettings& settings)
    : task_(training_task(settings.task)), unit_(settings.unit), length_(settings.length) {
  if (!task_) {
    read_text(settings);
    return;
  }
  for (Index i = 0; i < task_->letters; ++i) words_.emplace_back(1, static_cast<char>('a' + i));
  if (task_->id == "recall" && (length_ % 2 == 0 || length_ < 3 || length_ > task_->letters + 1))
    throw SettingError("--length", Message("is {0}, but recall has pairs and one key more", length_),
                       Message("expected an odd number from 3 to {0}", task_->letters + 1));
  Sampler sampler(0, "answers");  // the same of every seed
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(length_)), targets(tokens);
  std::map<std::int32_t, Index> answers;
  constexpr int drawn = 4000;
  for (int i = 0; i < drawn; ++i) {
    task_->draw(sampler, task_->letters, tokens);
    task_->answer(task_->letters, tokens, targets);
    for (const std::int32_t target : targets) {
      if (target >= 0) ++answers[target];
    }
  }
  chance_ = share_of_largest(answers);
  // Where every letter is as likely, what was drawn differs from it by the draw alone.
  if (task_->id != "sort" && task_->id != "count")
    chance_ = 1 / static_cast<double>(task_->id == "recall" ? task_->letters / 2 : task_->letters);
}

void TrainingData::read_text(const TrainingSettings& settings) {
  const std::string text = whole_text(settings.task, most_text);
  const bool is_text = is_utf8(text) && text.find('\0') == std::string::npos;
  if (!is_text) throw FileError(settings.task, "is no text", "expected sentences in UTF-8");
  std::vector<std::string> tokens;
  for (const std::string_view line : Split(text, '\n')) {
    std::vector<std::string> of_line = tokens_of(std::string(without_return(line)), unit_);
    if (unit_ == TextUnit::letters && !of_line.empty() && !tokens.empty()) tokens.emplace_back(" ");
    std::ranges::move(of_line, std::back_inserter(tokens));
  }
  const auto least = static_cast<std::size_t>(2 * (length_ + 1));
  if (tokens.size() < least)
    throw FileError(
        settings.task, Message("has {0} tokens", tokens.size()),
        Message("expected at least {0}, two sequences of --length {1} and one token more each", least, length_));
  std::map<std::string, std::size_t> counts;
  for (const std::string& token : tokens) ++counts[token];
  if (counts.size() < 2)
    throw FileError(settings.task, Message("says nothing but \"{0}\"", counts.begin()->first),
                    "expected a text with at least two different tokens");
  std::vector<std::pair<std::size_t, std::string>> by_count;
  for (const auto& [token, count] : counts) by_count.emplace_back(count, token);
  std::ranges::stable_sort(by_count, std::ranges::greater(), &std::pair<std::size_t, std::string>::first);
  words_.emplace_back(unknown_word);
  for (std::size_t i = 0; i < std::min(by_count.size(), most_words - 1); ++i) words_.push_back(by_count[i].second);
  std::map<std::string, std::int32_t> ids;
  for (std::size_t i = 1; i < words_.size(); ++i) ids[words_[i]] = static_cast<std::int32_t>(i);
  std::vector<std::int32_t> all;
  for (const std::string& token : tokens) {
    const auto found = ids.find(token);
    all.push_back(found == ids.end() ? 0 : found->second);
  }
  const auto held_out = static_cast<std::ptrdiff_t>(std::max(all.size() / 10, static_cast<std::size_t>(length_) + 1));
  learned_.assign(all.begin(), all.end() - held_out);
  fresh_.assign(all.end() - held_out, all.end());
  std::map<std::int32_t, Index> answers;
  for (const std::int32_t token : fresh_) ++answers[token];
  chance_ = share_of_largest(answers);
}

void TrainingData::draw(Sampler& sampler, bool fresh, std::span<std::int32_t> tokens,
                        std::span<std::int32_t> targets) const {
  if (task_) {
    task_->draw(sampler, task_->letters, tokens);
    return task_->answer(task_->letters, tokens, targets);
  }
  const std::vector<std::int32_t>& from = fresh ? fresh_ : learned_;
  const auto starts = static_cast<float>(from.size() - tokens.size());
  const std::size_t first =
      std::min(static_cast<std::size_t>(sampler.uniform() * starts), from.size() - tokens.size() - 1);
  std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(first), tokens.size(), tokens.begin());
  std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(first) + 1, targets.size(), targets.begin());
}

std::string TrainingData::text_of(std::span<const std::int32_t> tokens) const {
  std::string text;
  for (const std::int32_t token : tokens) {
    if (!text.empty() && (task_ || unit_ == TextUnit::words)) text += ' ';
    text += words_[static_cast<std::size_t>(token)];
  }
  return text;
}

std::string TrainingData::tokenizer_json() const {
  using Json = nlohmann::ordered_json;
  Json vocabulary = Json::object();
  for (std::size_t i = 0; i < words_.size(); ++i) vocabulary[words_[i]] = i;
  const bool letters = !task_ && unit_ == TextUnit::letters;
  const Json splits =
      letters
          ? Json{{"type", "Split"}, {"pattern", {{"Regex", "[\\s\\S]"}}}, {"behavior", "Isolated"}, {"invert", false}}
          : Json{{"type", "Whitespace"}};
  const Json unknown = task_ ? "<none>" : unknown_word;
  return Json{{"version", "1.0"},
              {"truncation", nullptr},
              {"padding", nullptr},
              {"added_tokens", Json::array()},
              {"normalizer", nullptr},
              {"pre_tokenizer", splits},
              {"post_processor", nullptr},
              {"decoder", nullptr},
              {"model", {{"type", "WordLevel"}, {"vocab", vocabulary}, {"unk_token", unknown}}}}
      .dump(1);
}

}  // namespace headlight
