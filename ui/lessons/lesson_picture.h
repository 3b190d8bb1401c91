// The weights of a lesson's first head, small, beside its story.
#pragma once

#include <vector>

#include "core/scenario/lesson.h"
#include "ui/frame/matrix_painter.h"
#include "ui/frame/pictures.h"
#include "ui/look/look.h"

namespace headlight {

/// On which shelf a lesson stands.
enum class Shelf : std::uint8_t { course, bugs, own, presets };
struct LessonAbout {
  Shelf shelf{};
  std::size_t steps = 0, questions = 0;  ///< 0: a preset
};

struct LessonTile {
  MatrixQuad quad;  ///< without its corners and what the view decides: colours, theme, scale
  Index rows = 0, cols = 0;
};

/// The lessons that ship with the program, read when they are first shown, without those that cannot be read; and what
/// each looks like.
const std::vector<Lesson>& shown_lessons(Pictures& pictures);
/// In the same order.
const std::vector<LessonAbout>& lessons_about(Pictures& pictures);
const std::vector<std::string>& lesson_troubles(Pictures& pictures);
const std::vector<LessonTile>& lesson_tiles(Pictures& pictures);

}  // namespace headlight
