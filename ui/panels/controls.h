// The groups of the left panel. They change the scenario, except the head choice and the colours.
#pragma once

#include "ui/frame/frame.h"
#include "ui/panels/controls_picture.h"
#include "ui/widgets/scenario_controls.h"

namespace headlight {

void draw_mask_controls(const Frame& frame);     // ui/panels/mask_controls.cpp
void draw_variant_controls(const Frame& frame);  // ui/panels/variant_controls.cpp
void draw_dropout_controls(const Frame& frame);
void draw_further_controls(const Frame& frame);
void draw_colour_controls(const Frame& frame);  // ui/panels/colour_controls.cpp
void draw_file_controls(const Frame& frame);    // ui/panels/file_controls.cpp: how the file was read
/// The heading for an assumption, such as "heads", translated.
const char* taken_heading(const Frame& frame, const Assumption& assumption);
void draw_pasted(const Frame& frame);

}  // namespace headlight
