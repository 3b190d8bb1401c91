// The layers around attention: norms, activations, sums. Inputs are tensors [B, n, d].
#pragma once

#include <span>

#include "core/compute/attention/workers.h"
#include "core/models/architecture/network_spec.h"

namespace headlight {

/// The parameters of a norm. An undefined weight is one, an undefined bias zero.
struct Norm {
  NormKind kind = NormKind::none;
  Tensor weight, bias;  ///< [d]; for "weight + 1", the 1 is already added
  double epsilon = 1e-5;
};

/// For each row x over d: (x − mean) / √(variance + ε) · weight + bias, or x / √(mean(x²) + ε) · weight; x unchanged
/// for no norm.
Tensor normalise(const Tensor& x, const Norm& norm, const Workers& workers = {});

/// Hendrycks & Gimpel 2016 and its tanh form, x·sigmoid(1.702 x), max(0, x), x·sigmoid(x), …
float activate(float x, Activation activation);
Tensor activate(const Tensor& x, Activation activation, const Workers& workers = {});
/// act(gate) · up, of equal shapes.
Tensor gated(const Tensor& gate, const Tensor& up, Activation activation, const Workers& workers = {});
/// The same with gate and up clamped as MlpSpec::limit requires.
Tensor gated_within(const Tensor& gate, const Tensor& up, double limit, const Workers& workers = {});

/// The share of each expert for each token, from a router's logits [B, n, experts]; 0 for experts that were not chosen.
/// `correction` is empty or [experts].
Tensor shares_of_experts(const Tensor& logits, const MixtureSpec& spec, std::span<const float> correction = {});

/// a + factor · b
Tensor plus(const Tensor& a, const Tensor& b, double factor = 1);
Tensor times(const Tensor& a, double factor);
/// Concatenates [B, n, a] and [B, n, b] to [B, n, a + b].
Tensor joined_columns(const Tensor& left, const Tensor& right);

}  // namespace headlight
