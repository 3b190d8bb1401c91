// What is on screen as a step of a lesson of one's own.
#pragma once

#include <string>

#include "ui/document/document.h"
#include "ui/look/words.h"

namespace headlight {

/// Where such a lesson is suggested to stand: in one's own folder of lessons.
std::string suggested_lesson_path();
/// Appends a step to the lesson at `path`, JSON, which is made where there is none; its text is to be written. What
/// goes wrong is the document's error.
void save_step(Document& document, const std::string& path, const Words& words);

}  // namespace headlight
