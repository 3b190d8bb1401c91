// Every head of every layer at a glance: a small picture of its weights and what it does with its attention.
//
// Made by the engine together with the trace (Trace::overview): of a network's pass, of a file that holds the attention
// of several layers, else of the one attention that there is. It keeps nothing that grows with the square of a long
// text.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/network/head_pattern.h"
#include "core/tensor/tensor.h"

namespace headlight {

class Trace;
struct NetworkRun;
struct TokenBatch;

/// Rows and columns of a head's picture, at most.
inline constexpr Index picture_side = 64;
/// Tokens beyond which no matrix over all of them is kept for all layers together.
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
/// Of weights, or of what they bring, [B, H, n_q, n_k]: at most picture_side rows and columns of each. Throws
/// Cancelled.
Tensor pictures_of(const Tensor& weights, const std::stop_token& stop = {});
/// Of weights [B, H, n_q, n_k]. Throws Cancelled.
LayerSummary summary_of(const Tensor& weights, const TokenBatch& queries, const TokenBatch& keys,
                        const std::stop_token& stop = {});
/// [B, n] of x [B, n, width]: ‖x‖₂ / √width.
Tensor sizes_of(const Tensor& x);

using WordLines = std::vector<std::vector<std::string>>;  ///< a line a batch entry; empty where there are no words

struct OverviewLayer {
  std::string layer;  ///< as Scenario::layer says it: "3", "cross.0"
  bool cross = false;
  int stack = 0;  ///< layers of one stack follow each other, and have the same queries and keys
  LayerSummary summary;
  std::vector<bool> silent;                        ///< a head each: knocked out
  std::shared_ptr<const WordLines> queries, keys;  ///< never null
};
struct HeadOverview {
  std::vector<OverviewLayer> layers;
  Index chosen = 0;      ///< the layer that the trace is of
  bool network = false;  ///< the layers give each other their inputs
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
