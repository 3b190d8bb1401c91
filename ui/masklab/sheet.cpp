#include "ui/masklab/sheet.h"

#include <algorithm>
#include <cstdio>

#include "core/figure/colormap.h"
#include "core/mask/statistics.h"
#include "ui/look/measure.h"

namespace headlight {

Tensor looked_at_mask(const Frame& frame) {
  const Trace& trace = *frame.trace();
  const Dims& dims = trace.dims();
  if (!trace.has(Stage::mask)) return Tensor::full({1, 1}, 1).expand({dims.n_q, dims.n_k}).contiguous();
  return trace[Stage::mask].slice(0, frame.view().batch, 1).slice(1, frame.view().head, 1).view({dims.n_q, dims.n_k});
}

Stage looked_at_stage(const Frame& frame) { return frame.trace()->has(Stage::mask) ? Stage::mask : Stage::weights; }

const Colormap& pair_colormap(Theme theme) {
  static const Colormap light = colormap("mask pair", Theme::light), dark = colormap("mask pair", Theme::dark);
  return theme == Theme::light ? light : dark;
}

const Colormap& blocks_colormap(Theme theme) {
  static const Colormap light = colormap("mask blocks", Theme::light), dark = colormap("mask blocks", Theme::dark);
  return theme == Theme::light ? light : dark;
}

Index block_in_force(const MaskLab& lab, const Dims& dims) {
  return lab.block ? *lab.block : usual_block(std::max(dims.n_q, dims.n_k));
}

std::string percent_text(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

Rect sheet_inside(const Frame& frame, Rect place) {
  const float u = frame.u;
  return {{place.min.x + 14 * u, place.min.y + 10 * u}, {place.max.x - 14 * u, place.max.y - 14 * u}};
}

Rect put_sheet_words(Pen& pen, const SheetWords& words, Rect place) {
  const float u = pen.u(), width = place.width();
  const Look& look = pen.look();
  pen.words(Face::bold, TypeSize::large * u, place.min, look.ink, words.title, width);
  float y = place.min.y + 24 * u;
  for (const std::string& line : words.lines)
    y += std::max(pen.paragraph(Face::ui, TypeSize::body * u, {place.min.x, y}, look.muted, line, width) + u, 20 * u);
  y += words.error.empty()
           ? put_swatches(pen, words.legend, {place.min.x, y + 2 * u}, width) + 6 * u
           : pen.paragraph(Face::ui, TypeSize::large * u, {place.min.x, y + 4 * u}, look.warning, words.error, width) +
                 10 * u;
  return {{place.min.x, y}, {place.max.x, std::max(place.max.y, y + 60 * u)}};
}

void hover_or_select(const Frame& frame, const std::optional<Cell>& cell, bool clicked) {
  if (cell != frame.view().hovered) frame.actions.push_back(Hover{cell});
  if (clicked && cell) frame.show([cell](View& v) { v.selected = cell; });
}

void point_at_cells(const Frame& frame, const Scene& scene, Rect area) {
  ImGui::SetCursorScreenPos(area.min);
  const bool clicked = ImGui::InvisibleButton("cells", {std::max(area.width(), 1.0f), std::max(area.height(), 1.0f)});
  const bool here = ImGui::IsItemHovered() || ImGui::IsItemActive();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const HeatPicture* heat = here ? heat_at(scene, mouse) : nullptr;
  hover_or_select(frame, heat ? cell_in(*heat, mouse) : std::nullopt, clicked);
}

}  // namespace headlight
