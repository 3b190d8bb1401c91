// The layers around attention: norms, activations, sums. Tensors [B, n, d] in, a tensor out.
#pragma once

#include <span>

#include "core/architecture/network_spec.h"
#include "core/attention/workers.h"

namespace headlight {

/// A norm's numbers. Undefined weight and bias are one and zero.
struct Norm {
  NormKind kind = NormKind::none;
  Tensor weight, bias;  ///< [d]; what "weight + 1" means has been done
  double epsilon = 1e-5;
};

/// Each row x over d: (x − mean) / √(variance + ε) · weight + bias, or x / √(mean(x²) + ε) · weight; x itself for none.
Tensor normalise(const Tensor& x, const Norm& norm, const Workers& workers = {});

/// Hendrycks & Gimpel 2016 and its tanh form, x·sigmoid(1.702 x), max(0, x), x·sigmoid(x), …
float activate(float x, Activation activation);
Tensor activate(const Tensor& x, Activation activation, const Workers& workers = {});
/// act(gate) · up, of equal shapes.
Tensor gated(const Tensor& gate, const Tensor& up, Activation activation, const Workers& workers = {});
/// The same of g and u as MlpSpec::limit says.
Tensor gated_within(const Tensor& gate, const Tensor& up, double limit, const Workers& workers = {});

/// The share of each expert for each token by a router's logits [B, n, experts], 0 of those not chosen. `correction` is
/// empty or [experts].
Tensor shares_of_experts(const Tensor& logits, const MixtureSpec& spec, std::span<const float> correction = {});

/// a + factor · b
Tensor plus(const Tensor& a, const Tensor& b, double factor = 1);
Tensor times(const Tensor& a, double factor);
/// [B, n, a] and [B, n, b] as [B, n, a + b].
Tensor beside(const Tensor& left, const Tensor& right);

/// [n, d]: sin(i · 10000^(−2j/d)) in the first half of the channels, cos in the second, as Marian has them.
Tensor marian_sinusoids(Index positions, Index d);

}  // namespace headlight
