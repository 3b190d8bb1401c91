// The brush of the mask view, and what a click on a pattern does: a part of View.
#pragma once

#include <cstdint>
#include <optional>

#include "core/mask/painting.h"
#include "core/stage/cell.h"

namespace headlight {

enum class PaintTool : std::uint8_t { look, brush, row, column, rectangle };

/// What becomes of the expression when a pattern is clicked: the pattern; both; either; the old one without it.
enum class Combine : std::uint8_t { replace, both, either, without };

struct MaskPainting {
  PaintTool tool = PaintTool::look;
  Paint paint = Paint::forbid;
  bool one_head = false, one_entry = false,
       by_blocks = false;        ///< paint in the head, the entry that is looked at, else in all; whole blocks
  std::optional<Cell> from, to;  ///< of the stroke while it is dragged
  int strokes = 0;               ///< so far: each is one step of undo
  Combine combine = Combine::replace;
  float zoom = 1;           ///< of the mask in its card; 1 = all of it
  float left = 0, top = 0;  ///< of what is seen, in parts of the mask
  bool operator==(const MaskPainting&) const = default;
};

}  // namespace headlight
