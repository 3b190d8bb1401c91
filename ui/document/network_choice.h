// What the view of a whole network shows: which of its heads, in which order, and what the layers give together.
#pragma once

#include <cstdint>
#include <optional>

#include "core/network/head_pattern.h"
#include "core/tensor/tensor.h"

namespace headlight {

/// What heads are ordered and marked by.
enum class HeadOrder : std::uint8_t { layer, habit, entropy, effect };
/// In place of the heads: one matrix made of all layers up to one (core/network/attention_flow.h), or what the network
/// would say if it ended after each layer (core/network/logit_parts.h).
enum class LayersTogether : std::uint8_t { none, mean, rollout, flow, lens };

struct NetworkChoice {
  std::optional<Index> layer, head;  ///< the head that is looked at; unset: the document's own
  HeadOrder order = HeadOrder::layer;
  std::optional<HeadPattern> habit;  ///< that heads are marked by; unset: each by its strongest
  LayersTogether together = LayersTogether::none;
  std::optional<Index> pointed;  ///< the word under the pointer, in what the residual and the prediction are told of
  bool operator==(const NetworkChoice&) const = default;
};

}  // namespace headlight
