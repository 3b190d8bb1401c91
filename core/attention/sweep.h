// The score-shaped stages, all at once: scores → scaled → capped → biased → masked → weights → dropped → head outputs,
// for one block of rows after the other while it is in cache. Each stage is written once to memory and read by none of
// the next.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "core/attention/workers.h"
#include "core/scenario/scenario.h"
#include "core/stage/stage.h"

namespace headlight {

inline constexpr float infinity = std::numeric_limits<float>::infinity();

/// What the stages are made from. A step whose part is absent is not taken.
struct ScoreSteps {
  Tensor queries, keys;             ///< [B, H, n_q, d], [B, G, n_k, d]: scores = Q_h K_gᵀ, g = ⌊h / (H/G)⌋
  std::optional<float> scale;       ///< scaled_scores; nothing where the queries were scaled
  std::optional<float> cap;         ///< capped_scores: c · tanh(s / c)
  std::vector<Tensor> by_distance;  ///< biased_scores: each [H, n_q + n_k − 1], by k − q + n_q − 1
  Tensor bias;                      ///< biased_scores: broadcast to [B, H, n_q, n_k]
  Tensor mask;                      ///< masked_scores: [B, H, n_q, n_k], 0 = may not attend
  float fill = 0;
  bool adds_fill = false;  ///< to the score, instead of taking its place
  Tensor sink_logits;      ///< weights: [H]
  DeadRow dead_row = DeadRow::from_fill;
  Tensor keep;  ///< dropped_weights: [B, H, n_q, n_k], 0 = dropped
  float dropout = 0;
  Tensor values;  ///< head_outputs: [B, G, n_k, d_v]
  /// Whether there is a step that gives the stage.
  bool has(Stage stage) const;
  /// The stages that are stored; others are passed through in cache alone. Unset: all.
  std::optional<std::vector<Stage>> stored{};
  bool stores(Stage stage) const;
};

/// By static_cast<std::size_t>(stage); undefined where there was no such step.
struct SweptStages {
  std::array<Tensor, stage_count> tensors;
  std::array<double, stage_count> milliseconds{};  ///< the time of the whole, shared out as the threads spent it
  const Tensor& operator[](Stage stage) const { return tensors[static_cast<std::size_t>(stage)]; }
};

/// The steps that give `first` … `last`. `before` is the stage that the first of them begins with, [B, H, n_q, n_k];
/// for Stage::scores it is not looked at. The numbers are the same however the stages are divided among calls, and for
/// any number of threads. Throws Cancelled.
SweptStages sweep(const ScoreSteps& steps, Stage first, Stage last, const Tensor& before, const Workers& workers = {});

}  // namespace headlight
