#include "core/compute/network/head_study.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

#include "core/base/files/load_budget.h"
#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"
#include "core/compute/attention/kernels/kernels.h"
#include "core/compute/attention/workers.h"
#include "core/compute/network/head_patterns.h"

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
  Mean patterns[head_pattern_count], entropy, effect, mean_effect;
  std::vector<HeadMeans::Line> lines;

  void add_effect(std::size_t line, double value) {
    effect.add(value);
    const auto place = std::ranges::upper_bound(lines, value, std::ranges::greater(), &HeadMeans::Line::effect);
    lines.insert(place, {line, value});
    if (lines.size() > most_lines_of_head) lines.pop_back();
  }
};

/// The most logits that are in memory at once.
constexpr Index most_logits = 16'000'000;
/// A rough limit for the numbers of the residual stream in all passes together that each leave out one head of a layer.
/// A token is assumed to have three letters.
constexpr Index most_apart = 3'000'000;
constexpr Index most_lines = 256;

class Study {
 public:
  Study(const Network& network, const RunOptions& options, std::shared_ptr<const MeanHeads> means)
      : network_(network), options_(options), means_(std::move(means)) {
    options_.logits = RunOptions::Logits::none;
    options_.parts = true;
    for (const NetworkLayer& layer : network.layers()) sums_.emplace_back(static_cast<std::size_t>(layer.heads));
    workers_.threads =
        options.threads > 0 ? options.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    workers_.stop = options.stop;
  }

  /// `lines`: the line of each batch entry. `told` gets the share that is done.
  void add(const NetworkText& text, std::span<const std::size_t> lines, const std::function<void(double)>& told);
  std::vector<HeadMeans> means() const;

 private:
  void add_patterns(const NetworkRun& run);
  void add_effects(const NetworkRun& run, Index layer, std::span<const std::size_t> lines,
                   const std::vector<double>& baseline);
  /// The mean log-probability of the tokens that come next, for each batch entry; NaN if the line has only one token.
  std::vector<double> log_probabilities(const NetworkRun& run) const;

  const Network& network_;
  RunOptions options_;
  std::shared_ptr<const MeanHeads> means_;  // null: mean_effect is not measured
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

double log_probability(std::span<const float> logits, Index word) {
  thread_local Buffer row;
  row.assign(logits.begin(), logits.end());
  const auto count = std::ssize(row);
  const float most = kernels().largest(row.data(), count, -std::numeric_limits<float>::infinity());
  const double sum = kernels().exponentials(row.data(), count, most);
  return static_cast<double>(logits[static_cast<std::size_t>(word)]) - static_cast<double>(most) - std::log(sum);
}

std::vector<double> Study::log_probabilities(const NetworkRun& run) const {
  const TokenBatch& tokens = run.text.last_stack();
  struct Place {
    std::size_t entry = 0;
    Index word = 0;  // the next token
  };
  std::vector<Place> places;
  Buffer rows;
  const Tensor final = run.final.contiguous();
  const Index width = final.size(2), n = final.size(1);
  for (std::size_t b = 0; b < tokens.entries.size(); ++b) {
    for (Index q = 0; q + 1 < tokens.lengths[b]; ++q) {
      places.push_back({b, tokens.entries[b][static_cast<std::size_t>(q) + 1].id});
      const auto row = final.values().begin() + (static_cast<Index>(b) * n + q) * width;
      rows.insert(rows.end(), row, row + width);
    }
  }
  const Index count = std::ssize(places), at_once = std::max<Index>(1, most_logits / network_.spec().vocabulary);
  const Tensor final_rows({1, count, width}, std::move(rows));
  std::vector<double> logs(places.size());
  for (Index first = 0; first < count; first += at_once) {
    const Index size = std::min(at_once, count - first);
    const Tensor logits = network_.logits_of(final_rows.slice(1, first, size).contiguous(), workers_.threads);
    const Index words = logits.size(2);
    workers_.run(size, 10.0 * static_cast<double>(logits.count()), [&](Index i) {
      const auto place = static_cast<std::size_t>(first + i);
      logs[place] =
          log_probability(logits.values().subspan(static_cast<std::size_t>(i * words), static_cast<std::size_t>(words)),
                          places[place].word);
    });
  }
  std::vector<Mean> means(tokens.entries.size());
  for (std::size_t i = 0; i < places.size(); ++i) means[places[i].entry].add(logs[i]);
  std::vector<double> all;
  for (const Mean& mean : means) all.push_back(mean.value().value_or(std::nan("")));
  return all;
}

void Study::add_effects(const NetworkRun& run, Index layer, std::span<const std::size_t> lines,
                        const std::vector<double>& baseline) {
  std::vector<Sums>& heads = sums_[static_cast<std::size_t>(layer)];
  RunOptions without = options_;
  without.weights = without.parts = false;
  without.from = &run;
  without.apart = {layer, 0, std::ssize(heads)};
  const auto measure = [&](const auto& add) {
    const std::vector<double> ablated = log_probabilities(network_.run(run.text, without));
    for (std::size_t i = 0; i < ablated.size(); ++i) {
      const std::size_t entry = i % baseline.size();
      if (!std::isnan(baseline[entry])) add(heads[i / baseline.size()], lines[entry], baseline[entry] - ablated[i]);
    }
  };
  measure([](Sums& sums, std::size_t line, double effect) { sums.add_effect(line, effect); });
  if (!means_) return;
  without.means = means_;
  measure([](Sums& sums, std::size_t, double effect) { sums.mean_effect.add(effect); });
}

void Study::add(const NetworkText& text, std::span<const std::size_t> lines, const std::function<void(double)>& told) {
  const NetworkRun run = network_.run(text, options_);
  add_patterns(run);
  if (network_.spec().masked || !network_.spec().head.output.there()) return;
  const std::vector<double> baseline = log_probabilities(run);
  for (std::size_t layer = 0; layer < sums_.size(); ++layer) {
    add_effects(run, static_cast<Index>(layer), lines, baseline);
    if (told) told(static_cast<double>(layer + 1) / static_cast<double>(sums_.size()));
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
      made.mean_effect = sums.mean_effect.value();
      made.lines = sums.lines;
    }
  }
  return all;
}

