// What the side-by-side sheet shows: the mask in force, another one, and where they differ. Plain data.
#pragma once

#include <array>
#include <memory>

#include "core/image/png_image.h"
#include "ui/document/wanted.h"
#include "ui/masklab/sheet.h"

namespace headlight {

/// Cells in a row of which one mask alone allows each.
struct DifferingRun {
  Index row = 0, col = 0, count = 0;
  bool by_a = false;  ///< A allows them, else B
};

struct SidesPicture {
  SheetWords words;
  Rect field{};                          ///< where B is typed
  std::array<MatrixCard, 3> matrices{};  ///< A, B, B − A; without values where B has an error
  std::vector<DifferingRun> runs;        ///< where cells are large enough for outlines
  std::shared_ptr<const Image> tint;     ///< in place of them where cells are small: over the matrices of A and B
  Index only_a = 0, only_b = 0;          ///< cells
  bool shows() const { return words.error.empty(); }
};

SidesPicture make_sides_picture(const Frame& frame, Rect area);

/// The same, kept.
const SidesPicture& sides_picture(const Frame& frame, Rect area);

}  // namespace headlight
