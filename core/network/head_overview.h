// Every head of every layer at a glance: a small picture of its weights and what it does with its attention.
//
// The engine makes it with the trace (Trace::overview): for a network's pass, for a file with the attention of several
// layers, else for the only attention. For a long text it keeps nothing that grows with the square of its
// length.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/network/head_patterns.h"
#include "core/tensor/tensor.h"

namespace headlight {

class Trace;
struct NetworkRun;
struct TokenBatch;

/// Rows and columns of a head's picture, at most.
inline constexpr Index picture_side = 64;
/// With more tokens, no matrix over all tokens is kept.
inline constexpr Index most_mean_tokens = 1024;

/// What is kept of one layer's weights.
struct LayerSummary {
  Tensor pictures;  ///< [B, H, rows, cols]; of up to picture_side tokens the weights themselves, else pooled
                    ///< (core/stage/pool.h)
  Tensor mean;      ///< [B, n_q, n_k], over the heads; undefined beyond most_mean_tokens
  std::vector<HeadPatterns>
      patterns;            ///< one a head, over the text; queries == 0 where the text is too long to measure
  Tensor entering, added;  ///< [B, n], ‖x‖₂ / √width of each token: what enters the block, what its attention adds;
                           ///< undefined outside of networks
};
/// Of weights or contribution norms [B, H, n_q, n_k]: at most picture_side rows and columns of each. Throws
/// Cancelled.
Tensor pictures_of(const Tensor& weights, const std::stop_token& stop = {});
/// Of weights [B, H, n_q, n_k]. Throws Cancelled.
LayerSummary summary_of(const Tensor& weights, const TokenBatch& queries, const TokenBatch& keys,
                        const std::stop_token& stop = {});
/// [B, n] of x [B, n, width]: ‖x‖₂ / √width.
Tensor sizes_of(const Tensor& x);

using WordLines = std::vector<std::vector<std::string>>;  ///< one line for each batch entry; empty without words

struct OverviewLayer {
  std::string layer;  ///< as in Scenario::layer: "3", "cross.0"
  bool cross = false;
  int stack = 0;  ///< layers of one stack follow each other, and have the same queries and keys
  LayerSummary summary;
  std::vector<bool> silent;                        ///< for each head: knocked out
  std::shared_ptr<const WordLines> queries, keys;  ///< never null
};
struct HeadOverview {
  std::vector<OverviewLayer> layers;
  Index chosen = 0;      ///< the layer that the trace shows
  bool network = false;  ///< each layer's output is the next one's input
  Tensor leaving;  ///< [B, n] as LayerSummary::entering, what leaves the last block; undefined outside of networks

  Index heads() const;  ///< of the layer with most of them
  /// The means of the layers of `layer`'s stack up to it, one batch entry each, for rollout(); empty where one is not
  /// kept.
  std::vector<Tensor> means_up_to(Index layer, Index batch) const;
};

/// Of a pass with RunOptions::summaries; the layer looked at by name.
HeadOverview overview_of(const NetworkRun& pass, const std::string& layer);
/// Of a trace; null where it has no weights. Throws Cancelled.
std::shared_ptr<const HeadOverview> overview_of(const Trace& trace, const std::stop_token& stop = {});

}  // namespace headlight
