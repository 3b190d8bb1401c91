// The texts that CLIP and SigLIP compare a picture with: its labels.
#pragma once

#include "core/network/network.h"

namespace headlight {

/// Makes `lines`, read by the tower of ContrastSpec::texts, the labels of the image tower: rows of its output table,
/// held by the checkpoint. Throws SettingError.
void give_texts(const Network& tower, const std::vector<std::string>& lines, Checkpoint& checkpoint, NetworkSpec& spec);

}  // namespace headlight
