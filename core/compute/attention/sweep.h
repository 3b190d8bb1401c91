// All score-shaped stages in one pass: scores → scaled → capped → biased → masked → weights → dropped → head outputs,
// for one block of rows at a time while it is in the cache. Each stage is written to memory once and is not read back
// for the next.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/tensor/exact.h"
#include "core/compute/attention/workers.h"
#include "core/rules/stage/stage.h"
#include "core/scenario/settings/scenario.h"

namespace headlight {

// The parameters of each stage: its kernel's argument and its key in the cache of the last run
// (core/compute/run/trace.h).
struct ScaleParameters {
  Exact<float> scale = 1;
  bool operator==(const ScaleParameters&) const = default;
};
struct CapParameters {
  Exact<float> cap;  ///< c · tanh(s / c)
  bool operator==(const CapParameters&) const = default;
};
/// A term that is added to the scores [B, H, n_q, n_k]; which there are, is in core/compute/run/score_terms.h.
struct AddedTerm {
  /// [H, n_q + n_k − 1], indexed by k − q + n_q − 1; if not by distance, broadcast to the scores by NumPy's rule.
  Exact<Tensor> values{};
  bool by_distance = false;
  std::string_view name{};
  bool operator==(const AddedTerm&) const = default;
};
struct AddedTerms {
  std::vector<AddedTerm> terms{};  ///< in the order in which they are added
  bool operator==(const AddedTerms&) const = default;
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

/// The sources and parameters of the stages. A step without parameters is skipped.
struct ScoreSteps {
  Tensor queries, keys;  ///< [B, H, n_q, d], [B, G, n_k, d]: scores = Q_h K_gᵀ, g = ⌊h / (H/G)⌋ (Vaswani et al. 2017,
                         ///< eq. 1; grouped heads: Ainslie et al. 2023)
  std::optional<ScaleParameters> scale;  ///< scaled_scores; unset if the queries were scaled
  std::optional<CapParameters> cap;      ///< capped_scores; c > 0 (Bello et al. 2016; Gemma 2)
  std::optional<AddedTerms> added;       ///< biased_scores
  Tensor mask;                           ///< masked_scores: [B, H, n_q, n_k], 0 = may not attend
  FillParameters fill;
  SoftmaxParameters softmax;                 ///< weights
  std::optional<DropoutParameters> dropout;  ///< dropped_weights
  Tensor values;                             ///< head_outputs: [B, G, n_k, d_v]

  /// Whether there is a step that computes the stage.
  bool has(Stage stage) const;
  /// The stages to store; the others are only passed on in the cache. Unset: all.
  std::optional<std::vector<Stage>> stored{};
  bool stores(Stage stage) const;
  void take(const ScaleParameters& parameters) { scale = parameters; }
  void take(const CapParameters& parameters) { cap = parameters; }
  void take(const AddedTerms& parameters) { added = parameters; }
  void take(const FillParameters& parameters) { fill = parameters; }
  void take(const SoftmaxParameters& parameters) { softmax = parameters; }
  void take(const DropoutParameters& parameters) { dropout = parameters; }
};

/// Indexed by static_cast<std::size_t>(stage); undefined for steps that were skipped.
struct SweptStages {
  std::array<Tensor, stage_count> tensors;
  std::array<double, stage_count>
      milliseconds{};  ///< the total time, divided according to the time that the threads spent on each stage
  const Tensor& operator[](Stage stage) const { return tensors[static_cast<std::size_t>(stage)]; }
};

/// Computes the steps `first` … `last`. `before` is the stage that the first step starts from, [B, H, n_q, n_k]; unused
/// for Stage::scores. The numbers depend neither on how the stages are divided among calls nor on the number of
/// threads. Throws Cancelled.
SweptStages sweep(const ScoreSteps& steps, Stage first, Stage last, const Tensor& before, const Workers& workers = {});

/// s → s · scale, any rank-4 shape.
Tensor scale_scores(const Tensor& scores, const ScaleParameters& parameters, const Workers& workers = {});

/// scores where the mask is true, else the fill: [B, H, n_q, n_k]. Like torch.where, this removes a NaN under the mask;
/// with MaskMode::add the result is scores + fill, which keeps it.
Tensor apply_mask(const Tensor& scores, const Tensor& mask, const FillParameters& parameters,
                  const Workers& workers = {});

}  // namespace headlight