/// Calls body(text, its line numbers, the share done before it, its own share) for batches of lines of similar length.
void for_batches(const Network& network, const std::vector<std::string>& lines, const RunOptions& options,
                 const std::function<void(const NetworkText&, std::span<const std::size_t>, double, double)>& body) {
  if (network.spec().takes_tensors || network.spec().picture)
    throw SettingError("--texts", Message("{0}, reads no words", network.title()), "expected a language model");
  std::vector<std::size_t> sorted(lines.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  const auto length = [&](std::size_t line) { return std::ssize(lines[line]); };
  std::ranges::stable_sort(sorted, {}, length);  // so that there is little padding
  Index heads = 1;
  for (const NetworkLayer& layer : network.layers()) heads = std::max(heads, layer.heads);
  const Index most_tokens = most_apart / (heads * network.spec().width);
  const double total = static_cast<double>(sorted.size());
  for (std::size_t done = 0, count = 0; done < sorted.size(); done += count) {
    if (options.stop.stop_requested()) throw Cancelled();
    std::string joined = lines[sorted[done]];
    for (count = 1; count < most_lines && done + count < sorted.size(); ++count) {
      const std::size_t next = sorted[done + count];
      if (static_cast<Index>(count + 1) * (length(next) / 3 + 4) > most_tokens) break;
      joined += "\n" + lines[next];
    }
    body(network.read(joined, options), std::span(sorted).subspan(done, count), static_cast<double>(done) / total,
         static_cast<double>(count) / total);
  }
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
    {"mean_effect", [](const HeadMeans& head) { return head.mean_effect; }},
    {"self", share<HeadPattern::self>},
    {"next", share<HeadPattern::next>},
};

}  // namespace

std::span<const StudyColumn> study_columns() { return columns; }

std::vector<std::string> sentences_of(const std::string& file) {
  std::string text = whole_text(file, 64'000'000);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  std::vector<std::string> lines;
  for (const std::string_view line : Split(text, '\n')) {
    if (is_filled(without_return(line))) lines.emplace_back(without_return(line));
  }
  if (lines.empty()) throw FileError(file, "holds no sentence", "expected one on each line");
  return lines;
}

std::shared_ptr<const MeanHeads> mean_heads(const Network& network, const std::vector<std::string>& lines,
                                            const RunOptions& options, const std::function<void(double)>& told) {
  RunOptions how = options;
  how.logits = RunOptions::Logits::none;
  how.parts = true;
  how.weights = false;
  std::vector<std::vector<Mean>> sums(network.layers().size());  // [layer][head · d]
  for_batches(network, lines, how, [&](const NetworkText& text, auto, double before, double own) {
    const NetworkRun run = network.run(text, how);
    for (std::size_t layer = 0; layer < sums.size(); ++layer) {
      const Tensor& heads = run.layers[layer].heads;
      const TokenBatch& queries = run.queries_of(static_cast<Index>(layer));
      sums[layer].resize(static_cast<std::size_t>(heads.size(1) * heads.size(3)));
      for (Index b = 0; b < heads.size(0); ++b) {
        for (Index h = 0; h < heads.size(1); ++h) {
          const MatrixView head = heads.matrix(b, h);
          for (Index q = 0; q < queries.lengths[static_cast<std::size_t>(b)]; ++q) {
            for (Index c = 0; c < head.cols; ++c)
              sums[layer][static_cast<std::size_t>(h * head.cols + c)].add(static_cast<double>(head(q, c)));
          }
        }
      }
    }
    if (told) told(before + own);
  });
  auto means = std::make_shared<MeanHeads>();
  for (std::size_t layer = 0; layer < sums.size(); ++layer) {
    Buffer values;
    for (const Mean& mean : sums[layer]) values.push_back(static_cast<float>(mean.value().value_or(0)));
    const Index heads = network.layers()[layer].heads;
    means->emplace_back(Shape{heads, std::ssize(values) / heads}, std::move(values));
  }
  return means;
}

std::vector<HeadMeans> head_means(const Network& network, const std::vector<std::string>& lines,
                                  const RunOptions& options, const StudyTold& told, Ablation ablation) {
  const bool mean = ablation == Ablation::mean;
  Study study(network, options, mean ? mean_heads(network, lines, options) : nullptr);
  for_batches(network, lines, options,
              [&](const NetworkText& text, std::span<const std::size_t> line_numbers, double before, double own) {
                std::vector<HeadMeans> so_far = study.means();
                study.add(text, line_numbers, [&](double share) {
                  if (told && share < 1) told(so_far, before + own * share);
                });
                if (told) told(study.means(), before + own);
              });
  return study.means();
}

}  // namespace headlight
