// Three things to try, shown when the program is opened for the first time.
#include "ui/base/look/measure.h"
#include "ui/parts/player/stages.h"
#include "ui/parts/widgets/dialog.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/window/panels/registry.h"

namespace headlight {
namespace {

struct InvitationButton {
  static constexpr float height = 68, story = 39;  // points
};

struct Invitation {
  const char* id;
  const char* title;
  const char* story;
  /// Changes the view, which shows the sentence.
  void (*accept)(const Trace* trace, const Timeline& timeline, View& view);
};

constexpr Invitation invitations[] = {
    {"number", "welcome.number", "welcome.number_story", [](const Trace*, const Timeline&, View&) {}},
    {"play", "welcome.play", "welcome.play_story",
     [](const Trace* trace, const Timeline& timeline, View& view) {
       view = with_played_stage(std::move(view), *trace, timeline);
     }},
    {"guess", "welcome.guess", "welcome.guess_story", [](const Trace*, const Timeline&, View& view) {
       view.levels.guessing = {true, {}};
     }}};

}  // namespace

void draw_welcome(const Frame& frame, Rect place) {
  const float u = frame.u;
  const DialogArea area(frame, place, Dialog::welcome, "welcome", frame.words("welcome.title"), {560, 330});
  if (!area.open()) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Rect content = area.content();
  float y = content.min.y;
  for (const Invitation& invitation : invitations) {
    const ImVec2 size{content.width(), InvitationButton::height * u};
    ImGui::SetCursorScreenPos({content.min.x, y});
    const bool clicked = pressable(frame, invitation.id, size);
    const bool hovered = ImGui::IsItemHovered();
    list.AddRectFilled({content.min.x, y}, {content.max.x, y + size.y},
                       hovered ? frame.look.field_hover : frame.look.field, Corner::card * u);
    frame.write(Face::bold, TypeSize::heading, {content.min.x + Space::part * u, y + Space::apart * u}, frame.look.ink,
                frame.words(invitation.title));
    frame.write_elided(Face::ui, TypeSize::body, {content.min.x + Space::part * u, y + InvitationButton::story * u},
                       frame.look.muted, frame.words(invitation.story), size.x - 2 * Space::part * u);
    y += size.y + Space::pad * u;
    if (!clicked) continue;
    frame.show([accept = invitation.accept, trace = frame.document.trace, &timeline = frame.timeline](View& v) {
      v.dialog = Dialog::none;
      v.kind = ViewKind::pipeline;
      v.levels.level = Level::sentence;
      accept(trace.get(), timeline, v);
    });
  }
  frame.write(Face::ui, TypeSize::note, {content.min.x, y + Space::fine * u}, frame.look.muted,
              frame.words("welcome.keys"));
}

}  // namespace headlight
