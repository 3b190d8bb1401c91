#include "core/compute/network/head_overview.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/parallel/jobs.h"
#include "core/base/tensor/each_matrix.h"
#include "core/base/tensor/error.h"
#include "core/compute/attention/projection.h"
#include "core/compute/network/head_patterns.h"
#include "core/compute/network/network.h"
#include "core/compute/run/trace.h"
#include "core/rules/stage/pool.h"
#include "core/scenario/inputs/file_source.h"
#include "core/scenario/inputs/inputs.h"

namespace headlight {

Tensor pictures_of(const Tensor& weights, const std::stop_token& stop) {
  const Index rows = std::min(weights.size(2), picture_side), cols = std::min(weights.size(3), picture_side);
  if (!weights.source() && rows == weights.size(2) && cols == weights.size(3)) return weights;
  Buffer values;
  each_matrix(weights, [&](const MatrixView& matrix, Index, Index) {
    if (stop.stop_requested()) throw Cancelled();
    const PooledMatrix pooled = pool(matrix, {}, rows, cols, 0, 4 * picture_side);
    values.insert(values.end(), pooled.values.begin(), pooled.values.end());
    breathe();
  });
  return {{weights.size(0), weights.size(1), rows, cols}, std::move(values)};
}

namespace {

/// Whether the patterns of heads are measured; for longer texts they would take too long.
bool has_patterns(const Tensor& weights) {
  return !weights.source() && std::max(weights.size(2), weights.size(3)) <= 4096;
}

std::shared_ptr<const WordLines> words_of(const TokenBatch& tokens) {
  auto lines = std::make_shared<WordLines>();
  for (const std::vector<Token>& entry : tokens.entries) lines->push_back(texts_of(entry));
  return lines;
}

/// Tokens with ids that are made from their texts: equal texts get equal ids. Without texts every position is a token
/// of its own.
TokenBatch tokens_of(const std::vector<std::vector<std::string>>& names, Index batch, Index count) {
  TokenBatch tokens;
  std::map<std::string, Index> ids;
  for (Index b = 0; b < batch; ++b) {
    std::vector<Token>& entry = tokens.entries.emplace_back();
    for (Index i = 0; i < count; ++i) {
      std::string text =
          names.empty() ? std::to_string(i) : names[static_cast<std::size_t>(b)][static_cast<std::size_t>(i)];
      const auto [at, is_new] = ids.emplace(text, static_cast<Index>(ids.size()));
      entry.push_back({at->second, std::move(text)});
    }
    tokens.lengths.push_back(count);
  }
  return tokens;
}

HeadOverview overview_of_file(const Trace& trace, const std::vector<FileAttention>& attentions) {
  HeadOverview overview;
  const Inputs& inputs = trace.inputs;
  std::map<std::string, int> stacks;
  for (const FileAttention& attention : attentions) {
    OverviewLayer& layer = overview.layers.emplace_back();
    layer.layer = attention.layer;
    layer.stack = stacks.emplace(attention.group, static_cast<int>(stacks.size())).first->second;
    layer.cross = attention.group.find("cross") != std::string::npos;
    const Tensor& weights = attention.weights;
    const auto fits = [&](const std::vector<std::vector<std::string>>& names, Index count) {
      return !names.empty() && static_cast<Index>(names.size()) == weights.size(0) &&
             static_cast<Index>(names.front().size()) == count;
    };
    const WordLines none;
    const WordLines& key_words = fits(inputs.key_tokens, weights.size(3)) ? inputs.key_tokens : none;
    const TokenBatch keys = tokens_of(key_words, weights.size(0), weights.size(3));
    layer.keys = std::make_shared<const WordLines>(key_words);
    layer.queries =
        std::make_shared<const WordLines>(fits(inputs.query_tokens, weights.size(2)) ? inputs.query_tokens : none);
    const bool self = !layer.cross && weights.size(2) == weights.size(3);
    layer.summary = summary_of(weights, self ? keys : tokens_of(none, weights.size(0), weights.size(2)), keys);
    layer.silent.assign(static_cast<std::size_t>(weights.size(1)), false);
    if (attention.chosen) overview.chosen = static_cast<Index>(overview.layers.size()) - 1;
  }
  return overview;
}

}  // namespace

HeadOverview overview_of(const NetworkRun& run, const std::string& chosen) {
  HeadOverview overview;
  overview.network = true;
  overview.chosen = run.network->layer_or_first(chosen);
  const auto layers = run.network->layers();
  const bool words = !run.network->spec().takes_tensors;
  const auto none = std::make_shared<const WordLines>();
  const auto first = words ? words_of(run.text.tokens) : none, second = words ? words_of(run.text.decoder) : none;
  overview.leaving = sizes_of(run.final);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    OverviewLayer& layer = overview.layers.emplace_back();
    layer.layer = layers[i].layer;
    layer.cross = layers[i].cross;
    layer.stack = static_cast<int>(layers[i].stack) + (layers[i].cross ? 1 : 0);
    layer.summary = run.layers[i].summary;
    layer.queries = layers[i].stack == 1 ? second : first;
    layer.keys = layers[i].stack == 1 && !layers[i].cross ? second : first;
    for (Index h = 0; h < run.heads_of(static_cast<Index>(i)); ++h)
      layer.silent.push_back(run.knock_out.contains({static_cast<Index>(i), h}));
  }
  return overview;
}

