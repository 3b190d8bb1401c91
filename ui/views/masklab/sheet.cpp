#include "ui/views/masklab/sheet.h"

#include <algorithm>
#include <array>

#include "core/base/text/number_text.h"
#include "core/figures/figure/colormap.h"
#include "core/rules/mask/statistics.h"
#include "ui/base/look/measure.h"
#include "ui/parts/scene/card_notes.h"
#include "ui/parts/scene/pointer.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/views/masklab/mask_picture.h"

namespace headlight {

constexpr float least_sheet = 60;  // points

Tensor looked_at_mask(const Frame& frame) {
  const Trace& trace = *frame.trace();
  const Dims& dims = trace.dims();
  if (!trace.has(Stage::mask)) return Tensor::full({1, 1}, 1).expand({dims.n_q, dims.n_k}).contiguous();
  return trace[Stage::mask].slice(0, frame.view().batch, 1).slice(1, frame.view().head, 1).view({dims.n_q, dims.n_k});
}

Stage looked_at_stage(const Frame& frame) { return frame.trace()->has(Stage::mask) ? Stage::mask : Stage::weights; }

const Colormap& pair_colormap(Theme theme) {
  static const Colormap light = colormap("mask pair", Theme::light), dark = colormap("mask pair", Theme::dark);
  return theme == Theme::light ? light : dark;
}

const Colormap& blocks_colormap(Theme theme) {
  static const Colormap light = colormap("mask blocks", Theme::light), dark = colormap("mask blocks", Theme::dark);
  return theme == Theme::light ? light : dark;
}

Index block_in_force(const MaskLab& lab, const Dims& dims) {
  return lab.block ? *lab.block : usual_block(std::max(dims.n_q, dims.n_k));
}

std::string percent_text(double share) { return formatted("%.1f %%", 100 * share); }

Rect sheet_inside(const Frame& frame, Rect place) {
  const float u = frame.u;
  return {{place.min.x + Space::card * u, place.min.y + Space::pad * u},
          {place.max.x - Space::card * u, place.max.y - Space::card * u}};
}

Rect put_sheet_words(Pen& pen, const SheetWords& words, Rect place) {
  const float u = pen.u(), width = place.width();
  const Look& look = pen.look();
  pen.words(Face::bold, TypeSize::large * u, place.min, look.ink, words.title, width);
  float y = place.min.y + Space::section * u;
  for (const std::string& line : words.lines)
    y += std::max(pen.paragraph(Face::ui, TypeSize::body * u, {place.min.x, y}, look.muted, line, width) + u,
                  Space::wide * u);
  y += words.error.empty()
           ? put_swatches(pen, words.legend, {place.min.x, y + Space::fine * u}, width) + Space::near * u
           : pen.paragraph(Face::ui, TypeSize::large * u, {place.min.x, y + Space::tight * u}, look.warning,
                           words.error, width) +
                 Space::pad * u;
  return {{place.min.x, y}, {place.max.x, std::max(place.max.y, y + least_sheet * u)}};
}

void point_at_cells(const Frame& frame, const Scene& scene, Rect area) {
  const bool clicked = clickable("cells", area);
  const bool here = ImGui::IsItemHovered() || ImGui::IsItemActive();
  hover_or_select(frame, here ? cell_at(scene, ImGui::GetIO().MousePos) : std::nullopt, clicked);
}

namespace {

constexpr std::array tabs{
    MaskTabEntry{MaskTab::patterns, "mask_lab.tabs.patterns", draw_patterns_tab},
    MaskTabEntry{MaskTab::conventions, "mask_lab.tabs.conventions", draw_conventions_tab},
    MaskTabEntry{MaskTab::reach, "mask_lab.tabs.reach", draw_reach_tab},
    MaskTabEntry{MaskTab::cost, "mask_lab.tabs.cost", draw_cost_tab},
    MaskTabEntry{MaskTab::side_by_side, "mask_lab.tabs.sides", draw_side_by_side_tab},
};

/// Returns where it ends.
float draw_tab_row(const Frame& frame, ImVec2 at) {
  ImGui::SetCursorScreenPos(at);
  for (const MaskTabEntry& entry : tabs) {
    if (bar_button(frame, entry.word, frame.words(entry.word), entry.tab == frame.view().mask_lab.tab)) {
      frame.show([tab = entry.tab](View& v) { v.mask_lab.tab = tab; });
    }
    ImGui::SameLine(0, Space::fine * frame.u);
  }
  return ImGui::GetItemRectMax().x;
}

}  // namespace

std::span<const MaskTabEntry> all_mask_tabs() { return tabs; }

void draw_mask_view(const Frame& frame, Rect place) {
  const float u = frame.u;
  float top = place.min.y;
  if (frame.view().presenting) {
    top = say_random(frame, {{place.min.x + Space::card * u, top + Space::gap * u}, place.max}) - Space::gap * u;
  } else {
    const float end = draw_tab_row(frame, {place.min.x + Space::card * u, top + Space::gap * u});
    say_random(frame, {{end + Space::part * u, top + Space::card * u},
                       {place.max.x - Space::card * u, top + ControlPitch::chips * u}});
    top += ControlPitch::chips * u;
  }
  const auto found = std::ranges::find(tabs, frame.view().mask_lab.tab, &MaskTabEntry::tab);
  const MaskTabEntry& chosen = found != tabs.end() ? *found : tabs.front();
  // The other tabs count cells, which are not stored for a sequence this long.
  if (chosen.tab != MaskTab::patterns && (*frame.trace())[Stage::weights].source()) {
    ImGui::SetCursorScreenPos({place.min.x + Space::section * u, top + Space::section * u});
    ImGui::PushTextWrapPos(place.max.x - ImGui::GetWindowPos().x - Space::section * u);
    ImGui::TextUnformatted(frame.words("mask_lab.too_long"));
    ImGui::PopTextWrapPos();
    return;
  }
  chosen.draw(frame, {{place.min.x, top}, place.max});
}

}  // namespace headlight
