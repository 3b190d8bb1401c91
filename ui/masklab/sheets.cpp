// The sheets of the mask view besides the first: conventions, reach, cost, two masks side by side.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "ui/imgui_compat.h"
#include "ui/look/colormaps.h"
#include "ui/masklab/registry.h"
#include "ui/pictures.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/heatmap.h"

namespace headlight {
namespace {

template <typename Set>
void change_lab(const Frame& frame, Set set) {
  View view = frame.view();
  set(view.mask_lab);
  frame.change(std::move(view));
}

Rect inner(const Frame& frame, Rect place) { return place.grown(-14 * frame.u); }

/// The sentences, a line each, the first one large; gives the y below them.
float draw_sentences(const Frame& frame, const SheetPicture& picture, Rect place) {
  const float u = frame.u;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  float y = place.min.y;
  for (const std::string& sentence : picture.sentences) {
    const bool title = y == place.min.y;
    draw_elided(list, frame.fonts, title ? Face::bold : Face::ui, (title ? 14 : 13) * u, {place.min.x, y}, title ? frame.look.ink : frame.look.muted, sentence, place.width());
    y += (title ? 24 : 20) * u;
  }
  if (!picture.error.empty()) {
    ImGui::SetCursorScreenPos({place.min.x, y});
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + place.width());
    ImGui::PushStyleColor(ImGuiCol_Text, frame.look.warning);
    ImGui::TextUnformatted(picture.error.c_str());
    ImGui::PopStyleColor();
    ImGui::PopTextWrapPos();
    y = ImGui::GetCursorScreenPos().y + 6 * u;
  }
  return y + 6 * u;
}

struct Sheet {
  const char* title;
  const Tensor& values;
  Tensor marks;      ///< 0 is hatched; may be undefined
  ValueRange range;
  const Colormap& map;
  bool leaks = false;
};

/// One matrix as large as it fits below its title, the card closed around it; gives the place of its cells.
Rect draw_matrix(const Frame& frame, Rect card, const Sheet& sheet) {
  const float u = frame.u;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const MatrixView matrix = sheet.values.matrix();
  const Rect box{{card.min.x + 14 * u, card.min.y + 30 * u}, {card.max.x - 14 * u, card.max.y - 14 * u}};
  const float side = std::min(box.width() / static_cast<float>(matrix.cols), box.height() / static_cast<float>(matrix.rows));
  const ImVec2 size{side * static_cast<float>(matrix.cols), side * static_cast<float>(matrix.rows)};
  card.max.y = box.min.y + size.y + 14 * u;
  list.AddRectFilled(card.min, card.max, frame.look.card, 9 * u);
  compat::add_rect(list, card.min, card.max, frame.look.line, 9 * u, 1);
  draw_elided(list, frame.fonts, Face::bold, 13 * u, {card.min.x + 14 * u, card.min.y + 8 * u}, frame.look.ink, sheet.title, card.width() - 28 * u);
  MatrixQuad quad;
  quad.min = {std::round(box.centre().x - size.x / 2), box.min.y};
  quad.max = {quad.min.x + size.x, quad.min.y + size.y};
  quad.values = sheet.values;
  quad.mask = sheet.marks;
  quad.show_leaks = sheet.leaks;
  quad.theme = frame.look.theme;
  quad.colormap = &sheet.map;
  quad.range = sheet.range;
  quad.scale = u;
  quad.cell_gap = side >= 6 * u ? u : 0;
  frame.painter.draw(list, quad);
  return {quad.min, quad.max};
}

/// Whole numbers in the cells that are not hatched, where they fit.
void draw_whole_numbers(const Frame& frame, Rect cells, const Sheet& sheet, const Tensor& numbers) {
  const MatrixView matrix = numbers.matrix();
  const float side = cells.width() / static_cast<float>(matrix.cols);
  if (side < 16 * frame.u) return;
  const float size = std::min(side * 0.45f, 17 * frame.u);
  for (Index r = 0; r < matrix.rows; ++r) {
    for (Index c = 0; c < matrix.cols; ++c) {
      if (sheet.marks.matrix()(r, c) == 0) continue;
      char text[16];
      std::snprintf(text, sizeof text, "%.0f", static_cast<double>(matrix(r, c)));
      const ImVec2 extent = text_size(frame.fonts, Face::mono, size, text);
      const ImU32 ink = to_imgui(ink_on(sheet.map.at(normalise(sheet.values.matrix()(r, c), sheet.range))));
      draw_text(*ImGui::GetWindowDrawList(), frame.fonts, Face::mono, size,
                {cells.min.x + (static_cast<float>(c) + 0.5f) * side - extent.x / 2, cells.min.y + (static_cast<float>(r) + 0.5f) * side - extent.y / 2}, ink, text);
    }
  }
}

const Colormap& mask_map(const Frame& frame) { return window_colormap(frame.view(), Stage::mask); }

/// A bar a line in groups under their titles.
void draw_bars(const Frame& frame, const SheetPicture& picture, Rect place) {
  const float u = frame.u;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  float y = place.min.y;
  const float label = 150 * u, number = 96 * u;
  for (std::size_t i = 0; i < picture.bars.size(); ++i) {
    if (!picture.bar_titles[i].empty()) {
      y += i > 0 ? 14 * u : 0;
      draw_elided(list, frame.fonts, Face::bold, 12 * u, {place.min.x, y}, frame.look.ink, frame.words(picture.bar_titles[i]), place.width());
      y += 22 * u;
    }
    const SheetBar& bar = picture.bars[i];
    const ImU32 ink = bar.present ? frame.look.ink : frame.look.muted;
    draw_elided(list, frame.fonts, bar.present ? Face::bold : Face::ui, 12 * u, {place.min.x, y}, ink, bar.label, label - 8 * u);
    const float length = std::max(place.width() - label - number, 20 * u);
    const ImVec2 from{place.min.x + label, y + 3 * u};
    list.AddRectFilled(from, {from.x + length, from.y + 10 * u}, frame.look.field, 3 * u);
    list.AddRectFilled(from, {from.x + length * bar.share, from.y + 10 * u}, bar.present ? frame.look.accent : frame.look.muted, 3 * u);
    draw_text(list, frame.fonts, Face::mono, 12 * u, {from.x + length + 8 * u, y}, ink, bar.number);
    y += 21 * u;
  }
}

}  // namespace

