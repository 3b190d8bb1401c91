// What a checkpoint holds and its network, as config.json describes it, does not use.
#pragma once

#include <string>

#include "core/network/checkpoint.h"
#include "core/network/network_spec.h"

namespace headlight {

/// "\"model.layers.0.self_attn.q_norm.weight\" and 11 more": arrays under `prefix` that no part of the network is made
/// of; "" for none. Buffers that say nothing new are not counted: causal masks, rotary frequencies, positions' numbers,
/// poolers, a head that is tied to the embedding. Throws FileError for an adapter, which changes the weights beside it.
std::string unused_arrays(const NetworkSpec& spec, const Checkpoint& checkpoint, const std::string& prefix);

}  // namespace headlight
