// What a network that reads sounds is given: log-mel spectrograms, as arrays in files.
#pragma once

#include <string>
#include <vector>

#include "core/network/network.h"

namespace headlight {

/// In the place of a file: what Whisper's feature extractor makes of no sound at all.
inline const std::string silence = "silence";

/// Of files (.npy, .npz, .pt, .safetensors), one or more batch entries each: [bands, frames] or [B, bands, frames], the
/// only array or "input_features". Tokens are called by the second at which they begin. Throws FileError.
NetworkText read_sounds(const SoundSpec& spec, const std::vector<std::string>& files);
/// The same of one array [B, bands, frames].
NetworkText text_of_sound(const SoundSpec& spec, Tensor bands);
/// x [B, n, c] as [B, ⌈n / stride⌉, c · 3]: of every stride-th row each channel before, at and after it, 0 beyond the
/// ends. What a convolution over time with a kernel of 3 is the product with.
Tensor neighbours_of(const Tensor& x, Index stride);

}  // namespace headlight
