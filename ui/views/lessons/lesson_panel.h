// The panel of a lesson with steps, in place of the controls: text, question, back and next. The list of lessons.
// Saving the current screen as a step of a lesson file, and the answers as a file.
#pragma once

#include <string>
#include <vector>

#include "core/base/tensor/message.h"
#include "core/scenario/documents/lesson.h"
#include "core/teaching/lesson/course.h"
#include "ui/base/document/document.h"
#include "ui/base/frame/frame.h"
#include "ui/base/frame/pictures.h"
#include "ui/base/geometry/rect.h"
#include "ui/base/look/words.h"

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

/// A suggested path, in the user's folder of lessons.
std::string suggested_lesson_path();
/// Appends a step with placeholder text to the lesson at `path` (JSON), which is created if missing. Errors become the
/// document's error.
void save_step(Document& document, const std::string& path, const Words& words);

/// Shows or hides the field for the path of the answers.
void toggle_saving_answers(const Frame& frame);
/// A field for a path of the view, with a text above it and a button below; returns the path once it is to be saved.
std::optional<std::string> draw_path_field(const Frame& frame, ImVec2 at, float width, const char* story,
                                           const char* id, std::optional<std::string> View::*path, const char* button);
void draw_saving_answers(const Frame& frame, ImVec2 at, float width);

}  // namespace headlight
