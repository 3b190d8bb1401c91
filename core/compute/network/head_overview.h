// An overview of every head of every layer: a small picture of its weights, and its attention pattern.
//
// The engine makes it with the trace (Trace::overview): for a network's pass, for a file with the attention of several
// layers, otherwise for the only attention. For a long text, nothing is kept whose size grows with the square of the
// length.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/tensor/tensor.h"
#include "core/compute/network/head_patterns.h"

namespace headlight {

class Trace;
struct NetworkRun;
struct TokenBatch;

/// Maximum number of rows and columns of a head's picture.
inline constexpr Index picture_side = 64;
/// With more tokens, no matrix over all tokens is kept.
inline constexpr Index most_mean_tokens = 1024;

/// The part of one layer's weights that is kept.
struct LayerSummary {
  Tensor pictures;  ///< [B, H, rows, cols]; the weights themselves up to picture_side tokens, otherwise pooled
                    ///< (core/rules/stage/pool.h)
  Tensor mean;      ///< [B, n_q, n_k], over the heads; undefined beyond most_mean_tokens
  std::vector<HeadPatterns> patterns;  ///< one per head, over the text; queries == 0 if the text is too long to measure
  Tensor entering, added;  ///< [B, n], ‖x‖₂ / √width of each token, for the input of the block and for what its
                           ///< attention adds; undefined outside of networks
};
/// Pictures of weights or contribution norms [B, H, n_q, n_k]: at most picture_side rows and columns each. Throws
/// Cancelled.
Tensor pictures_of(const Tensor& weights, const std::stop_token& stop = {});
/// The summary of weights [B, H, n_q, n_k]. Throws Cancelled.
LayerSummary summary_of(const Tensor& weights, const TokenBatch& queries, const TokenBatch& keys,
                        const std::stop_token& stop = {});
/// [B, n] of x [B, n, width]: ‖x‖₂ / √width.
Tensor sizes_of(const Tensor& x);

using WordLines = std::vector<std::vector<std::string>>;  ///< one line for each batch entry; empty without words

struct OverviewLayer {
  std::string layer;  ///< as in Scenario::layer: "3", "cross.0"
  bool cross = false;
  int stack = 0;  ///< layers of one stack are consecutive and have the same queries and keys
  LayerSummary summary;
  std::vector<bool> silent;                        ///< for each head: knocked out
  std::shared_ptr<const WordLines> queries, keys;  ///< never null
};
struct HeadOverview {
  std::vector<OverviewLayer> layers;
  Index chosen = 0;      ///< the layer of the trace
  bool network = false;  ///< each layer's output is the next one's input
  Tensor
      leaving;  ///< [B, n] as LayerSummary::entering, for the output of the last block; undefined outside of networks

  Index heads() const;  ///< the largest number of heads in a layer
  /// The means of the layers of `layer`'s stack up to this layer, for one batch entry, for rollout(); empty if one is
  /// not kept.
  std::vector<Tensor> means_up_to(Index layer, Index batch) const;
};

/// The overview of a pass with RunOptions::summaries; `layer` is the selected layer.
HeadOverview overview_of(const NetworkRun& pass, const std::string& layer);
/// The overview of a trace; null if it has no weights. Throws Cancelled.
std::shared_ptr<const HeadOverview> overview_of(const Trace& trace, const std::stop_token& stop = {});

}  // namespace headlight
