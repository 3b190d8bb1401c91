// The legend of cells: what each colour and pattern means, with swatches as figures draw them.
#pragma once

#include <span>
#include <vector>

#include "core/stage/cell_kind.h"
#include "ui/frame/frame.h"

namespace headlight {

/// One line of a legend: a cell as it looks, and what it says.
struct Swatch {
  CellKind kind = CellKind::value;
  ImU32 colour = 0;        ///< of a value
  const char* words = "";  ///< from the table of words
};

/// "may attend" and "may not".
std::vector<Swatch> mask_swatches(const Frame& frame);

/// In one line, flowing into more where `width` is less; gives the height, which draw = false only measures.
float draw_swatches(const Frame& frame, ImDrawList& list, std::span<const Swatch> swatches, ImVec2 at, float width,
                    bool draw = true);

/// One swatch of `side` pixels.
void draw_swatch(const Frame& frame, ImDrawList& list, const Swatch& swatch, ImVec2 at, float side);

}  // namespace headlight
