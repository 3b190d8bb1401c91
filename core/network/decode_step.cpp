#include "core/network/decode_step.h"

#include <algorithm>

namespace headlight {
namespace {

DecodeLayer layer_at(const NetworkLayer& at, const AttentionSpec& spec) {
  DecodeLayer made{at.layer, KeysShared::mha, spec.heads, spec.kv_heads, spec.window, spec.chunk};
  const Index d_value = spec.latent ? spec.latent->value : spec.d_head;
  made.as_mha = spec.heads * (spec.d_head + d_value);
  made.numbers = spec.kv_heads * (spec.d_head + d_value);
  if (spec.latent) {
    made.shared = KeysShared::mla;
    made.numbers = spec.latent->kept();
  } else if (spec.kv_heads < spec.heads) {
    made.shared = spec.kv_heads == 1 ? KeysShared::mqa : KeysShared::gqa;
  }
  return made;
}

}  // namespace

Index DecodeLayer::first(Index position) const {
  if (chunk > 0) return position / chunk * chunk;
  return window > 0 ? std::max<Index>(0, position - window + 1) : 0;
}

std::vector<DecodeLayer> decode_layers(const Network& network) {
  const NetworkSpec& spec = network.spec();
  const bool writes = !spec.masked && !spec.takes_tensors && !spec.picture && spec.head.output.there();
  std::vector<DecodeLayer> layers;
  for (const NetworkLayer& at : network.layers()) {
    if (!writes || at.cross || at.stack + 1 != std::ssize(spec.stacks)) continue;
    const BlockSpec& block = spec.stacks.back().blocks[static_cast<std::size_t>(at.block)];
    if (!block.attention.causal) return {};
    layers.push_back(layer_at(at, block.attention));
  }
  return layers;
}

std::string name_of(const DecodeLayer& layer) {
  const std::string heads = std::to_string(layer.heads);
  switch (layer.shared) {
    case KeysShared::mha: return "MHA " + heads;
    case KeysShared::gqa: return "GQA " + std::to_string(layer.kv_heads) + "/" + heads;
    case KeysShared::mqa: return "MQA 1/" + heads;
    case KeysShared::mla: return "MLA";
  }
  return {};
}

}  // namespace headlight
