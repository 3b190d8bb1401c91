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
  Index first = 0;        ///< the first position that is read; earlier ones are outside of the window or chunk
  Index numbers = 0;      ///< kept for each position: keys and values of each key/value head, or the latent
  Index as_mha = 0;       ///< the same if each head had its own keys and values
  bool windowed = false;  ///< what lies before `first` is forgotten
};

/// For each self-attention of the stack that writes: the step that reads the word at `position` and predicts the next.
/// Empty if the network does not write.
std::vector<DecodeLayer> decode_step(const Network& network, Index position);
/// "GQA 8/32", key/value heads and query heads.
std::string name_of(const DecodeLayer& layer);

}  // namespace headlight
