// The weights of a lesson's first head, small, beside its story.
#pragma once

#include <vector>

#include "core/scenario/lesson.h"
#include "ui/look/look.h"
#include "ui/widgets/matrix_painter.h"

namespace headlight {

struct LessonTile {
  MatrixQuad quad;  ///< without its corners and what the view decides: colours, theme, scale
  Index rows = 0, cols = 0;
};

/// In the order of the lessons, each computed: some milliseconds for all of them.
std::vector<LessonTile> make_lesson_tiles(const std::vector<Lesson>& lessons);

}  // namespace headlight
