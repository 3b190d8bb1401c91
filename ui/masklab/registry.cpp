#include "ui/masklab/registry.h"

#include <array>

#include "ui/level/card_notes.h"
#include "ui/masklab/mask_picture.h"
#include "ui/widgets/controls.h"

namespace headlight {
namespace {

constexpr std::array tabs{
    MaskTabEntry{MaskTab::patterns, "mask_lab.tabs.patterns", draw_patterns_tab},
    MaskTabEntry{MaskTab::conventions, "mask_lab.tabs.conventions", draw_conventions_tab},
    MaskTabEntry{MaskTab::reach, "mask_lab.tabs.reach", draw_reach_tab},
    MaskTabEntry{MaskTab::cost, "mask_lab.tabs.cost", draw_cost_tab},
    MaskTabEntry{MaskTab::side_by_side, "mask_lab.tabs.sides", draw_side_by_side_tab},
};

}  // namespace

std::span<const MaskTabEntry> all_mask_tabs() { return tabs; }

namespace {

/// Gives where it ends.
float draw_tab_row(const Frame& frame, ImVec2 at) {
  ImGui::SetCursorScreenPos(at);
  for (const MaskTabEntry& entry : all_mask_tabs()) {
    if (bar_button(frame, entry.word, frame.words(entry.word), entry.tab == frame.view().mask_lab.tab)) {
      frame.show([tab = entry.tab](View& v) { v.mask_lab.tab = tab; });
    }
    ImGui::SameLine(0, 2 * frame.u);
  }
  return ImGui::GetItemRectMax().x;
}

}  // namespace

void draw_mask_view(const Frame& frame, Rect place) {
  const float u = frame.u;
  float top = place.min.y;
  if (frame.view().presenting) {
    top = say_random(frame, {{place.min.x + 14 * u, top + 8 * u}, place.max}) - 8 * u;
  } else {
    const float end = draw_tab_row(frame, {place.min.x + 14 * u, top + 8 * u});
    say_random(frame, {{end + 16 * u, top + 14 * u}, {place.max.x - 14 * u, top + 34 * u}});
    top += 34 * u;
  }
  const MaskTabEntry* chosen = &all_mask_tabs().front();
  for (const MaskTabEntry& entry : all_mask_tabs()) {
    if (entry.tab == frame.view().mask_lab.tab) chosen = &entry;
  }
  // The other sheets count cells, which nobody holds of a sequence this long.
  if (chosen->tab != MaskTab::patterns && (*frame.trace())[Stage::weights].source()) {
    ImGui::SetCursorScreenPos({place.min.x + 24 * u, top + 24 * u});
    ImGui::PushTextWrapPos(place.max.x - ImGui::GetWindowPos().x - 24 * u);
    ImGui::TextUnformatted(frame.words("mask_lab.too_long"));
    ImGui::PopTextWrapPos();
    return;
  }
  chosen->draw(frame, {{place.min.x, top}, place.max});
}

}  // namespace headlight
