// Two masks side by side, with the cells that one alone allows marked in both.
#include <algorithm>
#include <array>

#include "ui/frame/colormaps.h"
#include "ui/imgui_compat.h"
#include "ui/look/measure.h"
#include "ui/masklab/registry.h"
#include "ui/masklab/sides_picture.h"
#include "ui/widgets/controls.h"

namespace headlight {
namespace {

/// Outlined where cells are large, tinted where they are not; in the colour that the difference has there.
void mark_differences(const Frame& frame, const SidesPicture& picture, const HeatPicture& heat) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (picture.tint) frame.painter.image(list, heat.rect.min, picture.tint);
  const ImVec2 cell{heat.rect.width() / static_cast<float>(heat.cols),
                    heat.rect.height() / static_cast<float>(heat.rows)};
  const Colormap& map = *picture.matrices[2].heat.colormap;
  const ImU32 by_a = to_imgui(map.at(0)), by_b = to_imgui(map.at(1));
  for (const DifferingRun& run : picture.runs) {
    for (Index i = 0; i < run.count; ++i) {
      const ImVec2 min{heat.rect.min.x + static_cast<float>(run.col + i) * cell.x,
                       heat.rect.min.y + static_cast<float>(run.row) * cell.y};
      const Rect at = Rect{min, {min.x + cell.x, min.y + cell.y}}.grown(-2 * frame.u);
      compat::add_rect(list, at.min, at.max, run.by_a ? by_a : by_b, Corner::mark * frame.u, 2.5f * frame.u);
    }
  }
}

void draw_field(const Frame& frame, const SidesPicture& picture) {
  const float u = frame.u, button = 142 * u;
  const Rect& field = picture.field;
  ImGui::SetCursorScreenPos(field.min);
  ImGui::BeginChild("other", {field.width() - button - 8 * u, field.height()}, false,
                    ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar);
  const std::string& other = second_mask(frame.view().mask_lab, frame.document.scenario);
  if (const auto text = text_field(frame, "##other", other, Face::mono, true)) {
    frame.show([typed = *text](View& v) { v.mask_lab.other = typed; });
  }
  ImGui::EndChild();
  ImGui::SetCursorScreenPos({field.max.x - button, field.min.y});
  if (!chip(frame, "use", frame.words("mask_lab.sides.use"), false, button) || !picture.shows()) return;
  frame.edit({}, [mask = other](Scenario& s) { s.mask = mask; });
}

}  // namespace

void draw_side_by_side_tab(const Frame& frame, Rect place) {
  const Rect inside = sheet_inside(frame, place);
  const SidesPicture& picture = sides_picture(frame, inside);
  draw_field(frame, picture);
  draw_sheet_words(frame, picture.words, {{inside.min.x, inside.min.y + 42 * frame.u}, inside.max});
  if (!picture.shows()) return;
  const auto& [a, b, difference] = picture.matrices;
  point_at_cells(
      frame, "cells",
      {a.card.min, {std::max(b.card.max.x, difference.card.max.x), std::max(b.card.max.y, difference.card.max.y)}},
      std::array{&a, &b, &difference});
  for (const MatrixCard& card : picture.matrices) draw_matrix_card(frame, card);
  mark_differences(frame, picture, a.heat);
  mark_differences(frame, picture, b.heat);
}

}  // namespace headlight
