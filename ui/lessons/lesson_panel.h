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
void draw_lesson_panel(const Frame& frame, const Course& course, Rect place);

/// Whether what was answered is right; a number and a mask are judged by the trace.
bool is_right(const Question& question, const LessonProgress& progress, const Trace& trace);
/// The right answer in words.
std::string right_answer(const Question& question, const Trace& trace, const std::string& language);
/// The order in which the choices of an ordering question stand before they are ordered.
std::vector<std::size_t> shuffled(std::size_t count);

}  // namespace headlight
