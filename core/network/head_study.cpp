#include "core/network/head_study.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <thread>

#include "core/attention/workers.h"
#include "core/files/text_file.h"
#include "core/network/head_patterns.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

struct Mean {
  double sum = 0;
  Index count = 0;
  void add(double value) { sum += value, ++count; }
  std::optional<double> value() const {
    return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
  }
};

struct Sums {
  Mean patterns[head_pattern_count], entropy, effect;
  std::vector<HeadMeans::Line> lines;

  void add_effect(std::size_t line, double value) {
    effect.add(value);
    const auto place = std::ranges::upper_bound(lines, value, std::ranges::greater(), &HeadMeans::Line::effect);
    lines.insert(place, {line, value});
    if (lines.size() > most_lines_of_head) lines.pop_back();
  }
};

class Study {
 public:
  Study(const Network& network, const RunOptions& options) : network_(network), options_(options) {
    options_.logits = RunOptions::Logits::all;
    for (const NetworkLayer& layer : network.layers()) sums_.emplace_back(static_cast<std::size_t>(layer.heads));
    workers_.threads =
        options.threads > 0 ? options.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    workers_.stop = options.stop;
  }

  /// `lines`: which line each batch entry is.
  void add(const NetworkText& text, std::span<const std::size_t> lines);
  std::vector<HeadMeans> means() const;

 private:
  const TokenBatch& said(const NetworkText& text) const {
    return network_.spec().stacks.size() == 2 ? text.decoder : text.tokens;
  }
  void add_patterns(const NetworkRun& run);
  /// Of each line, the mean log-probability of the words that come next; NaN of a line of one word.
  std::vector<double> log_probabilities(const NetworkRun& run) const;

  const Network& network_;
  RunOptions options_;
  Workers workers_;
  std::vector<std::vector<Sums>> sums_;
};

TokenBatch entry_of(const TokenBatch& batch, Index entry) {
  return {{batch.entries[static_cast<std::size_t>(entry)]}, {batch.lengths[static_cast<std::size_t>(entry)]}};
}

void Study::add_patterns(const NetworkRun& run) {
  for (std::size_t layer = 0; layer < sums_.size(); ++layer) {
    const Tensor& weights = run.layers[layer].weights;
    const TokenBatch &queries = run.queries_of(static_cast<Index>(layer)),
                     &keys = run.keys_of(static_cast<Index>(layer));
    for (Index b = 0; b < queries.size(); ++b) {
      const auto patterns =
          head_patterns_of(weights.slice(0, b, 1), entry_of(queries, b), entry_of(keys, b), options_.stop);
      for (std::size_t h = 0; h < patterns.size(); ++h) {
        Sums& sums = sums_[layer][h];
        for (std::size_t i = 0; i < head_pattern_count; ++i) {
          if (patterns[h].rows[i] > 0) sums.patterns[i].add(patterns[h].share[i]);
        }
        sums.entropy.add(patterns[h].bits);
      }
    }
  }
}

double log_probability(const MatrixView& logits, Index row, Index word) {
  double most = static_cast<double>(logits(row, 0)), sum = 0;
  for (Index i = 1; i < logits.cols; ++i) most = std::max(most, static_cast<double>(logits(row, i)));
  for (Index i = 0; i < logits.cols; ++i) sum += std::exp(static_cast<double>(logits(row, i)) - most);
  return static_cast<double>(logits(row, word)) - most - std::log(sum);
}

std::vector<double> Study::log_probabilities(const NetworkRun& run) const {
  const TokenBatch& tokens = said(run.text);
  std::vector<double> means(static_cast<std::size_t>(tokens.size()));
  workers_.run(tokens.size(), 20.0 * static_cast<double>(run.logits.count()), [&](Index b) {
    const auto entry = static_cast<std::size_t>(b);
    Mean mean;
    for (Index q = 0; q + 1 < tokens.lengths[entry]; ++q)
      mean.add(log_probability(run.logits.matrix(b), q, tokens.entries[entry][static_cast<std::size_t>(q) + 1].id));
    means[entry] = mean.value().value_or(std::nan(""));
  });
  return means;
}

