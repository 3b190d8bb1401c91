// The list of shortcuts, on "?".
#include <iterator>

#include "ui/imgui_compat.h"
#include "ui/panels/registry.h"
#include "ui/widgets/controls.h"

namespace headlight {
namespace {

struct Shortcut {
  const char* keys;
  const char* word;
};

constexpr Shortcut shortcuts[] = {
    {"Space", "help.play"},       {"← →", "help.step"},        {"PgUp PgDn", "help.clicker"}, {"Home End", "help.ends"},
    {"Esc", "help.escape"},       {"P", "help.present"},       {"F11", "help.fullscreen"},    {"B", "help.blank"},
    {"Ctrl+Z  Ctrl+Y", "help.undo"}, {"?", "help.help"},       {"Ctrl+Q", "help.quit"},
};

}  // namespace

void draw_help(const Frame& frame, Rect place) {
  if (!frame.view().help) return;
  const float u = frame.u;
  const float line = 27 * u;
  const ImVec2 size{420 * u, line * static_cast<float>(std::size(shortcuts)) + 70 * u};
  const ImVec2 min{place.centre().x - size.x / 2, place.centre().y - size.y / 2};
  const PanelArea area(frame, "help", min, {min.x + size.x, min.y + size.y}, frame.look.panel, {22, 18});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  compat::add_rect(list, min, {min.x + size.x, min.y + size.y}, frame.look.line, 0, 1);
  draw_text(list, frame.fonts, Face::bold, 16 * u, {min.x + 22 * u, min.y + 18 * u}, frame.look.ink, frame.words("help.title"));
  float y = min.y + 54 * u;
  for (const Shortcut& shortcut : shortcuts) {
    draw_text(list, frame.fonts, Face::mono, 12 * u, {min.x + 22 * u, y}, frame.look.ink, shortcut.keys);
    draw_text(list, frame.fonts, Face::ui, 13 * u, {min.x + 160 * u, y}, frame.look.muted, frame.words(shortcut.word));
    y += line;
  }
}

}  // namespace headlight
