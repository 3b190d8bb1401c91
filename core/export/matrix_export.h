// One matrix as a file of its own: as a picture or as numbers, the same as `headlight render` makes.
#pragma once

#include <filesystem>

#include "core/export/stage_figure.h"

namespace headlight {

enum class MatrixFormat : std::uint8_t { png, svg, csv, npy };

/// Writes the one matrix of `cut` into `folder` under its matrix_name() or, where that is taken, with a number after
/// it: never over another file, and whole or not at all. Gives the file's path. Throws FileError, and what drawing a
/// figure throws.
std::filesystem::path export_matrix(const StageCut& cut, MatrixFormat format, const StageFigureStyle& style,
                                    const std::filesystem::path& folder);

}  // namespace headlight
