// What the layers of a network give together, as a short Python script that makes it of their averages.
#pragma once

#include <string>
#include <vector>

#include "core/export/export_options.h"

namespace headlight {

/// The script of a bundle of rollout or flow. It reads means.npz ("layers.N" for each of `layers`, first to last) and
/// data.npy beside it, and exits with 1 where they differ by more than 1e-5 + 1e-4·|b|. Needs NumPy alone.
std::string layers_script(const ExportOptions& options, const std::vector<std::string>& layers);

}  // namespace headlight
