// The colour settings in the left panel: the colour map and its range. They never change a number.

#include <algorithm>

#include "core/base/tensor/error.h"
#include "ui/base/frame/colormaps.h"
#include "ui/base/look/measure.h"
#include "ui/imgui_compat.h"
#include "ui/parts/matrix/heat.h"
#include "ui/parts/matrix/swatches.h"
#include "ui/parts/widgets/card.h"
#include "ui/parts/widgets/controls.h"
#include "ui/window/panels/controls.h"

namespace headlight {
namespace {

constexpr float hue_side = 12;  // points, of the square that shows the hue of a head

/// A colour map with labels below its ends; returns the height.
float draw_map(const Frame& frame, ImDrawList& list, const Colormap& map, ImVec2 at, float width, const char* low,
               const char* high) {
  const float u = frame.u, bar = Space::pad * u;
  constexpr int parts = 48;
  for (int i = 0; i < parts; ++i) {
    const float left = at.x + width * static_cast<float>(i) / parts,
                right = at.x + width * static_cast<float>(i + 1) / parts;
    list.AddRectFilled({left, at.y}, {right, at.y + bar}, to_imgui(map.at((static_cast<float>(i) + 0.5f) / parts)));
  }
  compat::add_rect(list, at, {at.x + width, at.y + bar}, frame.look.line, 0, 1);
  const float y = at.y + bar + Space::fine * u, right = at.x + width - frame.width(Face::ui, TypeSize::body, high);
  frame.write(Face::ui, TypeSize::body, {at.x, y}, frame.look.muted, low);
  frame.write(Face::ui, TypeSize::body, {right, y}, frame.look.muted, high);
  return bar + Space::section * u;
}

/// The hues of the first eight heads, and how the hue of the first head is varied for the ninth.
float draw_heads(const Frame& frame, ImDrawList& list, ImVec2 at, float width) {
  const float u = frame.u, side = hue_side * u, step = std::min(side + Space::close * u, width / 10);
  for (Index h = 0; h < 9; ++h) {
    const ImVec2 min{at.x + static_cast<float>(h) * step + (h == 8 ? Space::tight * u : 0), at.y + Space::fine * u};
    draw_head_border(list, {min, {min.x + side, min.y + side}}, frame.look.head(h), frame.look.head_lap(h),
                     Space::fine * u, Space::thin * u, u * 0.5f);
  }
  return Space::wide * u;
}

/// Draws it at the cursor, over the remaining width.
void draw_colour_legend(const Frame& frame) {
  const float u = frame.u, width = ImGui::GetContentRegionAvail().x;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  float y = at.y + Space::tight * u;
  y += draw_map(frame, list, window_colormap(frame.view(), Stage::scores), {at.x, y}, width,
                frame.words("legend.below"), frame.words("legend.above"));
  y += draw_map(frame, list, window_colormap(frame.view(), Stage::weights), {at.x, y}, width,
                frame.words("legend.small"), frame.words("legend.large"));
  const Swatch mask[] = {{CellKind::value, frame.look.allowed, frame.words("legend.may")},
                         {CellKind::masked, 0, frame.words("legend.may_not")},
                         {CellKind::nan, 0, frame.words("legend.nan")},
                         {CellKind::pos_inf, 0, frame.words("legend.pos_inf")},
                         {CellKind::dropped, 0, frame.words("legend.dropped")}};
  y += draw_swatches(frame, list, mask, {at.x, y}, width) + Space::tight * u;
  const Swatch lanes[] = {{CellKind::value, frame.look.q, frame.words("legend.query")},
                          {CellKind::value, frame.look.k, frame.words("legend.key")},
                          {CellKind::value, frame.look.v, frame.words("legend.value")},
                          {CellKind::value, frame.look.after, frame.words("legend.after")}};
  y += draw_swatches(frame, list, lanes, {at.x, y}, width) + Space::tight * u;
  y += draw_heads(frame, list, {at.x, y}, width);
  ImGui::Dummy({width, y - at.y});
  note(frame, frame.words("legend.heads"));
}

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
  constexpr const char* ranges[] = {"controls.range_row", "controls.range_head", "controls.range_stage",
                                    "controls.range_fixed"};
  if (const auto mode = pick(frame, "range", ranges, static_cast<int>(now.mode)))
    change_range(frame, {static_cast<RangeMode>(*mode), now.fixed});
  if (now.mode != RangeMode::row) {
    note(frame, frame.words("controls.norm"));
    const Norm spread = frame.view().norm.value_or(
        frame.trace() && now.mode == RangeMode::stage && frame.trace()->dims().n_k > keys_spread_evenly ? Norm::log
                                                                                                        : Norm::linear);
    constexpr const char* norms[] = {"controls.norm_linear", "controls.norm_sqrt", "controls.norm_log"};
    if (const auto norm = pick(frame, "norm", norms, static_cast<int>(spread)))
      frame.show([norm = static_cast<Norm>(*norm)](View& v) { v.norm = norm; });
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
