// A computation as a command line that repeats it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/scenario/documents/lesson.h"

namespace headlight {

/// The origin of a scenario: a lesson, or a scenario read from `file` or saved there; both may be empty.
struct ScenarioOrigin {
  Lesson lesson;
  std::string file;
};

/// FILE or --random, and the settings: {"lesson:first-light", "--mask", "causal()"}. Paths are absolute. Unset if no
/// command line can express it, such as edited cells that are not in a file.
std::optional<std::vector<std::string>> source_words(const Scenario& scenario, const ScenarioOrigin& origin);

/// The words as one line for a POSIX shell, quoted where necessary.
std::string shell_line(const std::vector<std::string>& words);

/// The words as the query of a link. Unset if they name a user's file, which a link cannot hold. An option's value must
/// not begin with "--".
std::optional<std::string> query_of(const std::vector<std::string>& words);

struct LinkWords {
  std::vector<std::string> words;       ///< the command line
  std::optional<std::string> scenario;  ///< a scenario file's text, from the fragment
};
/// The reverse: parses "?text=the+cat&alibi#scenario=…"; either part may be missing. `lesson`, `model` and `random`
/// name what is opened; `embed` is for the page and is dropped. Throws InputError for invalid text, and for `file`.
LinkWords words_of_link(std::string_view link);

/// As the value of a query or fragment.
std::string percent_encoded(std::string_view text);

}  // namespace headlight
