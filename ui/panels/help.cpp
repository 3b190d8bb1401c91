// The list of shortcuts, on "?".
#include <iterator>

#include "ui/panels/registry.h"
#include "ui/widgets/dialog.h"

namespace headlight {
namespace {

struct Shortcut {
  const char* keys;
  const char* word;
};

constexpr Shortcut shortcuts[] = {
    {"Space", "help.play"},
    {"← →", "help.step"},
    {"Shift+←  Shift+→", "help.stage"},
    {"PgUp PgDn", "help.clicker"},
    {"Home End", "help.ends"},
    {"Esc", "help.escape"},
    {"P", "help.present"},
    {"F11", "help.fullscreen"},
    {"B", "help.blank"},
    {"R", "help.reaches"},
    {"A", "help.pin"},
    {"Ctrl+O", "help.open"},
    {"D", "help.brush"},
    {"← → ↑ ↓  A F G", "help.paint"},
    {"Ctrl+E", "help.export"},
    {"Ctrl+S", "help.save"},
    {"Ctrl+V", "help.paste"},
    {"Ctrl+Z  Ctrl+Y", "help.undo"},
    {"Ctrl+C", "help.copy_value"},
    {"Ctrl+Shift+C", "help.copy_row"},
    {"Ctrl+Alt+C", "help.copy_matrix"},
    {"Alt+P  Alt+S", "help.save_figure"},
    {"Alt+C  Alt+N", "help.save_numbers"},
    {"?", "help.help"},
    {"Ctrl+Q", "help.quit"},
};

}  // namespace

void draw_help(const Frame& frame, Rect place) {
  const float u = frame.u;
  const float line = 27 * u;
  const DialogArea area(frame, place, Dialog::help, "help", frame.words("help.title"),
                        {420 * u, line * static_cast<float>(std::size(shortcuts)) + 70 * u});
  if (!area.open()) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = area.content().min;
  float y = at.y;
  for (const Shortcut& shortcut : shortcuts) {
    draw_text(list, frame.fonts, Face::mono, 12 * u, {at.x, y}, frame.look.ink, shortcut.keys);
    draw_text(list, frame.fonts, Face::ui, 13 * u, {at.x + 138 * u, y}, frame.look.muted, frame.words(shortcut.word));
    y += line;
  }
}

}  // namespace headlight
