// A step's text on screen: terms in the colours of what they name, numbers in bold.
#pragma once

#include <optional>
#include <vector>

#include "core/lesson/course.h"
#include "ui/frame/frame.h"

namespace headlight {

/// A piece of one line, relative to the text's top left corner.
struct ProsePiece {
  std::string words;
  ImVec2 at;
  float width = 0;
  std::optional<Stage> stage;
  bool number = false, code = false;
  std::optional<Cell> cell;  ///< the cell whose number it is
};
struct ProseLayout {
  std::vector<ProsePiece> pieces;
  float height = 0;
};

/// In lines of at most `width` pixels, with type of `pixels`.
ProseLayout lay_out_prose(const Fonts& fonts, const std::vector<ProseRun>& runs, float pixels, float width);
/// What the term or number under the pointer refers to.
struct ProsePointed {
  std::optional<Stage> stage;
  std::optional<Cell> cell;
};
ProsePointed draw_prose(const Frame& frame, const ProseLayout& layout, ImVec2 at, float pixels);

}  // namespace headlight
