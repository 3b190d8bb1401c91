// What the window copies as text or writes to a file: one matrix, or a mask as code.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/compute/run/trace.h"
#include "core/figures/export/stage_figure.h"

namespace headlight {

enum class MatrixFormat : std::uint8_t { png, svg, csv, npy };

/// Writes the one matrix of `cut` atomically into `folder` as matrix_name(), with a number appended if that exists:
/// never overwrites a file. Returns the file's path. Throws FileError, and what drawing a figure throws.
std::filesystem::path export_matrix(const StageCut& cut, MatrixFormat format, const StageFigureStyle& style,
                                    const std::filesystem::path& folder);

enum class MaskFormat : std::uint8_t {
  npy,
  npz,  ///< bool: [n_q, n_k], with axes for heads and batch in front if the mask differs between them
  csv,
  png,  ///< one matrix, with one row of pixels per query
  pytorch,
  flex_attention,
  numpy  ///< code
};

/// Whether it is text for the clipboard.
inline bool is_code(MaskFormat format) { return format >= MaskFormat::pytorch; }

/// Throws ExpressionError if to_code() does. Without a mask, the code of a mask that allows everything.
std::string mask_code(const Trace& trace, MaskFormat format);
/// Writes "mask.npy", with a number appended if that exists; returns the path. Throws FileError.
std::filesystem::path export_mask(const Trace& trace, Index batch, Index head, MaskFormat format,
                                  const std::filesystem::path& folder);

}  // namespace headlight