void Study::add(const NetworkText& text, std::span<const std::size_t> lines) {
  RunOptions whole = options_;
  const NetworkRun run = network_.run(text, whole);
  add_patterns(run);
  if (network_.spec().masked || !run.logits.defined()) return;
  const std::vector<double> with = log_probabilities(run);
  RunOptions without = options_;
  without.weights = false;
  without.from = &run;
  for (std::size_t layer = 0; layer < sums_.size(); ++layer) {
    for (std::size_t head = 0; head < sums_[layer].size(); ++head) {
      without.knock_out = options_.knock_out;
      without.knock_out.emplace(static_cast<Index>(layer), static_cast<Index>(head));
      const std::vector<double> left = log_probabilities(network_.run(text, without));
      for (std::size_t b = 0; b < with.size(); ++b) {
        if (!std::isnan(with[b])) sums_[layer][head].add_effect(lines[b], with[b] - left[b]);
      }
    }
  }
}

std::vector<HeadMeans> Study::means() const {
  std::vector<HeadMeans> all;
  for (std::size_t layer = 0; layer < sums_.size(); ++layer) {
    for (std::size_t head = 0; head < sums_[layer].size(); ++head) {
      const Sums& sums = sums_[layer][head];
      HeadMeans& made = all.emplace_back();
      made.layer = static_cast<Index>(layer);
      made.head = static_cast<Index>(head);
      for (std::size_t i = 0; i < head_pattern_count; ++i) made.patterns[i] = sums.patterns[i].value();
      made.entropy = sums.entropy.value();
      made.effect = sums.effect.value();
      made.lines = sums.lines;
    }
  }
  return all;
}

template <HeadPattern pattern>
std::optional<double> share(const HeadMeans& head) {
  return head[pattern];
}
constexpr StudyColumn columns[] = {
    {"previous", share<HeadPattern::previous>},
    {"first", share<HeadPattern::first>},
    {"same", share<HeadPattern::duplicate>},
    {"induction", share<HeadPattern::induction>},
    {"entropy", [](const HeadMeans& head) { return head.entropy; }},
    {"effect", [](const HeadMeans& head) { return head.effect; }},
    {"self", share<HeadPattern::self>},
    {"next", share<HeadPattern::next>},
};

/// Numbers of logits that one pass gives, about; a token is guessed to have three letters.
constexpr Index most_logits = 16'000'000;
constexpr std::size_t most_lines = 256;

}  // namespace

std::span<const StudyColumn> study_columns() { return columns; }

std::vector<std::string> sentences_of(const std::string& file) {
  std::string text = whole_text(file, 64'000'000);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    std::string line = text.substr(from, end - from);
    if (line.ends_with('\r')) line.pop_back();
    if (line.find_first_not_of(" \t") != std::string::npos) lines.push_back(std::move(line));
    from = end + 1;
  }
  if (lines.empty()) throw FileError(file, "holds no sentence", "expected one on each line");
  return lines;
}

std::vector<HeadMeans> head_means(const Network& network, const std::vector<std::string>& lines,
                                  const RunOptions& options,
                                  const std::function<void(const std::vector<HeadMeans>& so_far, double share)>& told) {
  if (network.spec().takes_tensors || network.spec().picture)
    throw SettingError("--texts", network.title() + ", reads no words", "expected a language model");
  std::vector<std::size_t> sorted(lines.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  const auto length = [&](std::size_t line) { return std::ssize(lines[line]); };
  std::ranges::stable_sort(sorted, {}, length);  // like lengths together: little is padding
  Study study(network, options);
  for (std::size_t done = 0, count = 0; done < sorted.size(); done += count) {
    if (options.stop.stop_requested()) throw Cancelled();
    std::string together = lines[sorted[done]];
    for (count = 1; count < most_lines && done + count < sorted.size(); ++count) {
      const std::size_t next = sorted[done + count];
      const auto tokens = static_cast<Index>(count + 1) * (length(next) / 3 + 4);
      if (tokens * std::max<Index>(1, network.spec().vocabulary) > most_logits) break;
      together += "\n" + lines[next];
    }
    study.add(network.read(together, options), std::span(sorted).subspan(done, count));
    if (told) told(study.means(), static_cast<double>(done + count) / static_cast<double>(sorted.size()));
  }
  return study.means();
}

}  // namespace headlight
