// The input of networks that read pictures: patches of their pixels.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/compute/network/network.h"

namespace headlight {

/// The path of a picture; "model:shapes/cross.png" is shipped with that model. Throws FileError.
std::filesystem::path picture_place(const std::string& file);
/// Reads one file per line; "" is a drawn picture. Throws FileError.
NetworkText read_pictures(const NetworkSpec& spec, const std::string& files);
/// The input for prepared pixels [B, channels, height, width]. The tokens are named cls (and like the network's other
/// extra tokens), then "row,column" for each patch.
NetworkText text_of_pixels(const NetworkSpec& spec, Tensor pixels);
/// A table of positions [1, first + n, d], resampled to another grid like PyTorch's interpolate: bicubic without
/// antialiasing (Keys 1981, a = −3/4); the first rows stay.
Tensor resampled_positions(const Tensor& table, Index first, const PictureSpec& picture);
/// [B, rows · columns, channels · patch²] from [B, channels, rows · patch, columns · patch], row by row.
Tensor patches_of(const Tensor& pixels, Index patch);

/// The texts that CLIP and SigLIP compare a picture with: `lines`, encoded by the tower of ContrastSpec::texts, become
/// the labels of the image tower, as rows of its output table, which the checkpoint holds. Throws SettingError.
void give_texts(const Network& tower, const std::vector<std::string>& lines, Checkpoint& checkpoint, NetworkSpec& spec);

}  // namespace headlight
