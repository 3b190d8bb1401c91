#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/tensor/error.h"
#include "core/compute/network/forward.h"
#include "core/compute/network/key_cache.h"
#include "core/compute/network/network.h"

namespace headlight {
namespace {

/// The first `first` rows of `before`, then `rows`: [.., n, columns]. Rows with fewer columns are filled up with zeros.
/// Those of `before` get them on the right: they see no later keys. Those of `rows` get them on the left: a window
/// hides the earlier keys.
Tensor rows_after(const Tensor& before, Index first, const Tensor& rows, Index columns) {
  if (!rows.defined()) return {};
  Shape shape = rows.shape();
  const std::size_t axis = shape.size() - 2;
  shape[axis] += first;
  shape[axis + 1] = columns;
  Buffer all(static_cast<std::size_t>(element_count(shape)));
  float* to = all.data();
  Buffer scratch;
  const auto add = [&](const MatrixView& from, Index count, Index zeros) {
    const Index width = std::min(from.cols, columns - zeros);
    for (Index row = 0; row < count; ++row, to += columns) {
      std::fill_n(to, zeros, 0.0F);
      std::copy_n(from.whole_row(row, scratch), width, to + zeros);
      std::fill_n(to + zeros + width, columns - zeros - width, 0.0F);
    }
  };
  for (Index b = 0; b < shape[0]; ++b) {
    for (Index h = 0; h < (axis == 2 ? shape[1] : 1); ++h) {
      add(before.matrix(b, h), first, 0);
      add(rows.matrix(b, h), rows.size(static_cast<Index>(axis)), columns - rows.size(-1));
    }
  }
  return {std::move(shape), std::move(all)};
}

/// Whether a pass keeps the weights of all layers, which the overview of a longer text needs.
bool keeps_all_weights(const NetworkRun& run, const RunOptions& options) {
  for (Index layer = 0; layer < std::ssize(run.network->layers()); ++layer) {
    if (!keeps_weights(run, layer, options)) return false;
  }
  return true;
}

/// Whether each layer of `last` holds what a pass over the run's text with these options would hold.
bool holds_all(const NetworkRun& last, const NetworkRun& run, const RunOptions& options) {
  const Tensor& logits = last.logits;
  if (options.logits == RunOptions::Logits::all && last.network->spec().head.output.there() &&
      (!logits.defined() || logits.size(1) != last.final.size(1)))
    return false;
  for (std::size_t i = 0; i < last.layers.size(); ++i) {
    const LayerRun& at = last.layers[i];
    if (!at.weights.defined() || at.heads.defined() != keeps_parts(run, static_cast<Index>(i), options)) return false;
  }
  return true;
}

void add_earlier(const NetworkRun& last, NetworkRun& run, const RunOptions& options) {
  const Index first = run.first;
  for (std::size_t i = 0; i < run.layers.size(); ++i) {
    if (options.stop.stop_requested()) throw Cancelled();
    LayerRun& at = run.layers[i];
    const LayerRun& before = last.layers[i];
    const auto layer = static_cast<Index>(i);
    if (!run.network->is_in_last_stack(layer)) {
      at = before;
      continue;
    }
    const Index keys = run.keys_of(layer).count();
    if (at.values.defined() && at.values.size(2) != keys) {  // a window keeps only the last keys
      const Index new_rows = at.residual.size(1);
      at.values = rows_after(before.values, first, at.values.slice(2, at.values.size(2) - new_rows, new_rows),
                             at.values.size(3));
    }
    for (Tensor LayerRun::*rows :
         {&LayerRun::residual, &LayerRun::added, &LayerRun::heads, &LayerRun::experts, &LayerRun::mlp}) {
      if ((at.*rows).defined()) at.*rows = rows_after(before.*rows, first, at.*rows, (at.*rows).size(-1));
    }
    at.weights = rows_after(before.weights, first, at.weights, keys);
    at.summary = summary_of(at.weights, run.queries_of(layer), run.keys_of(layer), options.stop);
    at.summary.entering = sizes_of(at.residual);
    at.summary.added = sizes_of(at.added);
  }
  run.final = rows_after(last.final, first, run.final, run.final.size(-1));
  if (options.logits == RunOptions::Logits::all && run.logits.defined())
    run.logits = rows_after(last.logits, first, run.logits, run.logits.size(-1));
  run.first = 0;
}

}  // namespace

NetworkRun grown_pass(const Network& network, NetworkText text, RunOptions options, const NetworkRun* last) {
  const NetworkRun requested{network.shared_from_this(), text, options.knock_out, {}, {}, {}, {}, {}};
  if (!keeps_all_weights(requested, options)) return network.run(std::move(text), options);
  const bool grows = last && last->kept && !options.change && last->means == options.means &&
                     last->kept->reusable(requested) > 0 && holds_all(*last, requested, options);
  const auto kept = grows ? std::make_shared<KeyCache>(*last->kept) : std::make_shared<KeyCache>();
  options.cache = kept.get();
  if (grows) {
    options.parts = last->layers.back().heads.defined();
    options.summaries = false;
    options.most_weights = std::numeric_limits<Index>::max();
  }
  NetworkRun run = network.run(std::move(text), options);
  if (grows) add_earlier(*last, run, options);
  run.kept = kept;
  return run;
}

}  // namespace headlight
