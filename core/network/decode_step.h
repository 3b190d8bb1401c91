// One step of writing: which keys and values of earlier positions it reads, which it adds, and how many bytes these
// are, by the kind of attention of each layer.
#pragma once

#include <string>
#include <vector>

#include "core/network/network.h"

namespace headlight {

/// Who shares keys and values: nobody, groups of heads, all heads, or all heads one latent that they are made of.
enum class KeysShared : std::uint8_t { mha, gqa, mqa, mla };

struct DecodeLayer {
  std::string layer;  ///< "3", "decoder.3"
  KeysShared shared = KeysShared::mha;
  Index heads = 1, kv_heads = 1;
  Index first = 0;        ///< the first position that is read; those before lie outside of its window or chunk
  Index numbers = 0;      ///< that are kept of one position: keys and values of each key/value head, or the latent
  Index as_mha = 0;       ///< as many as there were if each head had keys and values of its own
  bool windowed = false;  ///< what lies before `first` is forgotten
};

/// Of the stack that writes, its self-attentions, for the step that reads the word at `position` and says the next.
/// Empty where the network does not write.
std::vector<DecodeLayer> decode_step(const Network& network, Index position);
/// "GQA 8/32", the key/value heads and the heads that they are for.
std::string name_of(const DecodeLayer& layer);

}  // namespace headlight
