// Saves the current screen as a step of the user's own lesson.
#pragma once

#include <string>

#include "ui/document/document.h"
#include "ui/frame/frame.h"
#include "ui/look/words.h"

namespace headlight {

/// A suggested path, in the user's folder of lessons.
std::string suggested_lesson_path();
/// Appends a step with placeholder text to the lesson at `path` (JSON), which is created if missing. Errors become the
/// document's error.
void save_step(Document& document, const std::string& path, const Words& words);

/// Opens or closes the question.
void toggle_saving_answers(const Frame& frame);
/// A click on "Save", or Enter in the list where nothing is typed into.
bool save_button(const Frame& frame, const char* id);
void draw_saving_answers(const Frame& frame, ImVec2 at, float width);

}  // namespace headlight
