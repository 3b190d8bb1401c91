// The groups of the left panel. They change the scenario, except the head choice and the colours.
#pragma once

#include <string>
#include <vector>

#include "core/scenario/settings/settings_table.h"
#include "ui/base/frame/frame.h"
#include "ui/parts/widgets/controls.h"

namespace headlight {

struct ControlsPicture {
  std::vector<Index> widths;               ///< widths of the model that are multiples of the heads
  std::vector<Index> heads, kv_heads;      ///< divisors of the width; divisors of the heads
  std::vector<std::string> length_labels;  ///< slider labels for the first batch entries
  std::string masked;                      ///< "15 of 36 masked, 42 %", for the current head; "" without a mask
  std::vector<std::string> colormaps;      ///< to choose from, besides the automatic choice
  std::string fixed_range;                 ///< "-1:1"
};

/// The same, cached.
const ControlsPicture& controls_picture(const Frame& frame);

void draw_mask_controls(const Frame& frame);  // ui/window/panels/setting_controls.cpp
void draw_variant_controls(const Frame& frame);
void draw_dropout_controls(const Frame& frame);
void draw_further_controls(const Frame& frame);
void draw_colour_controls(const Frame& frame);  // ui/window/panels/colour_controls.cpp
void draw_file_controls(const Frame& frame);    // ui/window/panels/file_controls.cpp: how the file was read
/// The heading for an assumption, such as "heads", translated.
const char* taken_heading(const Frame& frame, const Assumption& assumption);
void draw_pasted(const Frame& frame);

/// All settings of a group that apply to the scenario, in table order. Labels are settings.KEY, a choice's words
/// settings.KEY.WORD, and an unset number shows settings.KEY.unset.
void draw_settings(const Frame& frame, SettingGroup group);
/// One setting of any group; as text if its own panel draws it differently.
void draw_setting(const Frame& frame, const Setting& setting);

}  // namespace headlight
