// The panel of a lesson with steps, in place of the controls: text, question, back and next. And the list of lessons.
#pragma once

#include <string>
#include <vector>

#include "core/lesson/course.h"
#include "core/scenario/lesson.h"
#include "core/tensor/message.h"
#include "ui/frame/frame.h"
#include "ui/frame/pictures.h"
#include "ui/geometry/rect.h"

namespace headlight {

/// The open lesson with steps; null if there is none.
const Course* open_course(const Document& document, Pictures& pictures);
/// All of its text, for loading fonts.
std::string course_text(const Course& course, const std::string& language);
/// Draws the control of a setting, by its key.
using DrawControl = void (*)(const Frame& frame, const std::string& key);
void draw_lesson_panel(const Frame& frame, const Course& course, Rect place, DrawControl draw_control);

/// The shipped lessons, read on first use (unreadable ones are left out), and their pictures.
const std::vector<Lesson>& shown_lessons(Pictures& pictures);

/// The list of lessons, each with the weights of its first head as a small picture.
void draw_lesson_view(const Frame& frame, Rect place);

}  // namespace headlight
