// A lesson with steps, where the controls stand otherwise: what the step says, its question, back and next.
#pragma once

#include <string>

#include "core/lesson/course.h"
#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

/// The lesson with steps that is open; null where none is.
const Course* open_course(const Document& document, Pictures& pictures);
/// Everything that a font has to draw of it.
std::string course_text(const Course& course, const std::string& language);
/// A control for the setting of this key.
using DrawControl = void (*)(const Frame& frame, const std::string& key);
void draw_lesson_panel(const Frame& frame, const Course& course, Rect place, DrawControl draw_control);

}  // namespace headlight
