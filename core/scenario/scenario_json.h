// Scenarios as JSON files. The format is assets/scenario.schema.json; a scenario written and read again
// computes the same bits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "core/scenario/scenario_view.h"

namespace headlight {

/// The scenario in a file. A tensor or mask file named in it is looked for beside it, so its path comes back with the
/// scenario's folder before it. What the file says of the view goes to `view`. Throws FileError naming the field:
/// `a.json: $.heads: "x" is not …; expected …`.
Scenario read_scenario(const std::string& path, std::optional<ScenarioView>* view = nullptr);

/// The same from text; `subject` stands in errors for the file's name.
Scenario parse_scenario(const std::string& json, const std::string& subject);

/// What differs from the defaults, as indented JSON.
std::string to_json(const Scenario& scenario);

/// Writes to_json whole or not at all, with its files' paths relative to the file written. Throws FileError.
void write_scenario(const std::string& path, const Scenario& scenario, const ScenarioView* view = nullptr);

struct ScenarioChange {
  std::string field;     ///< as in a scenario file: "heads", "mask"
  std::string from, to;  ///< as in a scenario file; "" where it is left to the default
};

/// In the order of a scenario file. Lists of cells set by hand come as how many there are.
std::vector<ScenarioChange> scenario_changes(const Scenario& from, const Scenario& to);

}  // namespace headlight
