// The list of lessons: the weights of the first head of each, as a small picture.
#pragma once

#include <vector>

#include "core/scenario/lesson.h"
#include "core/tensor/message.h"
#include "ui/frame/frame.h"
#include "ui/frame/matrix_painter.h"
#include "ui/frame/pictures.h"
#include "ui/geometry/rect.h"
#include "ui/look/look.h"

namespace headlight {

/// The group that a lesson belongs to.
enum class Shelf : std::uint8_t { course, bugs, own, presets };
struct LessonAbout {
  Shelf shelf{};
  std::size_t steps = 0, questions = 0;  ///< 0 for presets
};

struct LessonTile {
  MatrixQuad quad;  ///< without corners, colours, theme and scale, which the view sets
  Index rows = 0, cols = 0;
};

/// The shipped lessons, read on first use (unreadable ones are left out), and their pictures.
const std::vector<Lesson>& shown_lessons(Pictures& pictures);

void draw_lesson_view(const Frame& frame, Rect place);

}  // namespace headlight
