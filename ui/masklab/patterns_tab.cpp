// The first sheet of the mask view: the mask large, the weights it leaves beside it, and every pattern as a small picture to click.
#include <algorithm>
#include <cmath>

#include "ui/imgui_compat.h"
#include "ui/look/colormaps.h"
#include "ui/masklab/mask_field.h"
#include "ui/masklab/registry.h"
#include "ui/panels/controls.h"
#include "ui/pictures.h"
#include "ui/widgets/heatmap.h"
#include "ui/widgets/matrix_menu.h"

namespace headlight {
namespace {

void draw_card(const Frame& frame, Rect card, const HeatPicture& heat, const char* title, ImU32 colour) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float u = frame.u;
  list.AddRectFilled(card.min, card.max, frame.look.card, 9 * u);
  compat::add_rect(list, card.min, card.max, frame.look.line, 9 * u, 1);
  draw_text(list, frame.fonts, Face::bold, 13 * u, {card.min.x + 14 * u, card.min.y + 8 * u}, colour, title);
  draw_heat(frame, list, heat, heat.rect, true);
  draw_labels(frame, list, heat, heat.rect, 12 * u, true, true);
  if (const std::optional<Cell> cell = frame.looked_at()) draw_highlight(frame, list, heat, heat.rect, *cell);
}

/// Pointing and clicking, as in the pipeline. Without a mask only the weights can be looked at.
void look(const Frame& frame, const MaskPicture& picture, Rect area) {
  ImGui::SetCursorScreenPos(area.min);
  const bool clicked = ImGui::InvisibleButton("matrices", {area.width(), area.height()});
  std::optional<Cell> cell;
  if (ImGui::IsItemHovered()) {
    const ImVec2 point = ImGui::GetIO().MousePos;
    if (frame.trace()->has(Stage::mask)) cell = cell_in(picture.mask, point);
    if (!cell) cell = cell_in(picture.weights, point);
    if (cell && cell->row >= frame.rows_shown(cell->stage)) cell.reset();  // not computed yet
  }
  if (cell != frame.view().hovered) frame.actions.push_back(Hover{cell});
  offer_matrix_menu(frame, cell);
  if (!clicked || !cell) return;
  View view = frame.view();
  view.selected = cell;
  frame.change(std::move(view));
}

/// Replaces the mask; with Shift the old one or this, with Ctrl the old one and this.
std::string combined(const std::string& old, const std::string& added) {
  const ImGuiIO& io = ImGui::GetIO();
  if (old.empty() || !(io.KeyShift || io.KeyCtrl)) return added;
  return "(" + old + ")" + (io.KeyShift ? " || " : " && ") + "(" + added + ")";
}

bool tile(const Frame& frame, const PatternTile& pattern, ImVec2 size) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = ImGui::InvisibleButton(pattern.signature.c_str(), size);
  const bool hovered = ImGui::IsItemHovered();
  tooltip(frame, pattern.predicate.empty() ? pattern.expression : pattern.predicate);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float u = frame.u;
  const ImVec2 end{at.x + size.x, at.y + size.y};
  list.AddRectFilled(at, end, frame.look.card, 7 * u);
  compat::add_rect(list, at, end, hovered ? frame.look.accent : frame.look.line, 7 * u, 1);
  MatrixQuad quad;
  const float side = size.y - 26 * u;
  quad.min = {std::round(at.x + (size.x - side) / 2), at.y + 5 * u};
  quad.max = {quad.min.x + side, quad.min.y + side};
  quad.values = pattern.mask;
  quad.theme = frame.look.theme;
  quad.colormap = &window_colormap(frame.view(), Stage::mask);
  quad.range = {0, 1};
  frame.painter.draw(list, quad);
  const float width = std::min(text_size(frame.fonts, Face::mono, 10 * u, pattern.signature).x, size.x - 6 * u);
  draw_elided(list, frame.fonts, Face::mono, 10 * u, {at.x + (size.x - width) / 2, end.y - 17 * u}, frame.look.muted, pattern.signature, width);
  return clicked;
}

void draw_palette(const Frame& frame, Rect area) {
  const float u = frame.u;
  const float gap = 6 * u;
  const int columns = std::max(static_cast<int>(area.width() / (96 * u)), 3);
  const float width = (area.width() - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  const std::vector<PatternTile>& tiles = palette_picture(frame);
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const auto column = static_cast<float>(i % static_cast<std::size_t>(columns));
    const auto row = static_cast<float>(i / static_cast<std::size_t>(columns));
    ImGui::SetCursorScreenPos({area.min.x + column * (width + gap), area.min.y + row * (74 * u + gap)});
    if (tile(frame, tiles[i], {width, 74 * u})) {
      type_mask(frame, combined(frame.document.scenario.mask, tiles[i].expression));
    }
  }
}

}  // namespace

void draw_patterns_tab(const Frame& frame, Rect place) {
  const float u = frame.u;
  const Rect inside = place.grown(-14 * u);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_text(list, frame.fonts, Face::bold, 13 * u, inside.min, frame.look.ink, frame.words("mask.title"));
  draw_text(list, frame.fonts, Face::ui, 11 * u, {inside.min.x, inside.max.y - 11 * u}, frame.look.muted, frame.words("mask.combine"));

  const int columns = std::max(static_cast<int>(inside.width() / (96 * u)), 3);
  const int rows = (static_cast<int>(palette_picture(frame).size()) + columns - 1) / columns;
  const float palette = static_cast<float>(rows) * 80 * u + 20 * u;
  const Rect matrices{{inside.min.x, inside.min.y + 24 * u}, {inside.max.x, std::max(inside.max.y - palette - 22 * u, inside.min.y + 180 * u)}};
  const MaskPicture& picture = mask_picture(frame, matrices);
  const float width = text_size(frame.fonts, Face::ui, 13 * u, picture.statistics).x;
  draw_text(list, frame.fonts, Face::ui, 13 * u, {inside.max.x - width, inside.min.y}, frame.look.muted, picture.statistics);
  look(frame, picture, matrices);
  draw_card(frame, picture.mask_card, picture.mask, frame.words("mask.mask"), frame.look.ink);
  draw_card(frame, picture.weights_card, picture.weights, frame.words("mask.weights"), frame.look.after);
  draw_palette(frame, {{inside.min.x, matrices.max.y + 12 * u}, inside.max});
}

}  // namespace headlight
