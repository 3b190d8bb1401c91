// The compare view: the pinned result A, the current result B, and B − A at every stage.

#include <algorithm>
#include <cstdio>

#include "core/base/text/number_text.h"
#include "ui/base/document/wanted.h"
#include "ui/base/look/measure.h"
#include "ui/parts/matrix/matrix_menu.h"
#include "ui/parts/scene/card_notes.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/paragraph.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/views/compare/compare_picture.h"

namespace headlight {
namespace {

constexpr float invitation_width = 440, invitation_title = 38;  // points

/// A suggested change, offered if it would have an effect.
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

/// If nothing is pinned: an explanation of the view, the button to start, and suggested changes that start by
/// themselves.
void draw_invitation(const Frame& frame, Rect place) {
  const float u = frame.u;
  const float width = std::min(invitation_width * u, place.width() - 2 * Space::wide * u);
  const ImVec2 at{place.centre().x - width / 2, place.min.y + place.height() * 0.2f};
  frame.write(Face::bold, TypeSize::title, at, frame.look.ink, frame.words("compare.title"));
  const float top = at.y + invitation_title * u;
  const float height = draw_paragraph(ImGui::GetWindowDrawList(), frame.fonts, Face::ui, TypeSize::body * u,
                                      {at.x, top}, frame.look.ink, frame.words("compare.invitation"), width);
  ImGui::SetCursorScreenPos({at.x, top + height + Space::card * u});
  if (chip(frame, "pin", frame.words("compare.pin"), true)) frame.actions.push_back(Pin{});
  ImGui::SetCursorScreenPos({at.x, ImGui::GetCursorScreenPos().y + Space::part * u});
  note(frame, frame.words("compare.or_ask"));
  for (const Question& question : questions) {
    if (!question.sensible(*frame.trace())) continue;
    ImGui::SetCursorScreenPos({at.x, ImGui::GetCursorScreenPos().y});
    if (!chip(frame, question.word, frame.words(question.word), false, width)) continue;
    frame.actions.push_back(Pin{});
    frame.edit({}, question.change);
  }
}

/// Right-aligned in the heading; returns their left end.
float draw_buttons(const Frame& frame, Rect place) {
  const float u = frame.u;
  float x = place.max.x;
  const auto button = [&](const char* word) {
    const float width = frame.width(Face::ui, TypeSize::note, frame.words(word)) + ControlPad::small * u;
    x -= width;
    ImGui::SetCursorScreenPos({x, place.min.y});
    const bool clicked = chip(frame, word, frame.words(word), false, width);
    x -= Space::near * u;
    return clicked;
  };
  if (button("compare.unpin")) frame.actions.push_back(Unpin{});
  if (button("compare.back"))
    frame.actions.push_back(
        PatchScenario{scenario_patch(frame.document.scenario, frame.document.pinned->scenario), {}});
  if (button("compare.pin_again")) frame.actions.push_back(Pin{});
  return x;
}

void press(const Frame& frame, const SceneTarget& target) {
  if (target.action == SceneAction::slice)
    return frame.show([at = target.cell](View& v) {
      v.batch = at.batch;
      v.head = at.head;
    });
  const Stage stage = target.cell.stage;
  const bool differs = frame.document.difference->find(stage)->kind == StageDifference::Kind::differs;
  frame.show([at = target.cell, stage, differs, trace = frame.document.trace](View& v) {
    if (differs) v = look_at(std::move(v), *trace, at);
    v.compared = stage;
  });
}

std::string number_words(const char* side, const HeatPicture& heat, const Cell& cell) {
  const MatrixQuad& quad = heat.quad;
  return with_minus(
      formatted("%s %.5g", side, static_cast<double>(quad.values.matrix(quad.batch, quad.head)(cell.row, cell.col))));
}

/// A cell in any of the three matrices means the current result's cell.
void point(const Frame& frame, const ComparePicture& picture) {
  const bool clicked = clickable("matrices", picture.large);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const SceneHeat* under = ImGui::IsItemHovered() ? heat_at(picture.scene, mouse) : nullptr;
  const std::optional<Cell> found = under ? cell_at(picture.scene, mouse) : std::nullopt;
  const std::optional<Cell> cell = found && !under->heat->elsewhere ? found : std::nullopt;
  frame.point(&Pointed::cell, cell);
  if (!found) return;
  const auto tell = [&](const auto& make) {
    tooltip(frame, frame.kept_at(*found, make, frame.document.pinned, frame.view().compared));
  };
  if (!cell) return tell([&] { return number_words("A", *under->heat, *found); });
  if (clicked) frame.show([cell](View& v) { v.selected = cell; });
  if (identical(under->heat->quad.values, (*frame.trace())[cell->stage]))
    offer_matrix_menu(frame, cell);  // B, the current result; A and B − A are not stages
  if (frame.document.difference->find(picture.stage)->kind == StageDifference::Kind::other_shape)
    return tell([&] { return number_words("B", *under->heat, *cell); });
  const auto at = [&](const Trace& trace) {
    return static_cast<double>(trace[cell->stage].matrix(cell->batch, cell->head)(cell->row, cell->col));
  };
  const double a = at(*frame.document.pinned), b = at(*frame.trace());
  char words[96];
  std::snprintf(words, sizeof words, "A %.5g\nB %.5g\nB − A %+.5g", a, b, b - a);
  tooltip(frame, words);
}

}  // namespace

void draw_compare_view(const Frame& frame, Rect place) {
  if (!frame.document.pinned) return draw_invitation(frame, place);
  const float u = frame.u;
  const Rect inside = place.grown(-Space::card * u);
  if (!frame.document.difference) {
    frame.write(Face::ui, TypeSize::body, inside.min, frame.look.muted, frame.words("messages.computing"));
    return;
  }
  const Document& document = frame.document;
  const auto& summary = frame.kept([&] { return summary_lines(frame, inside.width()); }, document.pinned,
                                   document.difference, inside.width());
  const float below = (38 + static_cast<float>(summary.size()) * summary_line) * u;
  const float top = say_random(frame, {{inside.min.x, inside.min.y + below}, inside.max}) + Space::near * u;
  const float right = draw_buttons(frame, inside);
  const ComparePicture& picture = compare_picture(frame, inside, {{inside.min.x, top}, inside.max}, right);
  point(frame, picture);
  draw_scene(frame, *ImGui::GetWindowDrawList(), picture.scene);
  if (const SceneTarget* pressed = press_controls(frame, picture.scene)) press(frame, *pressed);
}

}  // namespace headlight
