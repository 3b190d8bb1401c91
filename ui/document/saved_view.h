// The part of a view that is saved in a scenario's file.
#pragma once

#include "core/scenario/scenario_view.h"
#include "ui/document/view.h"

namespace headlight {

LevelAddress level_address(const View& view);
View with_level(View view, const LevelAddress& level);

/// "mask:reach", "map:weights:4096:8192,0:4096", as --view takes it.
ViewAddress view_address(const View& view);
View with_view(View view, const ViewAddress& address);

ScenarioView saved_view(const View& view);
View with_saved_view(View view, const ScenarioView& saved);

}  // namespace headlight
