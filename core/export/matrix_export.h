// What the window gives out as text or as a file: one matrix, or a mask in code.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/export/stage_figure.h"
#include "core/run/trace.h"

namespace headlight {

enum class MatrixFormat : std::uint8_t { png, svg, csv, npy };

/// Writes the one matrix of `cut` into `folder` under its matrix_name() or, where that is taken, with a number after
/// it: never over another file, and whole or not at all. Gives the file's path. Throws FileError, and what drawing a
/// figure throws.
std::filesystem::path export_matrix(const StageCut& cut, MatrixFormat format, const StageFigureStyle& style,
                                    const std::filesystem::path& folder);

enum class MaskFormat : std::uint8_t {
  npy,
  npz,  ///< bool: [n_q, n_k], with axes for heads and batch in front if the mask differs between them
  csv,
  png,  ///< one matrix: a line or a row of pixels for each query
  pytorch,
  flex_attention,
  numpy  ///< code
};

/// Whether it is text for the clipboard.
inline bool is_code(MaskFormat format) { return format >= MaskFormat::pytorch; }

/// Throws ExpressionError where to_code() does. Without a mask: one that allows all.
std::string mask_code(const Trace& trace, MaskFormat format);
/// Writes "mask.npy" or, where that is taken, with a number after it; gives the path. Throws FileError.
std::filesystem::path export_mask(const Trace& trace, Index batch, Index head, MaskFormat format,
                                  const std::filesystem::path& folder);

}  // namespace headlight
