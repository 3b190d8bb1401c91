// What a network of pictures reads: patches in place of words.
#pragma once

#include <string>

#include "core/network/network.h"

namespace headlight {

/// Of files, one a line; of "" a drawn picture. Throws FileError.
NetworkText read_pictures(const NetworkSpec& spec, const std::string& files);
/// Of pixels [B, channels, height, width] that are prepared. Tokens are called cls (and as the network's others are),
/// then "row,column" of each patch.
NetworkText text_of_pixels(const NetworkSpec& spec, Tensor pixels);
/// [B, rows · columns, channels · patch²] of [B, channels, rows · patch, columns · patch], row by row.
Tensor patches_of(const Tensor& pixels, Index patch);

}  // namespace headlight
