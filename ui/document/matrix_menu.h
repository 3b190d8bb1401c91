// What a person can take of the matrix that is looked at, and the menu that offers it.
#pragma once

#include <cstdint>

#include "core/stage/cell.h"

namespace headlight {

/// The first three go onto the clipboard, the others into a file.
enum class MatrixTake : std::uint8_t { value, row, matrix, png, svg, csv, npy };

/// The menu while it is open.
struct MatrixMenu {
  Cell cell;           ///< that was clicked, of the matrix to take
  float x = 0, y = 0;  ///< pixels of the window, where it was clicked
  bool operator==(const MatrixMenu&) const = default;
};

}  // namespace headlight
