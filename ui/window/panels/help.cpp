// The list of shortcuts, on "?".
#include <algorithm>
#include <iterator>
#include <string>

#include "core/base/assets/version.h"
#include "ui/base/look/measure.h"
#include "ui/parts/widgets/dialog.h"
#include "ui/window/panels/registry.h"

namespace headlight {
namespace {

// Grouped by playing, viewing, changing numbers, and files: a line without keys is a heading.
constexpr Shortcut shortcuts[] = {
    {"", "help.group_play"},
    {"Space", "help.play"},
    {"← →", "help.step"},
    {"Shift+←  Shift+→", "help.stage"},
    {"PgUp PgDn", "help.clicker"},
    {"Home End", "help.ends"},
    {"P  F5", "help.present"},
    {"F11", "help.fullscreen"},
    {"B", "help.blank"},
    {"F", "help.freeze"},
    {"N", "help.notes"},
    {"", "help.group_look"},
    {"Enter", "help.enter"},
    {"Esc", "help.escape"},
    {"Tab  Shift+Tab", "help.tab"},
    {"V  Shift+V", "help.view"},
    {"H  Shift+H  Ctrl+H", "help.head"},
    {"Alt+← → ↑ ↓", "help.cell"},
    {"J  G  Ctrl+J  Ctrl+G", "help.facets"},
    {"R", "help.reaches"},
    {"+ −  0", "help.zoom"},
    {"G", "help.go_to"},
    {"← → ↑ ↓", "help.heads"},
    {"M  R  F", "help.together"},
    {"S", "help.one_step"},
    {"W", "help.where"},
    {"?  F1", "help.help"},
    {"", "help.group_change"},
    {"Enter  Esc", "help.typing"},
    {"K  Ctrl+K", "help.knock"},
    {"A", "help.pin"},
    {"D", "help.brush"},
    {"← → ↑ ↓  A F G Del", "help.paint"},
    {"Ctrl+Z", "help.undo"},
    {"Ctrl+Y  Ctrl+Shift+Z", "help.redo"},
    {"", "help.group_keep"},
    {"Ctrl+O", "help.open"},
    {"Ctrl+S  Ctrl+Shift+S", "help.save"},
    {"Ctrl+E", "help.export"},
    {"Ctrl+V", "help.paste"},
    {"Ctrl+C", "help.copy_value"},
    {"Ctrl+Shift+C", "help.copy_row"},
    {"Ctrl+Alt+C", "help.copy_matrix"},
    {"Alt+P  Alt+S", "help.save_figure"},
    {"Alt+C  Alt+N", "help.save_numbers"},
    {"Ctrl+Q", "help.quit"},
};

}  // namespace

std::span<const Shortcut> all_shortcuts() { return shortcuts; }

void draw_help(const Frame& frame, Rect place) {
  if (frame.view().dialog != Dialog::help) return;
  const float u = frame.u;
  constexpr float line_points = 27, wanted_points = 456;
  const float line = line_points * u, wanted = wanted_points * u;
  // In columns, as high as a small screen; in a narrow window it scrolls.
  const bool two = place.width() >= (2 * wanted_points + 84) * u;
  const std::size_t lines = two ? (std::size(shortcuts) + 1) / 2 : std::size(shortcuts);
  struct Title {
    std::string words;
  };
  const std::string& title =
      frame.pictures
          .get<Title>(
              [&] { return Title{std::string(frame.words("help.title")) + "  ·  Headlight " + version_text()}; },
              frame.words.language())
          .words;
  const DialogArea area(frame, place, Dialog::help, "help", title.c_str(),
                        {(two ? 2 : 1) * wanted_points + 44, line_points * static_cast<float>(lines) + 78});
  if (!area.open()) return;
  const Rect content = area.content();
  ImGui::SetCursorScreenPos(content.min);
  ImGui::BeginChild("keys", {content.width(), content.height()}, false,
                    ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float column = two ? wanted : std::min(wanted, ImGui::GetContentRegionAvail().x);
  for (std::size_t first = 0; first < std::size(shortcuts); first += lines) {
    const auto part = std::span(shortcuts).subspan(first, std::min(lines, std::size(shortcuts) - first));
    float keys = 0;
    for (const Shortcut& shortcut : part)
      keys = std::max(keys, frame.width(Face::mono, TypeSize::large, shortcut.keys) + Space::part * u);
    ImVec2 from{at.x + (first > 0 ? column : 0), at.y};
    for (const Shortcut& shortcut : part) {
      if (*shortcut.keys == '\0') {
        frame.write(Face::bold, TypeSize::body, {from.x, from.y + Space::thin * u}, frame.look.muted,
                    frame.words(shortcut.word));
        from.y += line;
        continue;
      }
      frame.write(Face::mono, TypeSize::large, from, frame.look.ink, shortcut.keys);
      frame.write_elided(Face::ui, TypeSize::body, {from.x + keys, from.y}, frame.look.muted,
                         frame.words(shortcut.word), column - keys - Space::apart * u);
      from.y += line;
    }
  }
  ImGui::Dummy({column, line * static_cast<float>(lines)});
  ImGui::EndChild();
}

}  // namespace headlight
