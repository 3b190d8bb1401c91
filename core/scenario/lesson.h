// Lessons, and what else can be opened: a scenario with its story.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "core/scenario/scenario_view.h"

namespace headlight {

/// A scenario with a name and a story. Words by language; "en" is always there.
struct Lesson {
  std::string id;
  std::map<std::string, std::string> title, description;
  Scenario scenario;
  std::optional<ScenarioView> view = {};  ///< how it is to be looked at, where its file says so
  std::string file = {};                  ///< the scenario file that it was read from; "" for what is none
  std::string course =
      {};  ///< the lesson file with steps (core/lesson/course.h) that it is the beginning of; "" for what has none
};

/// The lessons without steps that ship with the program, the default one first. Throws FileError; with `troubles`,
/// lessons that cannot be read are left out and their errors' sentences put there.
std::vector<Lesson> shipped_lessons(std::vector<std::string>* troubles = nullptr);
/// By id, those with steps (core/lesson/course.h) too. Throws SettingError listing the ids there are.
Lesson shipped_lesson(const std::string& id);
/// What opens where no file is named.
inline constexpr const char* default_lesson = "first-light";

/// What a FILE on the command line, or one dropped on the window, names: a lesson for "lesson:ID" and for "", a
/// scenario for .json, else tensors. Only a lesson has a title. Throws FileError, SettingError; tensors are not opened
/// yet.
Lesson open_source(const std::string& file);

}  // namespace headlight
