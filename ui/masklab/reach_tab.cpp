// How far information travels through layers of the mask: the first layer for every pair, and the field of one query
// drawn.
#include <algorithm>
#include <array>
#include <cstdio>

#include "ui/frame/colormaps.h"
#include "ui/imgui_compat.h"
#include "ui/look/measure.h"
#include "ui/masklab/reach_picture.h"
#include "ui/masklab/registry.h"
#include "ui/matrix/heatmap.h"
#include "ui/widgets/card.h"
#include "ui/widgets/controls.h"

namespace headlight {
namespace {

/// Into each cell that is not hatched the layer it stands for, where it fits.
void draw_layers_in_cells(const Frame& frame, const HeatPicture& heat, int layers) {
  const float w = heat.rect.width() / static_cast<float>(heat.cols),
              h = heat.rect.height() / static_cast<float>(heat.rows);
  if (std::min(w, h) < 16 * frame.u) return;
  const float size = std::min(h * 0.42f, 17 * frame.u);
  const MatrixView strength = heat.quad.values.matrix();
  for (Index r = 0; r < heat.rows; ++r) {
    for (Index c = 0; c < heat.cols; ++c) {
      if (strength(r, c) == 0) continue;
      char text[16];
      std::snprintf(text, sizeof text, "%.0f", static_cast<double>(static_cast<float>(layers) + 1 - strength(r, c)));
      const ImVec2 extent = text_size(frame.fonts, Face::mono, size, text);
      const ImU32 ink = to_imgui(ink_on(heat.quad.colormap->at(normalise(strength(r, c), heat.quad.range))));
      draw_text(*ImGui::GetWindowDrawList(), frame.fonts, Face::mono, size,
                {heat.rect.min.x + (static_cast<float>(c) + 0.5f) * w - extent.x / 2,
                 heat.rect.min.y + (static_cast<float>(r) + 0.5f) * h - extent.y / 2},
                ink, text);
    }
  }
}

void draw_edges(const Frame& frame, const ReachDiagram& diagram) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float u = frame.u;
  const bool dense = diagram.pitch * static_cast<float>(diagram.every) < 16 * u;
  const ImU32 faint = fade(frame.look.muted, dense ? 0.16f : 0.3f), lit = fade(frame.look.accent, dense ? 0.4f : 0.75f);
  const float thick = dense ? u : 1.6f * u;
  for (const ReachDiagram::Edge& edge : diagram.edges) {
    list.AddLine(diagram.at(edge.layer - 1, edge.key), diagram.at(edge.layer, edge.query), edge.lit ? lit : faint,
                 edge.lit ? thick : u);
  }
}

/// Where edges are thinned out, a line along each layer says which tokens are lit.
void draw_lit_runs(const Frame& frame, const ReachDiagram& diagram) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float half = diagram.radius;
  for (Index layer = 0; layer <= diagram.layers; ++layer) {
    list.AddRectFilled({diagram.area.min.x, diagram.at(layer, 0).y - half},
                       {diagram.area.max.x, diagram.at(layer, 0).y + half}, frame.look.field, half);
    for (Index token = 0; token < diagram.tokens; ++token) {
      if (!diagram.is_lit(layer, token)) continue;
      Index last = token;
      while (last + 1 < diagram.tokens && diagram.is_lit(layer, last + 1)) ++last;
      const float from = diagram.at(layer, token).x - diagram.pitch / 2,
                  to = diagram.at(layer, last).x + diagram.pitch / 2;
      list.AddRectFilled({from, diagram.at(layer, 0).y - half}, {std::max(to, from + 1), diagram.at(layer, 0).y + half},
                         frame.look.accent, std::min(half, (to - from) / 2));
      token = last;
    }
  }
}

void draw_dots(const Frame& frame, const ReachDiagram& diagram) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const int corners = diagram.radius < 3 * frame.u ? 8 : 20;
  for (Index layer = 0; diagram.every == 1 && layer <= diagram.layers; ++layer) {
    for (Index token = diagram.first; token < diagram.first + diagram.count; ++token) {
      const bool lit = diagram.is_lit(layer, token);
      list.AddCircleFilled(diagram.at(layer, token), diagram.radius * (lit ? 1.0f : 0.75f),
                           lit ? frame.look.accent : frame.look.field_hover, corners);
    }
  }
  const ImVec2 top = diagram.at(diagram.layers, diagram.query);
  list.AddCircle(top, diagram.radius + 3 * frame.u, frame.look.accent, 24, 1.5f * frame.u);
}

