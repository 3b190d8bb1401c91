// Scenarios and lessons as JSON files. The format is assets/scenario.schema.json; a scenario written and read again
// computes the same bits.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace headlight {

/// The scenario in a file. A tensor or mask file named in it is looked for beside it, so its path comes back with the
/// scenario's folder before it. Throws FileError naming the field: `a.json: $.heads: "x" is not …; expected …`.
Scenario read_scenario(const std::string& path);

/// The same from text; `subject` stands in errors for the file's name.
Scenario parse_scenario(const std::string& json, const std::string& subject);

/// What differs from the defaults, as indented JSON.
std::string to_json(const Scenario& scenario);

/// Writes to_json whole or not at all, with its files' paths relative to the file written. Throws FileError.
void write_scenario(const std::string& path, const Scenario& scenario);

/// A scenario with a name and a story. Words by language; "en" is always there.
struct Lesson {
  std::string id;
  std::map<std::string, std::string> title, description;
  Scenario scenario;
  std::string file = {};  ///< the scenario file that it was read from; "" for what is none
};

/// The lessons that ship with the program, the default one first. Throws FileError.
std::vector<Lesson> shipped_lessons();
/// By id. Throws SettingError listing the ids there are.
Lesson shipped_lesson(const std::string& id);
/// What opens where no file is named.
inline constexpr const char* default_lesson = "first-light";

/// What a FILE on the command line, or one dropped on the window, names: a lesson for "lesson:ID" and for "", a scenario
/// for .json, else tensors. Only a lesson has a title. Throws FileError, SettingError; tensors are not opened yet.
Lesson open_source(const std::string& file);

}  // namespace headlight