Tensor sizes_of(const Tensor& x) {
  if (!x.defined()) return {};
  const Tensor packed = x.contiguous();
  const auto width = static_cast<std::size_t>(x.size(-1));
  Buffer sizes;
  for (std::size_t first = 0; first < packed.values().size(); first += width) {
    double squares = 0;
    for (const float v : packed.values().subspan(first, width))
      squares += static_cast<double>(v) * static_cast<double>(v);
    sizes.push_back(static_cast<float>(std::sqrt(squares / static_cast<double>(width))));
  }
  return {{x.size(0), x.size(1)}, std::move(sizes)};
}

LayerSummary summary_of(const Tensor& weights, const TokenBatch& queries, const TokenBatch& keys,
                        const std::stop_token& stop) {
  LayerSummary summary;
  summary.pictures = pictures_of(weights, stop);
  const bool is_short = !weights.source() && std::max(weights.size(2), weights.size(3)) <= most_mean_tokens;
  if (is_short) summary.mean = mean_over_heads(weights);
  summary.patterns = has_patterns(weights) ? head_patterns_of(weights, queries, keys, stop)
                                           : std::vector<HeadPatterns>(static_cast<std::size_t>(weights.size(1)));
  return summary;
}

Index HeadOverview::heads() const {
  Index most = 0;
  for (const OverviewLayer& layer : layers) most = std::max(most, static_cast<Index>(layer.silent.size()));
  return most;
}

std::vector<Tensor> HeadOverview::means_up_to(Index layer, Index batch) const {
  std::vector<Tensor> means;
  const OverviewLayer& last = layers[static_cast<std::size_t>(layer)];
  for (Index i = 0; i <= layer; ++i) {
    const OverviewLayer& at = layers[static_cast<std::size_t>(i)];
    if (at.stack != last.stack || at.cross != last.cross) continue;
    if (!at.summary.mean.defined()) return {};
    const Tensor& mean = at.summary.mean;
    means.push_back(mean.slice(0, std::min(batch, mean.size(0) - 1), 1).view({mean.size(1), mean.size(2)}));
  }
  return means;
}

std::shared_ptr<const HeadOverview> overview_of(const Trace& trace, const std::stop_token& stop) {
  if (const auto pass = network_of(trace.inputs))
    return std::make_shared<const HeadOverview>(overview_of(*pass, trace.scenario.layer));
  const std::vector<FileAttention> attentions = trace.inputs.weights.defined() && trace.inputs.file
                                                    ? attentions_of(*trace.inputs.file, trace.scenario)
                                                    : std::vector<FileAttention>{};
  if (attentions.size() > 1) return std::make_shared<const HeadOverview>(overview_of_file(trace, attentions));
  HeadOverview overview;
  const Tensor& weights = trace[Stage::weights];
  if (!weights.defined()) return {};
  const Inputs& inputs = trace.inputs;
  const auto tokens = [&](const WordLines& names, Index count) {
    return has_patterns(weights) ? tokens_of(names, weights.size(0), count) : TokenBatch{};
  };
  const TokenBatch keys = tokens(inputs.key_tokens, weights.size(3));
  const bool self = weights.size(2) == weights.size(3) && inputs.query_tokens == inputs.key_tokens &&
                    (inputs.self_attention() || inputs.weights.defined());
  OverviewLayer& layer = overview.layers.emplace_back();
  layer.layer = trace.scenario.layer;
  layer.cross = !self;
  layer.queries = std::make_shared<const WordLines>(inputs.query_tokens);
  layer.keys = std::make_shared<const WordLines>(inputs.key_tokens);
  layer.summary = summary_of(weights, self ? keys : tokens(inputs.query_tokens, weights.size(2)), keys, stop);
  layer.silent.assign(static_cast<std::size_t>(weights.size(1)), false);
  return std::make_shared<const HeadOverview>(std::move(overview));
}

}  // namespace headlight
