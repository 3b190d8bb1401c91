// Controls made from the table of settings (core/scenario/settings_table.h): those that no panel draws itself.
#pragma once

#include "core/scenario/settings_table.h"
#include "ui/frame/frame.h"

namespace headlight {

/// All of a group that apply to the scenario as it is, in the order of the table. The labels are settings.KEY, a
/// choice's words settings.KEY.WORD, and what an unset number shows settings.KEY.unset.
void draw_settings(const Frame& frame, SettingGroup group);
/// One of any group; as text where its panel draws it in a way of its own.
void draw_setting(const Frame& frame, const Setting& setting);

}  // namespace headlight
