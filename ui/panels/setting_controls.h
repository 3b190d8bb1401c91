// Controls made from the table of settings (core/scenario/settings_table.h), for settings that no panel draws itself.
#pragma once

#include "core/scenario/settings_table.h"
#include "ui/frame/frame.h"

namespace headlight {

/// All settings of a group that apply to the scenario, in table order. Labels are settings.KEY, a choice's words
/// settings.KEY.WORD, and an unset number shows settings.KEY.unset.
void draw_settings(const Frame& frame, SettingGroup group);
/// One setting of any group; as text if its own panel draws it differently.
void draw_setting(const Frame& frame, const Setting& setting);

}  // namespace headlight
