// The side-by-side sheet as plain data: the current mask A, another mask B, and their difference.
#pragma once

#include <array>
#include <memory>

#include "core/image/png_image.h"
#include "ui/document/wanted.h"
#include "ui/masklab/sheet.h"

namespace headlight {

/// Neighbouring cells of a row that only one mask allows.
struct DifferingRun {
  Index row = 0, col = 0, count = 0;
  bool by_a = false;  ///< allowed by A, else by B
};

struct SidesPicture {
  SheetWords words;
  Rect field{};                          ///< field for B
  std::array<MatrixCard, 3> matrices{};  ///< A, B, B − A; without values if B has an error
  std::vector<DifferingRun> runs;        ///< outlined, if cells are large enough
  std::shared_ptr<const Image> tint;     ///< drawn over A and B instead, if cells are small
  Index only_a = 0, only_b = 0;          ///< numbers of cells
  bool shows() const { return words.error.empty(); }
};

}  // namespace headlight
