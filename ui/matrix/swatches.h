// Legends: the meaning of colours and patterns, with swatches drawn as in figures.
#pragma once

#include <span>
#include <vector>

#include "core/stage/extent.h"
#include "ui/frame/frame.h"

namespace headlight {

/// One entry of a legend.
struct Swatch {
  CellKind kind = CellKind::value;
  ImU32 colour = 0;        ///< of a value
  const char* words = "";  ///< translation key
};

/// "may attend" and "may not".
std::vector<Swatch> mask_swatches(const Frame& frame);

/// Draws the entries in a line, wrapping at `width`; returns the height. With draw = false it only measures.
float draw_swatches(const Frame& frame, ImDrawList& list, std::span<const Swatch> swatches, ImVec2 at, float width,
                    bool draw = true);

/// One swatch with sides of `side` pixels.
void draw_swatch(const Frame& frame, ImDrawList& list, const Swatch& swatch, ImVec2 at, float side);

}  // namespace headlight