void draw_reach_tab(const Frame& frame, Rect place) {
  const float u = frame.u;
  const Rect inside = inner(frame, place);
  const SheetPicture& picture = sheet_picture(frame);
  const float y = draw_sentences(frame, picture, inside);
  if (!picture.values.defined()) return;
  const Rect matrix{{inside.min.x, y}, {inside.max.x - 236 * u, inside.max.y}};
  const Sheet sheet{frame.words("mask_lab.reach.matrix"), picture.values, picture.marks, picture.range, window_colormap(frame.view(), Stage::weights)};
  draw_whole_numbers(frame, draw_matrix(frame, matrix, sheet), sheet, picture.numbers);
  ImGui::SetCursorScreenPos({matrix.max.x + 16 * u, y});
  ImGui::BeginChild("settings", {220 * u, 120 * u}, false, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar);
  const MaskLab& lab = frame.view().mask_lab;
  if (const auto layers = int_slider(frame, "layers", frame.words("mask_lab.reach.layers"), lab.layers, Choices(1, 32))) {
    change_lab(frame, [&](MaskLab& l) { l.layers = static_cast<int>(std::clamp<Index>(layers->value, 1, 32)); });
  }
  if (chip(frame, "residual", frame.words("mask_lab.reach.residual"), lab.residual, 220 * u)) {
    change_lab(frame, [](MaskLab& l) { l.residual = !l.residual; });
  }
  ImGui::EndChild();
}

void draw_cost_tab(const Frame& frame, Rect place) {
  const float u = frame.u;
  const Rect inside = inner(frame, place);
  const SheetPicture& picture = sheet_picture(frame);
  const float y = draw_sentences(frame, picture, inside);
  const float half = inside.width() * 0.45f;
  const Rect cells = draw_matrix(frame, {{inside.min.x, y}, {inside.min.x + half, inside.max.y}}, {frame.words("mask.title"), picture.values, {}, picture.range, mask_map(frame)});
  const MatrixView matrix = picture.values.matrix();
  const auto block = static_cast<float>(frame.view().mask_lab.block);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float step = cells.width() / static_cast<float>(matrix.cols) * block;
  if (step >= 3 * u) {
    for (float x = cells.min.x + step; x < cells.max.x - 1; x += step) list.AddLine({x, cells.min.y}, {x, cells.max.y}, frame.look.accent, u);
    for (float line = cells.min.y + step; line < cells.max.y - 1; line += step) list.AddLine({cells.min.x, line}, {cells.max.x, line}, frame.look.accent, u);
  }
  const float left = inside.min.x + half + 20 * u;
  ImGui::SetCursorScreenPos({left, y});
  ImGui::BeginChild("settings", {inside.max.x - left, 44 * u}, false, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar);
  constexpr std::array<Index, 8> sizes{1, 2, 4, 8, 16, 32, 64, 128};
  if (const auto size = int_slider(frame, "block", frame.words("mask_lab.cost.block"), frame.view().mask_lab.block, Choices(sizes))) {
    change_lab(frame, [&](MaskLab& l) { l.block = static_cast<int>(std::clamp<Index>(size->value, 1, 4096)); });
  }
  ImGui::EndChild();
  draw_bars(frame, picture, {{left, y + 58 * u}, inside.max});
}

