// Rollout or flow as a short Python script that computes it from the layers' averages.
#pragma once

#include <string>
#include <vector>

#include "core/export/export_options.h"

namespace headlight {

/// The script of a bundle of rollout or flow. It reads means.npz ("layers.N" for each of `layers`, first to last) and
/// data.npy beside it, and exits with 1 if they differ by more than 1e-5 + 1e-4·|b|. Needs only NumPy.
std::string layers_script(const ExportOptions& options, const std::vector<std::string>& layers);

}  // namespace headlight
