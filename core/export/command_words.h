// A computation as a command line that repeats it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/scenario/lesson.h"

namespace headlight {

/// Where a scenario came from: a lesson, or a scenario read from `file` or saved there; both may be empty.
struct ScenarioOrigin {
  Lesson lesson;
  std::string file;
};

/// FILE or --random, and the settings: {"lesson:first-light", "--mask", "causal()"}. Paths are absolute. None
/// if no command line can express it, such as edited cells that are in no file.
std::optional<std::vector<std::string>> source_words(const Scenario& scenario, const ScenarioOrigin& origin);

/// The words as one line for a POSIX shell, quoted where they must be.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace headlight
