// What one scenario says that another does not, for people to read.
#pragma once

#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace headlight {

struct ScenarioChange {
  std::string field;     ///< as in a scenario file: "heads", "mask"
  std::string from, to;  ///< as in a scenario file; "" where it is left to the default
};

/// In the order of a scenario file. Lists of cells set by hand come as how many there are.
std::vector<ScenarioChange> scenario_changes(const Scenario& from, const Scenario& to);

}  // namespace headlight
