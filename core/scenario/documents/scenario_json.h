// Scenarios as JSON files. The format is assets/scenario.schema.json. A scenario that is written and read again
// computes the same bits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/scenario/settings/scenario.h"
#include "core/scenario/settings/scenario_view.h"

namespace headlight {

/// Reads a scenario file. Paths of tensor and mask files in it are relative to its folder; the result has that folder
/// prepended. `view` receives the file's view settings. Throws FileError with the field: `a.json: $.heads: "x" is not
/// …; expected …`.
Scenario read_scenario(const std::string& path, std::optional<ViewFields>* view = nullptr);

/// The same from text; errors name `subject` instead of a file.
Scenario parse_scenario(const std::string& json, const std::string& subject);

/// The settings that differ from the defaults, as indented JSON.
std::string to_json(const Scenario& scenario);

/// Writes to_json atomically, with file paths relative to the written file. Throws FileError.
void write_scenario(const std::string& path, const Scenario& scenario, const ViewFields* view = nullptr);

struct ScenarioChange {
  std::string field;     ///< as in a scenario file: "heads", "mask"
  std::string from, to;  ///< as in a scenario file; "" for the default
};

/// In the order of a scenario file. For lists of edited cells, the values are their counts.
std::vector<ScenarioChange> scenario_changes(const Scenario& from, const Scenario& to);

}  // namespace headlight
