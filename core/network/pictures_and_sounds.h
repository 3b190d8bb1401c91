// The input of networks that read no words: patches of pictures, log-mel spectrograms of sounds.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/network/network.h"

namespace headlight {

/// The path of a picture: "model:shapes/cross.png" comes with that model. Throws FileError.
std::filesystem::path picture_place(const std::string& file);
/// Of files, one a line; of "" a drawn picture. Throws FileError.
NetworkText read_pictures(const NetworkSpec& spec, const std::string& files);
/// Of pixels [B, channels, height, width] that are prepared. Tokens are called cls (and as the network's others are),
/// then "row,column" of each patch.
NetworkText text_of_pixels(const NetworkSpec& spec, Tensor pixels);
/// What stands in the place of words: numbers with the batch first, and a token for each part of an entry.
NetworkText text_of_numbers(Tensor numbers, std::vector<Token> tokens);
/// A table of positions [1, first + n, d] for another grid than it is of: as PyTorch's interpolate, bicubic without
/// antialiasing (Keys 1981, a = −3/4); the first rows stay.
Tensor resampled_positions(const Tensor& table, Index first, const PictureSpec& picture);
/// [B, rows · columns, channels · patch²] of [B, channels, rows · patch, columns · patch], row by row.
Tensor patches_of(const Tensor& pixels, Index patch);

/// The texts that CLIP and SigLIP compare a picture with: makes `lines`, read by the tower of ContrastSpec::texts, the
/// labels of the image tower: rows of its output table, held by the checkpoint. Throws SettingError.
void give_texts(const Network& tower, const std::vector<std::string>& lines, Checkpoint& checkpoint, NetworkSpec& spec);

// Sounds are given as arrays in files.

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
