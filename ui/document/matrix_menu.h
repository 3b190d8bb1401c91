// What a person can take of the matrix that is looked at, and the menu that offers it.
#pragma once

#include <cstdint>

#include "core/stage/cell.h"

namespace headlight {

/// The first three go onto the clipboard, `figure` opens the export dialog on the matrix, the others go into a file.
enum class MatrixTake : std::uint8_t { value, row, matrix, figure, png, svg, csv, npy };

/// The menu while it is open.
struct MatrixMenu {
  Cell cell;           ///< that was clicked, of the matrix to take
  float x = 0, y = 0;  ///< pixels of the window, where it was clicked
  bool operator==(const MatrixMenu&) const = default;
};

}  // namespace headlight
