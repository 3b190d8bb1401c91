// The left panel's colours: which map, and what its ends stand for. Never changes a number.
#include <cstdio>

#include "core/tensor/error.h"
#include "ui/matrix/heat.h"
#include "ui/panels/colour_legend.h"
#include "ui/panels/controls.h"

namespace headlight {
namespace {

void change_range(const Frame& frame, const RangeSetting& range) {
  frame.show([range](View& v) { v.range = range; });
}

void draw_maps(const Frame& frame) {
  const std::vector<std::string>& maps = controls_picture(frame).colormaps;
  ChipFlow flow(frame);
  const auto map = [&](const char* id, const char* label, const std::string& name) {
    if (flow.chip(id, label, frame.view().colormap == name)) frame.show([name](View& v) { v.colormap = name; });
  };
  map("automatic", frame.words("controls.automatic"), std::string());
  for (const std::string& name : maps) map(name.c_str(), name.c_str(), name);
}

void draw_ends(const Frame& frame) {
  note(frame, frame.words("controls.range"));
  const RangeSetting& now = frame.view().range;
  const char* labels[] = {frame.words("controls.range_row"), frame.words("controls.range_head"),
                          frame.words("controls.range_stage"), frame.words("controls.range_fixed")};
  const auto clicked = segments(frame, "range", labels, static_cast<int>(now.mode));
  if (clicked && *clicked != static_cast<int>(now.mode))
    change_range(frame, {static_cast<RangeMode>(*clicked), now.fixed});
  if (now.mode != RangeMode::row) {
    note(frame, frame.words("controls.norm"));
    const Norm spread = frame.view().norm.value_or(
        frame.trace() && now.mode == RangeMode::stage && frame.trace()->dims().n_k > keys_spread_evenly ? Norm::log
                                                                                                        : Norm::linear);
    const char* norms[] = {frame.words("controls.norm_linear"), frame.words("controls.norm_sqrt"),
                           frame.words("controls.norm_log")};
    const auto wanted = segments(frame, "norm", norms, static_cast<int>(spread));
    if (wanted && *wanted != static_cast<int>(spread))
      frame.show([norm = static_cast<Norm>(*wanted)](View& v) { v.norm = norm; });
  }
  if (now.mode != RangeMode::fixed) return;
  const std::string& written = controls_picture(frame).fixed_range;
  if (const auto text = text_field(frame, "##fixed", written, Face::mono)) {
    try {
      change_range(frame, parse_range(*text));
    } catch (const InputError& error) { frame.actions.push_back(ShowError{frame.words.translate(error.message())}); }
  }
}

}  // namespace

void draw_colour_controls(const Frame& frame) {
  section(frame, frame.words("controls.colours"));
  draw_maps(frame);
  draw_ends(frame);
  draw_colour_legend(frame);
}

}  // namespace headlight
