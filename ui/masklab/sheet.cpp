#include "ui/masklab/sheet.h"

#include <algorithm>
#include <cstdio>

#include "core/figure/colormap.h"
#include "ui/imgui_compat.h"
#include "ui/look/measure.h"
#include "ui/widgets/paragraph.h"

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

std::string percent_text(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

Rect sheet_inside(const Frame& frame, Rect place) {
  const float u = frame.u;
  return {{place.min.x + 14 * u, place.min.y + 10 * u}, {place.max.x - 14 * u, place.max.y - 14 * u}};
}

namespace {

/// Broken where it is wider; gives its height. Only measures without a list.
float put_line(const Frame& frame, ImDrawList* list, ImVec2 at, const std::string& line, float width) {
  const float u = frame.u;
  return std::max(
      draw_paragraph(list, frame.fonts, Face::ui, TypeSize::body * u, at, frame.look.muted, line, width) + u, 20 * u);
}

}  // namespace

Rect below_words(const Frame& frame, const SheetWords& words, Rect place) {
  place.min.y += 30 * frame.u;
  for (const std::string& line : words.lines) place.min.y += put_line(frame, nullptr, place.min, line, place.width());
  place.min.y += draw_swatches(frame, *ImGui::GetWindowDrawList(), words.legend, {}, place.width(), false);
  place.max.y = std::max(place.max.y, place.min.y + 60 * frame.u);
  return place;
}

void draw_sheet_words(const Frame& frame, const SheetWords& words, Rect place) {
  const float u = frame.u;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_elided(list, frame.fonts, Face::bold, TypeSize::large * u, place.min, frame.look.ink, words.title,
              place.width());
  float y = place.min.y + 24 * u;
  for (const std::string& line : words.lines) { y += put_line(frame, &list, {place.min.x, y}, line, place.width()); }
  draw_swatches(frame, list, words.legend, {place.min.x, y + 2 * u}, place.width());
  if (words.error.empty()) return;
  draw_paragraph(&list, frame.fonts, Face::ui, TypeSize::large * u, {place.min.x, y + 4 * u}, frame.look.warning,
                 words.error, place.width());
}

std::optional<Cell> cell_under(std::span<const MatrixCard* const> cards, ImVec2 point) {
  for (const MatrixCard* card : cards) {
    if (const std::optional<Cell> cell = cell_in(card->heat, point)) return cell;
  }
  return std::nullopt;
}

void hover_or_select(const Frame& frame, const std::optional<Cell>& cell, bool clicked) {
  if (cell != frame.view().hovered) frame.actions.push_back(Hover{cell});
  if (!clicked || !cell) return;
  frame.show([cell](View& v) { v.selected = cell; });
}

void point_at_cells(const Frame& frame, const char* id, Rect area, std::span<const MatrixCard* const> cards) {
  ImGui::SetCursorScreenPos(area.min);
  const bool clicked = ImGui::InvisibleButton(id, {std::max(area.width(), 1.0f), std::max(area.height(), 1.0f)});
  const bool here = ImGui::IsItemHovered() || ImGui::IsItemActive();
  hover_or_select(frame, here ? cell_under(cards, ImGui::GetIO().MousePos) : std::nullopt, clicked);
}

}  // namespace headlight
