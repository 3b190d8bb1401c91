// The list of shortcuts, on "?".
#include <iterator>

#include "ui/panels/registry.h"
#include "ui/panels/shortcuts.h"
#include "ui/widgets/dialog.h"

namespace headlight {
namespace {

constexpr Shortcut shortcuts[] = {
    {"Space", "help.play"},
    {"← →", "help.step"},
    {"Shift+←  Shift+→", "help.stage"},
    {"PgUp PgDn", "help.clicker"},
    {"Home End", "help.ends"},
    {"Enter", "help.enter"},
    {"Tab  Shift+Tab", "help.tab"},
    {"Esc", "help.escape"},
    {"P  F5", "help.present"},
    {"F11", "help.fullscreen"},
    {"B", "help.blank"},
    {"F", "help.freeze"},
    {"N", "help.notes"},
    {"J  G", "help.facets"},
    {"K", "help.knock"},
    {"← → ↑ ↓", "help.heads"},
    {"M  R  F", "help.together"},
    {"V  Shift+V", "help.view"},
    {"H  Shift+H", "help.head"},
    {"Alt+← → ↑ ↓", "help.cell"},
    {"R", "help.reaches"},
    {"+ −  0", "help.zoom"},
    {"G", "help.go_to"},
    {"A", "help.pin"},
    {"Ctrl+O", "help.open"},
    {"D", "help.brush"},
    {"← → ↑ ↓  A F G Del", "help.paint"},
    {"Ctrl+E", "help.export"},
    {"Ctrl+S  Ctrl+Shift+S", "help.save"},
    {"Ctrl+V", "help.paste"},
    {"Ctrl+Z", "help.undo"},
    {"Ctrl+Y  Ctrl+Shift+Z", "help.redo"},
    {"Ctrl+C", "help.copy_value"},
    {"Ctrl+Shift+C", "help.copy_row"},
    {"Ctrl+Alt+C", "help.copy_matrix"},
    {"Alt+P  Alt+S", "help.save_figure"},
    {"Alt+C  Alt+N", "help.save_numbers"},
    {"?  F1", "help.help"},
    {"Ctrl+Q", "help.quit"},
};

}  // namespace

std::span<const Shortcut> all_shortcuts() { return shortcuts; }

void draw_help(const Frame& frame, Rect place) {
  const float u = frame.u;
  const float line = 27 * u, column = 456 * u, keys = 178 * u;
  constexpr std::size_t lines = (std::size(shortcuts) + 1) / 2;  // in two columns: as high as a small screen
  const DialogArea area(frame, place, Dialog::help, "help", frame.words("help.title"), {2 * column + 44 * u, line * static_cast<float>(lines) + 78 * u});
  if (!area.open()) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = area.content().min;
  for (std::size_t i = 0; i < std::size(shortcuts); ++i) {
    const ImVec2 from{at.x + static_cast<float>(i / lines) * column, at.y + static_cast<float>(i % lines) * line};
    draw_text(list, frame.fonts, Face::mono, 14 * u, from, frame.look.ink, shortcuts[i].keys);
    draw_elided(list, frame.fonts, Face::ui, 13 * u, {from.x + keys, from.y}, frame.look.muted, frame.words(shortcuts[i].word), column - keys - 12 * u);
  }
}

}  // namespace headlight
