// Several layers as one matrix: rollout and flow.
#include <algorithm>
#include <numeric>

#include "core/base/tensor/each_matrix.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/compute/network/attention_flow.h"
#include "core/compute/network/head_overview.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/run/trace.h"
#include "core/figures/export/layers_figure.h"
#include "core/scenario/inputs/inputs.h"

namespace headlight {
namespace {

HeadOverview overview_for(const Trace& trace, const ExportOptions& options) {
  if (network_of(trace.inputs)) return overview_of(*whole_pass(trace, true), trace.scenario.layer);
  const auto made = overview_of(trace);
  if (!made || made->layers.size() < 2) no_layers(options);
  return *made;
}

/// The last layer that is included: the last of the stack, or the one that is named after a colon.
Index last_layer(const HeadOverview& overview, const ExportOptions& options) {
  const std::size_t colon = options.layers.find(':');
  const std::string upto = colon == std::string::npos ? "" : options.layers.substr(colon + 1);
  const OverviewLayer& chosen = overview.layers[static_cast<std::size_t>(overview.chosen)];
  const auto is_meant = [&](const OverviewLayer& layer) {
    return upto.empty() ? layer.stack == chosen.stack && layer.cross == chosen.cross : layer.layer == upto;
  };
  for (Index i = std::ssize(overview.layers); i-- > 0;) {
    if (is_meant(overview.layers[static_cast<std::size_t>(i)])) return i;
  }
  throw SettingError("--layers", Message("\"{0}\" is no layer of this network", upto),
                     Message("expected {0} to {1}", overview.layers.front().layer, overview.layers.back().layer));
}

/// The means over heads of the layers up to the last one. Throws SettingError if they cannot be multiplied.
std::vector<Tensor> means_of(const HeadOverview& overview, Index last, const ExportOptions& options) {
  std::vector<Tensor> means = overview.means_up_to(last, options.batch);
  if (means.empty())
    throw SettingError("--layers",
                       Message("\"{0}\" needs the layers' averages, which are not kept beyond {1} tokens",
                               options.layers, most_mean_tokens),
                       "expected a shorter text");
  if (means.front().size(0) != means.front().size(1))
    throw SettingError("--layers",
                       Message("queries and keys of layer {0} are different words, so that layers cannot be multiplied",
                               overview.layers[static_cast<std::size_t>(last)].layer),
                       "expected a layer of self-attention");
  return means;
}

/// The largest or smallest weight over the heads of each of these layers, [n, n].
std::vector<Tensor> fused_heads(const Trace& trace, const ExportOptions& options,
                                const std::vector<std::string>& layers) {
  ExportOptions of_all = options;
  const std::string stack = layers.front().substr(0, layers.front().find_first_of("._"));
  of_all.layers = is_stack(stack) ? stack : "all";
  std::vector<Tensor> fused;
  for (const DrawnLayer& layer : layers_drawn(trace, of_all)) {
    if (std::ranges::find(layers, layer.name) == layers.end()) continue;
    const Tensor entry = layer.values.slice(0, std::min(options.batch, layer.values.size(0) - 1), 1);
    const MatrixView first = entry.matrix(0, 0);
    fused.push_back(from_cells(first.rows, first.cols, [&](Index row, Index col) {
      float all = first(row, col);
      for (Index h = 1; h < entry.size(1); ++h) {
        const float value = entry.matrix(0, h)(row, col);
        all = options.fuse == TakeTogether::max ? std::max(all, value) : std::min(all, value);
      }
      return all;
    }));
  }
  return fused;
}

/// The weights with the smallest of them, this share of all, set to zero.
Tensor without_smallest(const Tensor& weights, float share) {
  const Tensor packed = weights.contiguous();
  Buffer values(packed.values().begin(), packed.values().end());
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
  const auto count = static_cast<std::size_t>(static_cast<double>(share) * static_cast<double>(values.size()));
  for (std::size_t i = 0; i < count; ++i) values[order[i]] = 0;
  return {packed.shape(), std::move(values)};
}

/// "mean over heads", "largest of the heads, smallest 90 % discarded"
std::string fused_text(const ExportOptions& options) {
  const char* of = options.fuse == TakeTogether::max   ? "largest of the heads"
                   : options.fuse == TakeTogether::min ? "smallest of the heads"
                                                       : "mean over heads";
  return of + (options.discard
                   ? ", smallest " + formatted("%g", 100 * static_cast<double>(*options.discard)) + " % discarded"
                   : std::string());
}

}  // namespace

bool takes_layers_together(const ExportOptions& options) {
  return options.layers.starts_with("rollout") || options.layers.starts_with("flow");
}

JoinedLayers join_layers(const Trace& trace, const ExportOptions& options) {
  const HeadOverview overview = overview_for(trace, options);
  const Index last = last_layer(overview, options);
  const OverviewLayer& layer = overview.layers[static_cast<std::size_t>(last)];
  std::vector<Tensor> means = means_of(overview, last, options);
  const Index n = means.front().size(0);
  const std::string upto =
      means.size() == 1 ? ", layer " + layer.layer : ", layers 0 to " + layer.layer.substr(layer.layer.rfind('.') + 1);
  JoinedLayers out;
  for (Index i = 0; i <= last; ++i) {
    const OverviewLayer& each = overview.layers[static_cast<std::size_t>(i)];
    if (each.stack == layer.stack && each.cross == layer.cross) out.layers.push_back(each.layer);
  }
  if (options.fuse != TakeTogether::mean) means = fused_heads(trace, options, out.layers);
  if (options.discard) {
    for (Tensor& mean : means) mean = without_smallest(mean, *options.discard);
  }
  out.means = means;
  const std::string fused = fused_text(options);
  const char* divided = std::ranges::any_of(means, leaves_one) ? ", rows divided by their sum" : "";
  if (options.layers.starts_with("rollout")) {
    out.matrix = attention_rollout(means);
    out.title = "attention rollout" + upto + (fused == "mean over heads" ? "" : " · " + fused);
    out.formula = "product of ½ " + fused + " + ½ I" + divided;
    return out;
  }
  std::vector<Tensor> rows;
  for (Index q = 0; q < n; ++q) rows.push_back(attention_flow(means, q));
  out.matrix = joined(rows).view({n, n});
  out.title = "attention flow" + upto;
  out.formula = "largest flow, edges carry ½ " + fused + " + ½ I" + divided;
  return out;
}

}  // namespace headlight
