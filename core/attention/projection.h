// Linear projections: Q, K, V and the output.
#pragma once

#include "core/attention/workers.h"

namespace headlight {

/// x [B, n, in] · weightᵀ [in, out] + bias [out] → [B, n, out], nn.Linear's layout of the weight, [out, in].
/// Q_i = x W_qᵀ + b_q and so on (Vaswani et al. 2017, §3.2.2). An undefined weight stands for the identity, an
/// undefined bias for zero; without both the result is `x` itself.
Tensor project(const Tensor& x, const Tensor& weight, const Tensor& bias, const Workers& workers = {});

}  // namespace headlight
