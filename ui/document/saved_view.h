// What of a view goes into a scenario's file, and back.
#pragma once

#include "core/scenario/scenario_view.h"
#include "ui/document/view.h"

namespace headlight {

/// "operation:scores": as --level says it.
std::string level_text(const View& view);
View with_level(View view, const LevelAddress& level);

/// "weights:4096:8192,0:4096": as --view map:… says it.
MapAddress map_address(const View& view);
View with_map(View view, const MapAddress& map);

ScenarioView saved_view(const View& view);
View with_saved_view(View view, const ScenarioView& saved);

}  // namespace headlight
