// The first tab of the mask view: the expression, its mask, which can be painted on, next to the resulting weights, and
// every pattern as a small picture to click.

#include <algorithm>
#include <cmath>

#include "ui/base/look/measure.h"
#include "ui/dialogs/open/open_dialog.h"
#include "ui/imgui_compat.h"
#include "ui/parts/matrix/heatmap.h"
#include "ui/parts/matrix/matrix_menu.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/views/masklab/mask_field.h"
#include "ui/views/masklab/mask_picture.h"
#include "ui/views/masklab/painting.h"
#include "ui/views/masklab/sheet.h"

namespace headlight {
namespace {

// In points: links, the sliders of a pattern, the matrices, and the line with the ways to take the mask.
constexpr float link_pad = 7, sliders_height = 42, widest_slider = 170, around_matrix = 200;
constexpr float one_line_from = 800, take_line = 32, two_take_lines = 66;

struct Button {
  MaskFormat format;
  const char *label, *hint;
  const char* heading = nullptr;  ///< words before the first button of a group
};

constexpr Button buttons[] = {
    {MaskFormat::npy, "npy", "mask_take.array", "mask_take.save"},
    {MaskFormat::npz, "npz", "mask_take.array"},
    {MaskFormat::csv, "csv", "mask_take.table"},
    {MaskFormat::png, "png", "mask_take.picture"},
    {MaskFormat::pytorch, "PyTorch", "mask_take.pytorch", "mask_take.copy"},
    {MaskFormat::flex_attention, "FlexAttention", "mask_take.flex"},
    {MaskFormat::numpy, "NumPy", "mask_take.numpy"},
};

float label_width(const Frame& frame, const char* label) {
  return frame.width(Face::ui, TypeSize::note, label) + Space::card * frame.u;
}

float heading_width(const Frame& frame, const char* word) {
  return frame.width(Face::ui, TypeSize::note, frame.words(word)) + Space::gap * frame.u;
}

bool text_button(const Frame& frame, const char* id, const char* label, const char* hint, ImVec2 at) {
  const float u = frame.u;
  ImGui::SetCursorScreenPos(at);
  const bool clicked = pressable(frame, id, {label_width(frame, label), ControlHeight::chip * u});
  const bool hovered = ImGui::IsItemHovered();
  tooltip(frame, frame.words(hint));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (hovered)
    list.AddRectFilled(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), frame.look.field, Corner::control * u);
  frame.write(Face::ui, TypeSize::note, {at.x + link_pad * u, at.y + Space::near * u},
              hovered ? frame.look.ink : frame.look.accent, label);
  return clicked;
}

/// Draws "Open a mask… Save: npy npz csv png Copy as: PyTorch FlexAttention NumPy", ending at `right`; shorter if it
/// would start left of `left`.
void draw_mask_take(const Frame& frame, float left, ImVec2 right) {
  const float u = frame.u, apart = Space::apart * u;
  float width = apart;
  for (const Button& button : buttons) {
    width += label_width(frame, button.label) + (button.heading ? heading_width(frame, button.heading) : 0);
  }
  float x = right.x - width;
  const char* open = frame.words("mask_take.open");
  if (x - label_width(frame, open) < left) open = frame.words("mask_take.open_short");
  if (text_button(frame, "open mask", open, "mask_take.open_hint",
                  {x - label_width(frame, open) - Space::fine * u, right.y}))
    open_dialog(frame, true);
  for (const Button& button : buttons) {
    if (button.heading) {
      if (&button != buttons) x += apart;
      frame.write(Face::ui, TypeSize::note, {x, right.y + Space::near * u}, frame.look.muted,
                  frame.words(button.heading));
      x += heading_width(frame, button.heading);
    }
    if (text_button(frame, button.label, button.label, button.hint, {x, right.y}))
      frame.actions.push_back(TakeMask{button.format});
    x += label_width(frame, button.label);
  }
}

/// A matrix, or the visible part of it, with its labels; painted cells are drawn over a mask.
void draw_part(const Frame& frame, const HeatPicture& heat, bool paints) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Rect rect = zoomed(frame.view().mask_painting, heat.rect);
  const bool whole = frame.view().mask_painting.zoom <= 1;
  draw_labels(frame, list, heat, rect, heat.rect, TypeSize::note * frame.u);
  if (!whole) list.PushClipRect(heat.rect.min, heat.rect.max, true);
  draw_heat(frame, list, heat, rect, true, {});  // the lab shows the whole mask, whatever the player's position
  draw_highlights(frame, list, heat, rect);
  if (paints) draw_painting(frame, heat, rect);
  if (!whole) list.PopClipRect();
}

/// Selects the batch entry, if their masks differ.
void draw_entries(const Frame& frame, const MaskPicture& picture) {
  if (picture.entries.empty()) return;
  const float u = frame.u;
  float x = picture.entries_at.x;
  for (std::size_t b = 0; b < picture.entries.size(); ++b) {
    ImGui::SetCursorScreenPos({x, picture.entries_at.y});
    if (chip(frame, picture.entries[b].c_str(), picture.entries[b], static_cast<Index>(b) == frame.view().batch)) {
      frame.show([b](View& v) { v.batch = static_cast<Index>(b); });
    }
    x = ImGui::GetItemRectMax().x + Space::thin * u;
  }
}

