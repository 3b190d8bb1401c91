// The score-shaped stages, all at once: scores → scaled → capped → biased → masked → weights → dropped → head outputs,
// for one block of rows after the other while it is in cache. Each stage is written once to memory and read by none of
// the next.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/attention/workers.h"
#include "core/scenario/scenario.h"
#include "core/stage/stage.h"
#include "core/tensor/exact.h"

namespace headlight {

// What each stage is computed by: its kernel's argument, and its key in the cache of the last run (core/run/trace.h).
struct ScaleParameters {
  Exact<float> scale = 1;
  bool operator==(const ScaleParameters&) const = default;
};
struct CapParameters {
  Exact<float> cap;  ///< c · tanh(s / c)
  bool operator==(const CapParameters&) const = default;
};
/// Added to the scores: by the distance k − q (core/position/relative_bias.h), and as a file has it.
struct BiasParameters {
  Exact<Tensor> bias{};      ///< broadcast to [B, H, n_q, n_k] by NumPy's rule; undefined: none
  Exact<Tensor> t5_table{};  ///< [H, buckets]; undefined: none
  bool alibi = false;
  bool t5_bidirectional = true;
  Index query_offset = 0;  ///< the position of query 0

  bool any() const { return alibi || t5_table.defined() || bias.defined(); }
  /// ALiBi's and T5's, each [H, n_q + n_k − 1] by k − q + n_q − 1, for scores [B, H, n_q, n_k].
  std::vector<Tensor> by_distance(const Shape& scores) const;
  bool operator==(const BiasParameters&) const = default;
};
struct FillParameters {
  Exact<float> fill = 0;
  MaskMode mode = MaskMode::fill;
  bool operator==(const FillParameters&) const = default;
};
struct SoftmaxParameters {
  Exact<Tensor> sink_logits{};  ///< [H]; undefined: none
  DeadRow dead_row = DeadRow::from_fill;
  bool operator==(const SoftmaxParameters&) const = default;
};
struct DropoutParameters {
  Exact<Tensor> keep{};  ///< [B, H, n_q, n_k], 0 = dropped
  Exact<float> p = 0;
  bool operator==(const DropoutParameters&) const = default;
};

/// What the stages are made from. A step whose part is absent is not taken.
struct ScoreSteps {
  Tensor queries, keys;  ///< [B, H, n_q, d], [B, G, n_k, d]: scores = Q_h K_gᵀ, g = ⌊h / (H/G)⌋ (Vaswani et al. 2017,
                         ///< eq. 1; grouped heads: Ainslie et al. 2023)
  std::optional<ScaleParameters> scale;  ///< scaled_scores; nothing where the queries were scaled
  std::optional<CapParameters> cap;      ///< capped_scores; c > 0 (Bello et al. 2016; Gemma 2)
  std::optional<BiasParameters> bias;    ///< biased_scores
  Tensor mask;                           ///< masked_scores: [B, H, n_q, n_k], 0 = may not attend
  FillParameters fill;
  SoftmaxParameters softmax;                 ///< weights
  std::optional<DropoutParameters> dropout;  ///< dropped_weights
  Tensor values;                             ///< head_outputs: [B, G, n_k, d_v]

  /// Whether there is a step that gives the stage.
  bool has(Stage stage) const;
  /// The stages that are stored; others are passed through in cache alone. Unset: all.
  std::optional<std::vector<Stage>> stored{};
  bool stores(Stage stage) const;
  void take(const ScaleParameters& parameters) { scale = parameters; }
  void take(const CapParameters& parameters) { cap = parameters; }
  void take(const BiasParameters& parameters) { bias = parameters; }
  void take(const FillParameters& parameters) { fill = parameters; }
  void take(const SoftmaxParameters& parameters) { softmax = parameters; }
  void take(const DropoutParameters& parameters) { dropout = parameters; }
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

/// s → s · scale, any rank-4 shape.
Tensor scale_scores(const Tensor& scores, const ScaleParameters& parameters, const Workers& workers = {});

/// scores where mask, else the fill: [B, H, n_q, n_k]. As torch.where, so that a NaN under the mask is gone; with
/// MaskMode::add scores + fill, where it stays.
Tensor apply_mask(const Tensor& scores, const Tensor& mask, const FillParameters& parameters,
                  const Workers& workers = {});

}  // namespace headlight
