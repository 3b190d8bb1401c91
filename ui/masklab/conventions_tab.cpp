// The same mask under the choices that differ between libraries: a click takes one and shows what changes downstream.
#include "ui/document/wanted.h"
#include "ui/imgui_compat.h"
#include "ui/masklab/conventions_picture.h"
#include "ui/masklab/registry.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/pressable.h"

namespace headlight {
namespace {

/// This run becomes A, the other choice B.
void take(const Frame& frame, const Scenario& scenario) {
  frame.actions.push_back(Pin{});
  frame.actions.push_back(PatchScenario{scenario_patch(frame.document.scenario, scenario), {}});
  frame.show([](View& v) { v.kind = ViewKind::compare; });
}

void draw_choice(const Frame& frame, const ConventionsPicture::Card& card) {
  const Rect& place = card.matrix.card;
  ImGui::SetCursorScreenPos(place.min);
  const bool clicked = pressable(frame, card.id.c_str(), {place.width(), place.height()});
  const bool hovered = ImGui::IsItemHovered();
  tooltip(frame, card.who);
  draw_matrix_card(frame, card.matrix,
                   card.reference             ? frame.look.after
                   : hovered && card.scenario ? frame.look.accent
                                              : 0);
  if (clicked && card.scenario) take(frame, *card.scenario);
}

}  // namespace

void draw_conventions_tab(const Frame& frame, Rect place) {
  const Rect inside = sheet_inside(frame, place);
  const ConventionsPicture& picture = conventions_picture(frame, inside);
  draw_sheet_words(frame, picture.words, inside);
  for (const ConventionsPicture::Card& card : picture.cards) draw_choice(frame, card);
}

}  // namespace headlight
