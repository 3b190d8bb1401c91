// One step of generation: which keys and values of earlier positions each layer reads, which it adds, and their size
// in bytes.
#pragma once

#include <string>
#include <vector>

#include "core/network/network.h"

namespace headlight {

/// Which heads share keys and values: none, groups, all, or all share one latent from which they are computed.
enum class KeysShared : std::uint8_t { mha, gqa, mqa, mla };

struct DecodeLayer {
  std::string layer;  ///< "3", "decoder.3"
  KeysShared shared = KeysShared::mha;
  Index heads = 1, kv_heads = 1;
  Index window = 0, chunk = 0;  ///< as AttentionSpec has them; what lies before is forgotten
  Index numbers = 0;  ///< that are kept of one position: keys and values of each key/value head, or the latent
  Index as_mha = 0;   ///< as many as there were if each head had keys and values of its own
  /// The first position that the step for the word at `position` reads.
  Index first(Index position) const;
};

/// Of the stack that writes, its self-attentions. Empty where the network does not write.
std::vector<DecodeLayer> decode_layers(const Network& network);
/// "GQA 8/32", the key/value heads and the heads that they are for.
std::string name_of(const DecodeLayer& layer);

}  // namespace headlight
