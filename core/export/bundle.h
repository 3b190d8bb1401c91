// Bundle: a figure with everything needed to check it without Headlight, in one folder or zip.
//
//   figure.png figure.svg figure.pdf   the picture
//   data.npy, data.csv        its numbers (.csv for one matrix)
//   scenario.json             opens in Headlight; a tensor file that it names lies beside it, up to 64 MB
//   inputs.npz trace.npz      what went in; every stage, and the parameters
//   reproduce.py              computes the trace from the inputs with PyTorch and checks every stage
//   reproduce_numpy.py        the same with NumPy
//
// For several layers, inputs.npz, trace.npz and the scripts are in a folder for each, layers/N; for rollout and flow,
// means.npz has the layers' averages, and reproduce_numpy.py computes data.npy from them.
#pragma once

#include <filesystem>

#include "core/export/export_options.h"

namespace headlight {

/// Writes a zip where `target` ends in .zip, else a folder, whole or not at all; a zip of that name is replaced, a
/// folder must not exist or be empty. Throws FileError "TARGET: cannot be written: …", and SettingError as figure_for()
/// does (core/export/layers_figure.h).
void write_bundle(const std::filesystem::path& target, const Trace& trace, const ExportOptions& options);

}  // namespace headlight