/// Handles pointing, clicking and painting. Without a mask, only cells of the weights can be selected.
void look(const Frame& frame, const MaskPicture& picture, Rect rect, Rect area) {
  const bool clicked = clickable("matrices", area);
  const ImVec2 point = ImGui::GetIO().MousePos;
  std::optional<Cell> cell;
  const bool reaches = ImGui::IsItemHovered() || ImGui::IsItemActive();
  if (reaches) {
    if (picture.mask.rect.contains(point)) cell = cell_in(picture.mask, rect, point);
    if (picture.weights.rect.contains(point))
      cell = cell_in(picture.weights, zoomed(frame.view().mask_painting, picture.weights.rect), point);
  }
  const bool painted = paint_with_pointer(frame, picture.mask, rect, picture.mask.rect);
  const bool has_mask = frame.trace()->has(Stage::mask);
  if (cell && cell->stage == Stage::mask && !has_mask && frame.view().mask_painting.tool == PaintTool::look)
    cell.reset();
  frame.point(&Pointed::cell, cell);
  if (cell && (has_mask || cell->stage != Stage::mask)) offer_matrix_menu(frame, cell);
  if (painted || !clicked || !cell) return;
  frame.show([cell](View& v) { v.selected = cell; });
}

/// The expression over the full width, the painted cells at its right, sliders for its numbers below. Returns where it
/// ends.
float draw_expression(const Frame& frame, Rect inside) {
  const float u = frame.u;
  const float chip_width = draw_painted_chip(frame, {inside.max.x, inside.min.y});
  const float field = inside.width() - (chip_width > 0 ? chip_width + Space::gap * u : 0);
  const float below = inside.min.y + (ControlHeight::field + Space::tight) * u;
  {
    const ControlArea area("expression", {inside.min, {inside.min.x + field, inside.min.y + ControlHeight::field * u}});
    draw_mask_field(frame, "##large mask");
  }
  // The row of sliders keeps its place without any: what is below it does not move when a pattern is chosen.
  const float after = below + sliders_height * u, gap = Space::part * u;
  const int sliders = pattern_slider_count(frame);
  if (sliders == 0) {
    frame.write(Face::ui, TypeSize::note, {inside.min.x, below + Space::apart * u}, frame.look.muted,
                frame.words("mask_lab.no_numbers"));
    return after;
  }
  const float each = std::min((inside.width() - gap * static_cast<float>(sliders - 1)) / static_cast<float>(sliders),
                              widest_slider * u);
  ImGui::SetCursorScreenPos({inside.min.x, below});
  draw_pattern_sliders_in_row(frame, each, gap);
  return after;
}

}  // namespace

void draw_patterns_tab(const Frame& frame, Rect place) {
  const float u = frame.u;
  const Rect inside{{place.min.x + Space::card * u, place.min.y + Space::gap * u},
                    {place.max.x - Space::card * u, place.max.y - Space::apart * u}};
  float y = inside.min.y;
  const bool controls = !frame.view().presenting;
  if (controls) {
    y = draw_expression(frame, inside);
    ImGui::SetCursorScreenPos({inside.min.x, y});
    y += draw_paint_toolbar(frame, inside);
  }
  const float left = inside.max.y - y - (ControlHeight::chip + Space::row) * u, share = left * 0.36f;
  const float row = palette_row(u, share);
  // The palette gets the room that two matrices of the available width leave.
  const Dims& d = frame.trace()->dims();
  const float matrix = inside.width() / 2 * static_cast<float>(d.n_q) / static_cast<float>(std::max<Index>(d.n_k, 1)) +
                       around_matrix * u;
  const float palette = controls ? std::clamp(std::floor(std::max(share, left - matrix) / row), 1.0f,
                                              static_cast<float>(palette_rows(frame, inside.width(), row))) *
                                       row
                                 : 0;
  const bool two_lines = inside.width() < one_line_from * u;  // the hint about clicks, and the ways to export the mask
  const float line = two_lines ? two_take_lines * u : take_line * u;
  const Rect matrices{{inside.min.x, y},
                      {inside.max.x, controls ? inside.max.y - palette - Space::gap * u - line : inside.max.y}};
  const MaskPicture& picture = mask_picture(frame, matrices);
  const Rect rect = zoomed(frame.view().mask_painting, picture.mask.rect);
  look(frame, picture, rect, {matrices.min, {matrices.max.x, matrices.max.y - picture.strip}});
  draw_scene(frame, *ImGui::GetWindowDrawList(), picture.scene);
  draw_part(frame, picture.mask, true);
  draw_part(frame, picture.weights, false);
  if (const SceneTarget* head = press_controls(frame, picture.scene))
    frame.show([head = head->index](View& v) { v.head = head; });
  draw_entries(frame, picture);
  if (!controls) return;
  ImGui::SetCursorScreenPos({inside.min.x, matrices.max.y + Space::gap * u});
  draw_combine_choice(frame);
  if (two_lines) {
    draw_mask_take(frame, inside.min.x, {inside.max.x, matrices.max.y + (Space::gap + take_line) * u});
  } else {
    draw_mask_take(frame, ImGui::GetItemRectMax().x + Space::gap * u, {inside.max.x, matrices.max.y + Space::gap * u});
  }
  draw_palette(frame, {{inside.min.x, matrices.max.y + Space::gap * u + line}, inside.max}, row);
}

}  // namespace headlight
