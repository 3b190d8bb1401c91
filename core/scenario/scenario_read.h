// A scenario that stands somewhere in JSON: in a file of its own, or in a lesson's.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/scenario/json_place.h"
#include "core/scenario/scenario.h"
#include "core/scenario/scenario_view.h"

namespace headlight {

Scenario scenario_at(const Place& at);
/// One setting of it from JSON text, as on a command line; `subject` stands in errors. Throws SettingError.
void read_setting(std::string_view key, const std::string& json, const std::string& subject, Scenario& scenario);
/// The same setting as JSON text.
std::string setting_json(std::string_view key, const Scenario& scenario);
/// Its files' paths, which are relative to the folder of the file that it stands in.
void resolve_files(Scenario& scenario, const std::string& scenario_path);

}  // namespace headlight
