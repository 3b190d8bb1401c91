// Weights that a PyTorch module computes from other arrays of its state dict: by weight_norm, spectral_norm and
// pruning.
#pragma once

#include "core/base/arrays/array_contents.h"
#include "core/base/files/error_place.h"

namespace headlight {

/// The contents with "q.weight" in place of the arrays from which torch.nn.utils computes it:
///   weight_norm    q.weight_g, q.weight_v, or q.parametrizations.weight.original0 and original1
///   spectral_norm  q.weight_orig, q.weight_u, q.weight_v, or q.parametrizations.weight.original, 0._u and 0._v
///   prune          q.weight_orig, q.weight_mask
/// Arrays whose shapes do not fit stay as they are. Numbers are computed when the weight is read.
ArrayContents with_computed_weights(ArrayContents contents, const ErrorPlace& place);

}  // namespace headlight
