// Tensors of a checkpoint as layers take them.
#pragma once

#include "core/network/checkpoint.h"
#include "core/network/layers.h"
#include "core/network/network_spec.h"

namespace headlight {

/// weight [out, in], possibly a view with other strides; undefined where there is none.
struct Linear {
  Tensor weight, bias;
};

Linear read_linear(const Checkpoint& checkpoint, const LinearSpec& spec);
Norm read_norm(const Checkpoint& checkpoint, const NormSpec& spec);

/// T5's learned bias of each distance, [1, H, n_q, n_k] from the table [buckets, H] (Raffel et al. 2020).
Tensor relative_bias(const Checkpoint& checkpoint, const RelativeSpec& spec, Index n_q, Index n_k);
/// The bucket of distance k − q.
Index relative_bucket(Index distance, const RelativeSpec& spec);

}  // namespace headlight
