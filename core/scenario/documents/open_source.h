// Everything that can be opened by name.
#pragma once

#include <string>

#include "core/scenario/documents/lesson.h"

namespace headlight {

/// Reads a FILE argument of the command line, or a file dropped on the window: a lesson for "lesson:ID" and "", a
/// scenario for .json, otherwise tensors, which are not opened yet. Only a lesson has a title. Throws FileError,
/// SettingError.
Lesson open_source(const std::string& file);

}  // namespace headlight
