// What is wrong with a drawn picture, from the plain data of what was drawn: words over words or through which an arrow
// goes, words and numbers that are cut, type that is small or faint, numbers that their cells do not hold.
#pragma once

#include <string>
#include <vector>

#include "ui/frame/matrix_painter.h"
#include "ui/look/fonts.h"
#include "ui/look/look.h"

namespace headlight::test {

struct DrawnPicture {
  const Record& record;
  const std::vector<MatrixQuad>& quads;
  const Look& look;
  bool cells_have_values = true;  ///< a number over a matrix stands for the cell below it
};

/// A line each. `numbers`, where given, counts the numbers that were held against their cells.
std::vector<std::string> drawn_faults(const DrawnPicture& picture, int* numbers = nullptr);

}  // namespace headlight::test
