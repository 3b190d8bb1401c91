// Finds faults in the recorded texts and matrices of a picture: text that overlaps text or an arrow, text and numbers
// that are cut, text that is small or faint, numbers that differ from their cells.
#pragma once

#include <string>
#include <vector>

#include "ui/base/frame/matrix_painter.h"
#include "ui/base/look/fonts.h"
#include "ui/base/look/look.h"

namespace headlight::test {

struct DrawnPicture {
  const Record& record;
  const std::vector<MatrixQuad>& quads;
  const Look& look;
  bool cells_have_values = true;  ///< a number over a matrix is the value of the cell below it
};

/// One line per fault. `numbers`, if given, receives how many numbers were compared with their cells.
std::vector<std::string> drawn_faults(const DrawnPicture& picture, int* numbers = nullptr);

}  // namespace headlight::test
