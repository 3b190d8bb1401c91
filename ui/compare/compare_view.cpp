// The compare view: what if? The pinned result A, the present one B, and B − A at every stage.

#include <algorithm>
#include <cstdio>

#include "ui/compare/compare_picture.h"
#include "ui/document/view.h"
#include "ui/document/wanted.h"
#include "ui/level/card_notes.h"
#include "ui/look/measure.h"
#include "ui/matrix/heatmap.h"
#include "ui/matrix/matrix_menu.h"
#include "ui/widgets/card.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/paragraph.h"
#include "ui/widgets/pressable.h"

namespace headlight {
namespace {

void draw_matrix(const Frame& frame, const HeatPicture& heat, bool numbers) {
  if (heat.rows == 0) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_heat(frame, list, heat, heat.rect, numbers);
  draw_highlights(frame, list, heat, heat.rect);
}

/// A change worth asking about, where it would change something.
struct Question {
  const char* word;
  bool (*sensible)(const Trace& trace);
  void (*change)(Scenario& scenario);
};

constexpr Question questions[] = {
    {"compare.what_if.no_scale", [](const Trace& t) { return t.dims().d_head > 1 && t.scale != 1; },
     [](Scenario& s) { s.scale = 1; }},
    {"compare.what_if.no_mask", [](const Trace& t) { return t.has(Stage::mask); },
     [](Scenario& s) {
       s.mask = "full()";
       s.painted.clear();
     }},
    {"compare.what_if.causal", [](const Trace& t) { return !t.has(Stage::mask); },
     [](Scenario& s) { s.mask = "causal()"; }},
    {"compare.what_if.one_kv_head",
     [](const Trace& t) { return t.scenario.source != Source::file && t.dims().kv_heads > 1; },
     [](Scenario& s) { s.kv_heads = 1; }},
    {"compare.what_if.rope", [](const Trace& t) { return t.scenario.rope == Rope::none && t.dims().d_head % 2 == 0; },
     [](Scenario& s) { s.rope = Rope::half; }},
};

/// With nothing pinned: what this view is for, the button to begin, and questions that begin by themselves.
void draw_invitation(const Frame& frame, Rect place) {
  const float u = frame.u;
  const float width = std::min(440 * u, place.width() - 40 * u);
  const ImVec2 at{place.centre().x - width / 2, place.min.y + place.height() * 0.2f};
  draw_text(*ImGui::GetWindowDrawList(), frame.fonts, Face::bold, TypeSize::title * u, at, frame.look.ink,
            frame.words("compare.title"));
  const float top = at.y + 38 * u;
  const float height = draw_paragraph(ImGui::GetWindowDrawList(), frame.fonts, Face::ui, TypeSize::body * u,
                                      {at.x, top}, frame.look.ink, frame.words("compare.invitation"), width);
  ImGui::SetCursorScreenPos({at.x, top + height + 14 * u});
  if (chip(frame, "pin", frame.words("compare.pin"), true)) frame.actions.push_back(Pin{});
  ImGui::SetCursorScreenPos({at.x, ImGui::GetCursorScreenPos().y + 16 * u});
  note(frame, frame.words("compare.or_ask"));
  for (const Question& question : questions) {
    if (!question.sensible(*frame.trace())) continue;
    ImGui::SetCursorScreenPos({at.x, ImGui::GetCursorScreenPos().y});
    if (!chip(frame, question.word, frame.words(question.word), false, width)) continue;
    frame.actions.push_back(Pin{});
    frame.edit({}, question.change);
  }
}

/// Right-aligned in the heading; gives their left end.
float draw_buttons(const Frame& frame, Rect place) {
  const float u = frame.u;
  float x = place.max.x;
  const auto button = [&](const char* word) {
    const float width = text_size(frame.fonts, Face::ui, TypeSize::note * u, frame.words(word)).x + 20 * u;
    x -= width;
    ImGui::SetCursorScreenPos({x, place.min.y});
    const bool clicked = chip(frame, word, frame.words(word), false, width);
    x -= 6 * u;
    return clicked;
  };
  if (button("compare.unpin")) frame.actions.push_back(Unpin{});
  if (button("compare.back"))
    frame.actions.push_back(
        PatchScenario{scenario_patch(frame.document.scenario, frame.document.pinned->scenario), {}});
  if (button("compare.pin_again")) frame.actions.push_back(Pin{});
  return x;
}

void draw_heading(const Frame& frame, const ComparePicture& picture, Rect place) {
  const float u = frame.u;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float right = draw_buttons(frame, place);
  draw_elided(list, frame.fonts, Face::bold, TypeSize::heading * u, {place.min.x, place.min.y + 3 * u}, frame.look.ink,
              picture.changes, right - place.min.x - 12 * u);
  draw_elided(list, frame.fonts, Face::ui, TypeSize::body * u, {place.min.x, place.min.y + 34 * u}, frame.look.muted,
              picture.summary, place.width());
}

void draw_panels(const Frame& frame, const ComparePicture& picture, Rect area) {
  const float u = frame.u;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const std::string_view stage = name(picture.stage);
  draw_text(list, frame.fonts, Face::bold, TypeSize::heading * u, area.min, frame.look.lane(picture.stage), stage);
  const float from = area.min.x + text_size(frame.fonts, Face::bold, TypeSize::heading * u, stage).x + 12 * u;
  draw_elided(list, frame.fonts, Face::ui, TypeSize::body * u, {from, area.min.y + 2 * u}, frame.look.ink,
              picture.stage_summary, area.max.x - from);
  for (const ComparePanel& panel : picture.panels) {
    const bool last = &panel == &picture.panels.back();
    draw_card(frame, list, panel.card, last ? frame.look.accent : frame.look.line, (last ? 1.6f : 1) * u);
    draw_text(list, frame.fonts, Face::bold, TypeSize::body * u, {panel.card.min.x + 12 * u, panel.card.min.y + 8 * u},
              frame.look.ink, panel.title);
    draw_colour_ends(frame, list, panel.heat, panel.card, panel.title);
    draw_matrix(frame, panel.heat, true);
    draw_labels(frame, list, panel.heat, panel.heat.rect, 12 * u, true, true);
  }
}

void choose(const Frame& frame, const CompareTile& tile) {
  frame.show([at = tile.at, stage = tile.stage, trace = frame.document.trace](View& v) {
    if (at) v = look_at(std::move(v), *trace, *at);
    v.compared = stage;
  });
}

void draw_tile(const Frame& frame, const CompareTile& tile) {
  const float u = frame.u;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImGui::SetCursorScreenPos(tile.card.min);
  if (pressable(frame, name(tile.stage).data(), {tile.card.width(), tile.card.height()})) choose(frame, tile);
  const bool hovered = ImGui::IsItemHovered();
  draw_card(frame, list, tile.card, tile.chosen || hovered ? frame.look.accent : frame.look.line,
            tile.chosen ? 2 * u : u);
  const float inner = tile.card.width() - 16 * u;
  draw_elided(list, frame.fonts, Face::bold, TypeSize::body * u, {tile.card.min.x + 8 * u, tile.card.min.y + 5 * u},
              tile.colour, name(tile.stage), inner);
  draw_matrix(frame, tile.heat, false);
  draw_elided(list, frame.fonts, Face::ui, TypeSize::body * u, {tile.card.min.x + 8 * u, tile.card.max.y - 19 * u},
              frame.look.ink, tile.largest, inner);
}

/// One batch entry's and head's B − A, which a click shows large.
void draw_slice(const Frame& frame, const CompareSlice& slice, int id) {
  const float u = frame.u;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImGui::SetCursorScreenPos({slice.card.min.x, slice.card.min.y - 18 * u});
  ImGui::PushID(id);
  if (pressable(frame, "slice", {slice.card.width(), slice.card.height() + 18 * u})) {
    frame.show([batch = slice.batch, head = slice.head](View& v) {
      v.batch = batch;
      v.head = head;
    });
  }
  ImGui::PopID();
  const bool hovered = ImGui::IsItemHovered();
  draw_card(frame, list, slice.card, slice.chosen || hovered ? frame.look.accent : frame.look.line,
            slice.chosen ? 2 * u : u);
  draw_matrix(frame, slice.heat, false);
  const ImU32 ink = slice.changed ? frame.look.ink : frame.look.muted;
  draw_elided(list, frame.fonts, slice.chosen ? Face::bold : Face::ui, TypeSize::body * u,
              {slice.card.min.x, slice.card.min.y - 17 * u}, ink, slice.label, slice.card.width() + 6 * u);
}

std::string number_words(const char* side, const HeatPicture& heat, const Cell& cell) {
  char words[48];
  const MatrixQuad& quad = heat.quad;
  std::snprintf(words, sizeof words, "%s %.5g", side,
                static_cast<double>(quad.values.matrix(quad.batch, quad.head)(cell.row, cell.col)));
  return words;
}

/// A cell of any of the three matrices is the present result's cell.
void point(const Frame& frame, const ComparePicture& picture, Rect area) {
  ImGui::SetCursorScreenPos(area.min);
  const bool clicked = ImGui::InvisibleButton("matrices", {area.width(), area.height()});
  std::optional<Cell> cell;
  const HeatPicture* under = nullptr;
  bool alone = false;  // the other side has no such cell
  if (ImGui::IsItemHovered()) {
    for (const ComparePanel& panel : picture.panels) {
      alone = alone || panel.heat.elsewhere;
      const auto found = cell_in(panel.heat, ImGui::GetIO().MousePos);
      if (!found) continue;
      if (panel.heat.elsewhere) {
        if (frame.view().hovered) frame.actions.push_back(Hover{});
        return tooltip(frame, number_words("A", panel.heat, *found));
      }
      cell = found;
      under = &panel.heat;
    }
  }
  if (cell != frame.view().hovered) frame.actions.push_back(Hover{cell});
  if (!cell || !under) return;
  if (under == &picture.panels[1].heat)
    offer_matrix_menu(frame, cell);  // B, the present result; A and B − A are no stage's
  if (alone) {
    tooltip(frame, number_words("B", *under, *cell));
    if (clicked) frame.show([cell](View& v) { v.selected = cell; });
    return;
  }
  const auto at = [&](const Trace& trace) {
    return static_cast<double>(trace[cell->stage].matrix(cell->batch, cell->head)(cell->row, cell->col));
  };
  const double a = at(*frame.document.pinned), b = at(*frame.trace());
  char words[96];
  std::snprintf(words, sizeof words, "A %.5g\nB %.5g\nB − A %+.5g", a, b, b - a);
  tooltip(frame, words);
  if (!clicked) return;
  frame.show([cell](View& v) { v.selected = cell; });
}

}  // namespace

void draw_compare_view(const Frame& frame, Rect place) {
  if (!frame.document.pinned) return draw_invitation(frame, place);
  const float u = frame.u;
  const Rect inside = place.grown(-14 * u);
  if (!frame.document.difference) {
    draw_text(*ImGui::GetWindowDrawList(), frame.fonts, Face::ui, TypeSize::body * u, inside.min, frame.look.muted,
              frame.words("messages.computing"));
    return;
  }
  const float top = say_random(frame, {{inside.min.x, inside.min.y + 56 * u}, inside.max}) + 6 * u;
  const Rect area{{inside.min.x, top}, inside.max};
  const ComparePicture& picture = compare_picture(frame, area);
  draw_heading(frame, picture, inside);
  const Rect large{area.min,
                   {area.max.x, picture.panels.empty() ? area.min.y + 26 * u : picture.panels.back().card.max.y}};
  point(frame, picture, large);
  draw_panels(frame, picture, large);
  for (std::size_t i = 0; i < picture.slices.size(); ++i) draw_slice(frame, picture.slices[i], static_cast<int>(i));
  for (const CompareTile& tile : picture.tiles) draw_tile(frame, tile);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float y = inside.max.y - 18 * u;
  const char* unchanged = frame.words("compare.unchanged");
  draw_text(list, frame.fonts, Face::ui, TypeSize::body * u, {inside.min.x, y}, frame.look.muted, unchanged);
  const float from = inside.min.x + text_size(frame.fonts, Face::ui, TypeSize::body * u, unchanged).x + 8 * u;
  draw_elided(list, frame.fonts, Face::ui, TypeSize::body * u, {from, y}, frame.look.muted, picture.unchanged,
              inside.max.x - from);
}

}  // namespace headlight