void draw_side_by_side_tab(const Frame& frame, Rect place) {
  const float u = frame.u;
  const Rect inside = inner(frame, place);
  const SheetPicture& picture = sheet_picture(frame);
  ImGui::SetCursorScreenPos(inside.min);
  ImGui::BeginChild("other", {inside.width() - 150 * u, 30 * u}, false, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar);
  if (const auto text = text_field(frame, "##other", frame.view().mask_lab.other, Face::mono, true)) {
    change_lab(frame, [&](MaskLab& l) { l.other = *text; });
  }
  ImGui::EndChild();
  ImGui::SetCursorScreenPos({inside.max.x - 142 * u, inside.min.y});
  if (chip(frame, "use", frame.words("mask_lab.sides.use"), false, 142 * u) && picture.error.empty()) {
    Scenario scenario = frame.document.scenario;
    scenario.mask = frame.view().mask_lab.other;
    frame.change(std::move(scenario));
  }
  const float y = draw_sentences(frame, picture, {{inside.min.x, inside.min.y + 40 * u}, inside.max});
  if (!picture.second.defined()) return;
  const float gap = 12 * u, width = (inside.width() - 2 * gap) / 3;
  const auto card = [&](int i) {
    const float left = inside.min.x + static_cast<float>(i) * (width + gap);
    return Rect{{left, y}, {left + width, std::min(inside.max.y, y + width + 20 * u)}};
  };
  draw_matrix(frame, card(0), {frame.words("mask_lab.sides.a"), picture.values, {}, {0, 1}, mask_map(frame)});
  draw_matrix(frame, card(1), {frame.words("mask_lab.sides.b"), picture.second, {}, {0, 1}, mask_map(frame)});
  draw_matrix(frame, card(2), {frame.words("mask_lab.sides.difference"), picture.differing, {}, {-1, 1}, window_colormap(frame.view(), Stage::scores)});
}

void draw_conventions_tab(const Frame& frame, Rect place) {
  const float u = frame.u;
  const Rect inside = inner(frame, place);
  const SheetPicture& picture = sheet_picture(frame);
  const float top = draw_sentences(frame, picture, inside);
  const auto columns = std::max(static_cast<int>(inside.width() / (230 * u)), 1);
  const float gap = 10 * u, width = (inside.width() - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  const auto rows = (static_cast<int>(picture.choices.size()) + columns - 1) / columns;
  const float height = std::min((inside.max.y - top - gap * static_cast<float>(rows - 1)) / static_cast<float>(std::max(rows, 1)), 260 * u);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (std::size_t i = 0; i < picture.choices.size(); ++i) {
    const SheetPicture::Choice& choice = picture.choices[i];
    const ImVec2 min{inside.min.x + static_cast<float>(static_cast<int>(i) % columns) * (width + gap), top + static_cast<float>(static_cast<int>(i) / columns) * (height + gap)};
    const Rect card{min, {min.x + width, min.y + height}};
    ImGui::SetCursorScreenPos(min);
    const bool clicked = ImGui::InvisibleButton(choice.convention.id.c_str(), {width, height});
    const bool hovered = ImGui::IsItemHovered();
    tooltip(frame, choice.who);
    list.AddRectFilled(card.min, card.max, frame.look.card, 9 * u);
    draw_matrix(frame, {card.min, {card.max.x, card.max.y - 22 * u}}, {choice.name, choice.weights, choice.mask, {0, 1}, window_colormap(frame.view(), Stage::weights), true});
    compat::add_rect(list, card.min, card.max, hovered ? frame.look.accent : frame.look.line, 9 * u, u);
    draw_elided(list, frame.fonts, Face::ui, 11 * u, {card.min.x + 12 * u, card.max.y - 22 * u}, frame.look.ink, choice.effect, width - 24 * u);
    if (!clicked || !choice.convention.applies) continue;
    frame.actions.push_back(Pin{});
    frame.change(choice.convention.scenario);
    View view = frame.view();
    view.kind = ViewKind::compare;
    frame.change(std::move(view));
  }
}

}  // namespace headlight
