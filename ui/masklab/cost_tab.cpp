// What a mask costs: the blocks that a block-sparse kernel skips, operations, and the cache of keys and values.
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/imgui_compat.h"
#include "ui/look/measure.h"
#include "ui/masklab/cost_picture.h"
#include "ui/masklab/registry.h"
#include "ui/widgets/controls.h"

namespace headlight {
namespace {

constexpr float tab_bar_line = 32;  // points

void draw_grid(const Frame& frame, const HeatPicture& heat, Index block) {
  const ImVec2 step{heat.rect.width() / static_cast<float>(heat.cols) * static_cast<float>(block),
                    heat.rect.height() / static_cast<float>(heat.rows) * static_cast<float>(block)};
  if (std::min(step.x, step.y) < 5 * frame.u || block == 1) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float thick = std::max(1.0f, 1.5f * frame.u);
  for (float x = heat.rect.min.x + step.x; x < heat.rect.max.x - 1; x += step.x)
    list.AddLine({x, heat.rect.min.y}, {x, heat.rect.max.y}, frame.look.accent, thick);
  for (float y = heat.rect.min.y + step.y; y < heat.rect.max.y - 1; y += step.y)
    list.AddLine({heat.rect.min.x, y}, {heat.rect.max.x, y}, frame.look.accent, thick);
}

/// One line a kind of block, with cells as the matrix has them.
void draw_legend(const Frame& frame, const CostPicture& picture) {
  const float u = frame.u, side = 12 * u;  // as every legend: the patterns are kept in one size
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Colormap& map = blocks_colormap(frame.look.theme);
  const ImU32 full = to_imgui(map.at(1)), allowed = to_imgui(map.at(0.5f)), masked = to_imgui(map.at(0));
  for (std::size_t i = 0; i < picture.kinds.size(); ++i) {
    const ImVec2 at{std::round(picture.legend.min.x),
                    std::round(picture.legend.min.y + static_cast<float>(i) * 20 * u)};
    const ImVec2 end{at.x + side, at.y + side};
    draw_swatch(frame, list, {i == 0 ? CellKind::masked : CellKind::value, i == 1 ? full : masked, ""}, at, side);
    if (i == 2) list.AddTriangleFilled({at.x, at.y}, {at.x, end.y}, end, allowed);
    compat::add_rect(list, at, end, frame.look.line, 0, 1);
    draw_elided(list, frame.fonts, Face::ui, TypeSize::body * u, {end.x + 8 * u, at.y - 1 * u}, frame.look.ink,
                picture.kinds[i], picture.legend.max.x - end.x - 8 * u);
  }
}

void draw_title(const Frame& frame, const CostPlot& plot) {
  draw_elided(*ImGui::GetWindowDrawList(), frame.fonts, Face::bold, TypeSize::body * frame.u, plot.place.min,
              frame.look.ink, plot.title, plot.place.width());
}

void draw_bars(const Frame& frame, const CostPlot& plot) {
  const float u = frame.u, size = TypeSize::body * u;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_title(frame, plot);
  float y = plot.place.min.y + 24 * u;
  for (const CostBar& bar : plot.bars) {
    const ImU32 ink = bar.present ? frame.look.ink : frame.look.muted;
    const float number = text_size(frame.fonts, Face::mono, TypeSize::note * u, bar.number).x;
    draw_elided(list, frame.fonts, bar.present ? Face::bold : Face::ui, size, {plot.place.min.x, y}, ink, bar.label,
                plot.place.width() - number - 10 * u);
    draw_text(list, frame.fonts, Face::mono, TypeSize::note * u, {plot.place.max.x - number, y}, ink, bar.number);
    const ImVec2 from{plot.place.min.x, y + 17 * u};
    list.AddRectFilled(from, {plot.place.max.x, from.y + 7 * u}, frame.look.field, Corner::cell * u);
    list.AddRectFilled(from, {from.x + std::max(plot.place.width() * bar.share, 2 * u), from.y + 7 * u},
                       bar.present ? frame.look.accent : frame.look.muted, Corner::cell * u);
    y += tab_bar_line * u;
  }
}

/// A column a bar, the number above and the name below; gives the one that was clicked.
const CostBar* draw_columns(const Frame& frame, const char* id, const CostPlot& plot) {
  const float u = frame.u, size = TypeSize::note * u;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_title(frame, plot);
  const CostBar* clicked = nullptr;
  const float each = std::min(plot.place.width() / static_cast<float>(plot.bars.size()), 110 * u);
  const float floor = plot.place.max.y - 18 * u, top = plot.place.min.y + 38 * u;
  list.AddLine({plot.place.min.x, floor}, {plot.place.max.x, floor}, frame.look.line, 1);
  ImGui::PushID(id);
  for (std::size_t i = 0; i < plot.bars.size(); ++i) {
    const CostBar& bar = plot.bars[i];
    const float left = plot.place.min.x + static_cast<float>(i) * each, middle = left + each / 2,
                half = std::min(each * 0.36f, 26 * u);
    ImGui::SetCursorScreenPos({left, plot.place.min.y + 20 * u});
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::InvisibleButton("column", {each, plot.place.max.y - plot.place.min.y - 20 * u})) clicked = &bar;
    const bool hovered = ImGui::IsItemHovered();
    ImGui::PopID();
    const float y = floor - std::max(floor - top, 4 * u) * bar.share;
    const ImU32 ink = bar.present || hovered ? frame.look.ink : frame.look.muted;
    list.AddRectFilled({middle - half, y}, {middle + half, floor},
                       bar.present ? frame.look.accent : fade(frame.look.muted, hovered ? 0.9f : 0.55f), 3 * u,
                       ImDrawFlags_RoundCornersTop);
    const Face face = bar.present ? Face::bold : Face::ui;
    const float number = std::min(text_size(frame.fonts, Face::mono, size, bar.number).x, each - 2 * u),
                name = std::min(text_size(frame.fonts, face, 13 * u, bar.label).x, each);
    draw_elided(list, frame.fonts, Face::mono, size, {middle - number / 2, y - 16 * u}, ink, bar.number, number);
    draw_elided(list, frame.fonts, face, 13 * u, {middle - name / 2, floor + 3 * u}, ink, bar.label, name);
  }
  ImGui::PopID();
  return clicked;
}

void choose_block(const Frame& frame, Index block) {
  frame.show([block](View& v) { v.mask_lab.block = static_cast<int>(std::clamp<Index>(block, 1, 4096)); });
}

void draw_settings(const Frame& frame, const CostPicture& picture) {
  constexpr std::array<Index, 13> sizes{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
  ImGui::SetCursorScreenPos(picture.settings.min);
  ImGui::BeginChild("settings", {picture.settings.width(), picture.settings.height()}, false,
                    ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar);
  if (const auto size = int_slider(frame, "block", frame.words("mask_lab.cost.block"), picture.block, Choices(sizes)))
    choose_block(frame, size->value);
  ImGui::EndChild();
}

}  // namespace

void draw_cost_tab(const Frame& frame, Rect place) {
  const Rect inside = sheet_inside(frame, place);
  const CostPicture& picture = cost_picture(frame, inside);
  draw_sheet_words(frame, picture.words, inside);
  point_at_cells(frame, "cells", picture.matrix.card, std::array{&picture.matrix});
  draw_matrix_card(frame, picture.matrix);
  draw_grid(frame, picture.matrix.heat, picture.block);
  draw_settings(frame, picture);
  draw_legend(frame, picture);
  draw_bars(frame, picture.operations);
  if (const CostBar* bar = draw_columns(frame, "blocks", picture.by_block)) choose_block(frame, bar->value);
  if (const CostBar* bar = draw_columns(frame, "cache", picture.cache)) {
    const bool free = frame.document.scenario.source != Source::file;  // a file's weights have their heads
    if (free && bar->value != frame.trace()->dims().kv_heads)
      frame.edit({}, [heads = bar->value](Scenario& s) { s.kv_heads = heads; });
  }
}

}  // namespace headlight
