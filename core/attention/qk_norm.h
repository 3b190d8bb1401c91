// QK-norm: queries and keys of each head normalised before their product.
#pragma once

#include "core/attention/workers.h"
#include "core/scenario/inputs.h"
#include "core/tensor/exact.h"

namespace headlight {

inline constexpr double l2_epsilon = 1e-12;  ///< as in torch.nn.functional.normalize

/// How queries or keys are normalised. `gain`, where defined, is learned and comes after, then the bias: [d], the same
/// for every head (Qwen3, Gemma 3), or [H·d], a row for each head (Command R), or where the mean is over all heads of a
/// position together (OLMo 2).
struct HeadNorm {
  QkNorm kind = QkNorm::rms;
  Exact<double> epsilon = rms_epsilon;  ///< of rms and layer
  Exact<Tensor> gain{};
  bool over_all_heads = false;
  Exact<Tensor> bias{};  ///< of layer

  bool operator==(const HeadNorm&) const = default;

  /// What number `channel` of a head of d numbers is multiplied by, and what is added to it then.
  double gain_of(Index head, Index channel, Index d) const;
  double bias_of(Index head, Index channel, Index d) const;
};

/// [B, H, n, d] → the same shape, each row x over d, or over H·d, becoming
///   rms  x / √(mean(x²) + ε) · gain      (Zhang & Sennrich 2019)
///   l2   x / max(‖x‖₂, l2_epsilon)       (Henry et al. 2020)
///   layer  (x − mean(x)) / √(var(x) + ε) · gain + bias   (Dehghani et al. 2023; timm)
Tensor normalise_heads(const Tensor& heads, const HeadNorm& norm, const Workers& workers = {});

/// What is taken away from a row, and what it is divided by then.
struct RowNorm {
  double mean = 0, divisor = 1;
};
RowNorm norm_of_row(const Tensor& heads, const HeadNorm& norm, Index batch, Index head, Index row);

}  // namespace headlight
