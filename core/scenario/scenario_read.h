// A scenario that stands somewhere in JSON: in a file of its own, or in a lesson's.
#pragma once

#include "core/scenario/json_place.h"
#include "core/scenario/scenario.h"

namespace headlight {

Scenario scenario_at(const Place& at);
/// Its files' paths, which are relative to the folder of the file that it stands in.
void resolve_files(Scenario& scenario, const std::string& scenario_path);

}  // namespace headlight