void draw_names(const Frame& frame, const ReachPicture& picture) {
  const ReachDiagram& diagram = picture.diagram;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float u = frame.u, size = TypeSize::note * u;
  const float room = picture.turned ? 1
                                    : std::max(diagram.pitch - 3 * u,
                                               text_size(frame.fonts, Face::ui, size, picture.names.back()).x + 10 * u);
  const Index every = picture.turned ? 1 : round_step(room / diagram.pitch);
  for (Index i = 0; i < diagram.count; i += every) {
    const std::string& name = picture.names[static_cast<std::size_t>(i)];
    const bool lit = diagram.is_lit(0, diagram.first + i);
    const ImU32 ink = lit ? frame.look.ink : frame.look.muted;
    const ImVec2 dot = diagram.at(0, diagram.first + i);
    if (picture.turned) {
      draw_turned(list, frame.fonts, Face::ui, size, {dot.x + 3 * u, dot.y + diagram.radius + 9 * u}, -45, ink, name,
                  56 * u);
      continue;
    }
    const float width =
        std::min(text_size(frame.fonts, Face::ui, size, name).x, diagram.pitch * static_cast<float>(every) - 2 * u);
    draw_elided(list, frame.fonts, Face::ui, size, {dot.x - width / 2, dot.y + diagram.radius + 5 * u}, ink, name,
                width);
  }
  for (Index layer = 0; layer <= diagram.layers; ++layer) {
    const std::string& name = picture.layer_names[static_cast<std::size_t>(layer)];
    draw_text(list, frame.fonts, Face::ui, size,
              {picture.diagram_card.min.x + 14 * u, diagram.at(layer, diagram.first).y - size / 2 - u},
              frame.look.muted, name);
  }
}

void draw_diagram(const Frame& frame, const ReachPicture& picture) {
  const float u = frame.u;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Rect& card = picture.diagram_card;
  draw_card(frame, list, card);
  draw_card_title(frame, list, card, frame.look.ink, picture.diagram_title);
  draw_elided(list, frame.fonts, Face::ui, TypeSize::note * u, {card.min.x + 14 * u, card.min.y + 26 * u},
              frame.look.muted, picture.part, card.width() - 28 * u);
  list.PushClipRect(card.min, card.max, true);
  draw_edges(frame, picture.diagram);
  if (picture.diagram.every > 1) draw_lit_runs(frame, picture.diagram);
  draw_dots(frame, picture.diagram);
  draw_names(frame, picture);
  list.PopClipRect();
}

/// A row of the matrix, or a dot of the diagram where its tokens do not move when another is chosen.
void point(const Frame& frame, const ReachPicture& picture) {
  const bool layered = picture.diagram_card.width() > 0;
  const Rect both{picture.matrix.card.min, layered ? picture.diagram_card.max : picture.matrix.card.max};
  ImGui::SetCursorScreenPos(both.min);
  const bool clicked = ImGui::InvisibleButton("reach", {both.width(), both.height()});
  std::optional<Cell> cell;
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
    const ImVec2 at = ImGui::GetIO().MousePos;
    cell = cell_under(std::array{&picture.matrix}, at);
    const Index token = layered && picture.diagram_card.contains(at) ? picture.diagram.token_at(at.x) : -1;
    if (token >= 0 && (picture.diagram.whole() || clicked))
      cell = Cell{picture.matrix.heat.stage, frame.view().batch, frame.view().head, token, token};
  }
  hover_or_select(frame, cell, clicked);
}

void draw_settings(const Frame& frame, Rect place) {
  ImGui::SetCursorScreenPos(place.min);
  ImGui::BeginChild("settings", {place.width(), place.height()}, false,
                    ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar);
  const MaskLab& lab = frame.view().mask_lab;
  if (const auto layers =
          int_slider(frame, "layers", frame.words("mask_lab.reach.layers"), lab.layers, Choices(1, 32))) {
    frame.show([n = layers->value](View& v) { v.mask_lab.layers = static_cast<int>(std::clamp<Index>(n, 1, 32)); });
  }
  if (chip(frame, "residual", frame.words("mask_lab.reach.residual"), lab.residual, place.width())) {
    frame.show([](View& v) { v.mask_lab.residual = !v.mask_lab.residual; });
  }
  ImGui::EndChild();
}

}  // namespace

void draw_reach_tab(const Frame& frame, Rect place) {
  const Rect inside = sheet_inside(frame, place);
  const ReachPicture& picture = reach_picture(frame, inside);
  const bool shows = picture.words.error.empty();
  draw_sheet_words(frame, picture.words,
                   {inside.min, {shows ? picture.settings.min.x - 16 * frame.u : inside.max.x, inside.max.y}});
  if (!shows) return;
  if (picture.diagram_card.width() > 0) draw_settings(frame, picture.settings);
  point(frame, picture);
  draw_matrix_card(frame, picture.matrix);
  draw_layers_in_cells(frame, picture.matrix.heat, frame.view().mask_lab.layers);
  if (picture.diagram_card.width() > 0) draw_diagram(frame, picture);
}

}  // namespace headlight
