// The first sheet of the mask view: the expression, the mask it gives, to paint on, beside the weights it leaves, and
// every pattern as a small picture to click.

#include <algorithm>
#include <cmath>

#include "ui/imgui_compat.h"
#include "ui/look/measure.h"
#include "ui/masklab/mask_field.h"
#include "ui/masklab/mask_picture.h"
#include "ui/masklab/matrix_card.h"
#include "ui/masklab/painting.h"
#include "ui/masklab/registry.h"
#include "ui/matrix/heatmap.h"
#include "ui/matrix/matrix_menu.h"
#include "ui/open/open_dialog.h"
#include "ui/widgets/card.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/pressable.h"

namespace headlight {
namespace {

struct Button {
  MaskFormat format;
  const char* label;
  const char* hint;
};

constexpr Button buttons[] = {
    {MaskFormat::npy, "npy", "mask_take.array"},
    {MaskFormat::npz, "npz", "mask_take.array"},
    {MaskFormat::csv, "csv", "mask_take.table"},
    {MaskFormat::png, "png", "mask_take.picture"},
    {MaskFormat::pytorch, "PyTorch", "mask_take.pytorch"},
    {MaskFormat::flex_attention, "FlexAttention", "mask_take.flex"},
    {MaskFormat::numpy, "NumPy", "mask_take.numpy"},
};

bool starts_group(MaskFormat format) { return format == MaskFormat::npy || format == MaskFormat::pytorch; }

float label_width(const Frame& frame, const char* label) {
  return text_size(frame.fonts, Face::ui, TypeSize::note * frame.u, label).x + 14 * frame.u;
}

float heading_width(const Frame& frame, const char* word) {
  return text_size(frame.fonts, Face::ui, TypeSize::note * frame.u, frame.words(word)).x + 8 * frame.u;
}

const char* heading(MaskFormat format) { return format == MaskFormat::npy ? "mask_take.save" : "mask_take.copy"; }

bool text_button(const Frame& frame, const char* id, const char* label, const char* hint, ImVec2 at) {
  const float u = frame.u;
  ImGui::SetCursorScreenPos(at);
  const bool clicked = pressable(frame, id, {label_width(frame, label), 26 * u});
  const bool hovered = ImGui::IsItemHovered();
  tooltip(frame, frame.words(hint));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (hovered)
    list.AddRectFilled(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), frame.look.field, Corner::control * u);
  draw_text(list, frame.fonts, Face::ui, TypeSize::note * u, {at.x + 7 * u, at.y + 6 * u},
            hovered ? frame.look.ink : frame.look.accent, label);
  return clicked;
}

/// Draws "Open a mask…   Save: npy npz csv png   Copy as: PyTorch FlexAttention NumPy", ending at `right`; shorter if
/// it would begin before `left`.
void draw_mask_take(const Frame& frame, float left, ImVec2 right) {
  const float u = frame.u, apart = 12 * u;
  float width = apart;
  for (const Button& button : buttons) {
    width += label_width(frame, button.label) +
             (starts_group(button.format) ? heading_width(frame, heading(button.format)) : 0);
  }
  float x = right.x - width;
  const char* open = frame.words("mask_take.open");
  if (x - label_width(frame, open) < left) open = frame.words("mask_take.open_short");
  if (text_button(frame, "open mask", open, "mask_take.open_hint", {x - label_width(frame, open) - 2 * u, right.y}))
    open_dialog(frame, true);
  for (const Button& button : buttons) {
    if (starts_group(button.format)) {
      if (button.format != MaskFormat::npy) x += apart;
      const char* word = heading(button.format);
      draw_text(*ImGui::GetWindowDrawList(), frame.fonts, Face::ui, TypeSize::note * u, {x, right.y + 6 * u},
                frame.look.muted, frame.words(word));
      x += heading_width(frame, word);
    }
    if (text_button(frame, button.label, button.label, button.hint, {x, right.y}))
      frame.actions.push_back(TakeMask{button.format});
    x += label_width(frame, button.label);
  }
}

/// On the line of a card's title, ending at its right; what comes after "; " on a line of its own where both are too
/// long.
void draw_remark(const Frame& frame, Rect card, const char* title, std::string_view text) {
  const float u = frame.u;
  const auto line = [&](std::string_view part, float y, float room) {
    const float width = std::min(text_size(frame.fonts, Face::ui, TypeSize::body * u, part).x, room);
    draw_elided(*ImGui::GetWindowDrawList(), frame.fonts, Face::ui, TypeSize::body * u,
                {card.max.x - 14 * u - width, card.min.y + y * u}, frame.look.muted, part, room);
  };
  const float room = card.width() - 42 * u - text_size(frame.fonts, Face::bold, TypeSize::body * u, title).x;
  const std::size_t part = text.find("; ");
  if (part == std::string_view::npos || text_size(frame.fonts, Face::ui, TypeSize::body * u, text).x <= room)
    return line(text, 8, room);
  line(text.substr(0, part), 8, room);
  line(text.substr(part + 2), 29, card.width() - 28 * u);
}

/// A matrix, or the part of it that is zoomed in on, with its names; `over` draws over its cells.
template <typename Over>
void draw_part(const Frame& frame, const HeatPicture& heat, Over over) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Rect rect = zoomed(frame.view().mask_painting, heat.rect);
  const bool whole = frame.view().mask_painting.zoom <= 1;
  draw_labels_of_part(frame, list, heat, rect, heat.rect, 12 * frame.u);
  draw_axis_names(frame, list, heat.rect);
  if (!whole) list.PushClipRect(heat.rect.min, heat.rect.max, true);
  draw_moment_heat(frame, list, heat, rect);  // the lab is about the whole mask, wherever the player is
  draw_highlights(frame, list, heat, rect);
  over(rect);
  if (!whole) list.PopClipRect();
}

/// At a card's foot.
void draw_legend(const Frame& frame, const Rect& card, const std::vector<Swatch>& swatches) {
  const float u = frame.u;
  draw_swatches(frame, *ImGui::GetWindowDrawList(), swatches, {card.min.x + 14 * u, card.max.y - 24 * u},
                card.width() - 28 * u);
}

void draw_weights(const Frame& frame, const MaskPicture& picture) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_card(frame, list, picture.weights_card);
  draw_card_title(frame, list, picture.weights_card, frame.look.after, frame.words("mask.weights"));
  draw_part(frame, picture.weights, [](const Rect&) {});
  draw_legend(frame, picture.weights_card, picture.weights_legend);
}

void draw_mask(const Frame& frame, const MaskPicture& picture) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_card(frame, list, picture.mask_card);
  draw_card_title(frame, list, picture.mask_card, frame.look.ink, frame.words("mask.mask"));
  draw_remark(frame, picture.mask_card, frame.words("mask.mask"), picture.statistics);
  draw_part(frame, picture.mask, [&](const Rect& rect) { draw_painting(frame, picture.mask, rect); });
  draw_legend(frame, picture.mask_card, picture.mask_legend);
}

/// The masks of all heads, small; a click looks at one.
void draw_heads(const Frame& frame, const MaskPicture& picture) {
  const float u = frame.u;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (std::size_t h = 0; h < picture.heads.size(); ++h) {
    const MaskPicture::Small& small = picture.heads[h];
    const auto head = static_cast<Index>(h);
    ImGui::SetCursorScreenPos(small.rect.min);
    ImGui::PushID(static_cast<int>(h));
    const bool clicked = pressable(frame, "head", {small.rect.width(), small.rect.height()});
    ImGui::PopID();
    const bool chosen = head == frame.view().head;
    const Rect edge = small.rect.grown(2 * u);
    MatrixQuad quad = picture.mask.quad;
    quad.min = small.rect.min;
    quad.max = small.rect.max;
    quad.head = head;
    frame.painter.draw(list, quad);
    if (chosen || ImGui::IsItemHovered())
      draw_head_border(list, edge, chosen ? frame.look.head(head) : frame.look.muted,
                       chosen ? frame.look.head_lap(head) : 0, 3 * u, 2 * u, u);
    draw_text(list, frame.fonts, chosen ? Face::bold : Face::ui, TypeSize::body * u,
              {small.rect.min.x, small.rect.max.y + 3 * u}, chosen ? frame.look.ink : frame.look.muted, small.label);
    if (!clicked) continue;
    frame.show([head](View& v) { v.head = head; });
  }
}

/// Which batch entry's mask is shown, where they differ.
void draw_entries(const Frame& frame, const MaskPicture& picture) {
  if (picture.entries.empty()) return;
  const float u = frame.u;
  float x = picture.entries_at.x;
  for (std::size_t b = 0; b < picture.entries.size(); ++b) {
    ImGui::SetCursorScreenPos({x, picture.entries_at.y});
    if (chip(frame, picture.entries[b].c_str(), picture.entries[b], static_cast<Index>(b) == frame.view().batch)) {
      frame.show([b](View& v) { v.batch = static_cast<Index>(b); });
    }
    x = ImGui::GetItemRectMax().x + 3 * u;
  }
}

/// Pointing, clicking and painting. Without a mask, what is looked at is the weights' cell.
void look(const Frame& frame, const MaskPicture& picture, Rect rect, Rect area) {
  ImGui::SetCursorScreenPos(area.min);
  const bool clicked = ImGui::InvisibleButton("matrices", {area.width(), area.height()});
  const ImVec2 point = ImGui::GetIO().MousePos;
  std::optional<Cell> cell;
  const bool reaches = ImGui::IsItemHovered() || ImGui::IsItemActive();
  if (reaches) {
    if (picture.mask.rect.contains(point)) cell = cell_under(picture.mask, rect, point);
    if (picture.weights.rect.contains(point))
      cell = cell_under(picture.weights, zoomed(frame.view().mask_painting, picture.weights.rect), point);
  }
  const bool painted = paint_with_pointer(frame, picture.mask, rect, picture.mask.rect);
  const bool has_mask = frame.trace()->has(Stage::mask);
  if (cell && cell->stage == Stage::mask && !has_mask && frame.view().mask_painting.tool == PaintTool::look)
    cell.reset();
  if (cell != frame.view().hovered) frame.actions.push_back(Hover{cell});
  if (cell && (has_mask || cell->stage != Stage::mask)) offer_matrix_menu(frame, cell);
  if (painted || !clicked || !cell) return;
  frame.show([cell](View& v) { v.selected = cell; });
}

/// The expression over the width, what is painted over it at its right, its numbers as sliders below. Gives where it
/// ends.
float draw_expression(const Frame& frame, Rect inside) {
  const float u = frame.u;
  const float chip_width = draw_painted_chip(frame, {inside.max.x, inside.min.y});
  const float field = inside.width() - (chip_width > 0 ? chip_width + 8 * u : 0);
  const float below = inside.min.y + 34 * u;
  ImGui::SetCursorScreenPos(inside.min);
  ImGui::BeginChild("expression", {field, 30 * u}, false,
                    ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar);
  draw_mask_field(frame, "##large mask");
  ImGui::EndChild();
  const int sliders = pattern_slider_count(frame);
  if (sliders == 0) return below;
  const float gap = 16 * u;
  const float each =
      std::min((inside.width() - gap * static_cast<float>(sliders - 1)) / static_cast<float>(sliders), 170 * u);
  ImGui::SetCursorScreenPos({inside.min.x, below});
  draw_pattern_sliders_in_row(frame, each, gap);
  return below + 42 * u;
}

}  // namespace

void draw_patterns_tab(const Frame& frame, Rect place) {
  const float u = frame.u;
  const Rect inside{{place.min.x + 14 * u, place.min.y + 8 * u}, {place.max.x - 14 * u, place.max.y - 12 * u}};
  float y = inside.min.y;
  const bool controls = !frame.view().presenting;
  if (controls) {
    y = draw_expression(frame, inside);
    ImGui::SetCursorScreenPos({inside.min.x, y});
    y += draw_paint_toolbar(frame, inside);
  }
  const float row = palette_row(u);
  const float left = inside.max.y - y - 44 * u;
  // What two matrices as wide as there is room for leave over is the palette's.
  const Dims& d = frame.trace()->dims();
  const float matrix =
      inside.width() / 2 * static_cast<float>(d.n_q) / static_cast<float>(std::max<Index>(d.n_k, 1)) + 200 * u;
  const float palette = controls ? std::clamp(std::floor(std::max(left * 0.36f, left - matrix) / row), 1.0f,
                                              static_cast<float>(palette_rows(frame, inside.width()))) *
                                       row
                                 : 0;
  const bool two_lines = inside.width() < 800 * u;  // what a click does, and what the mask can be taken as
  const float line = two_lines ? 66 * u : 32 * u;
  const Rect matrices{{inside.min.x, y},
                      {inside.max.x, controls ? inside.max.y - palette - 8 * u - line : inside.max.y}};
  const MaskPicture& picture = mask_picture(frame, matrices);
  const Rect rect = zoomed(frame.view().mask_painting, picture.mask.rect);
  look(frame, picture, rect, {matrices.min, {matrices.max.x, matrices.max.y - picture.strip}});
  draw_mask(frame, picture);
  draw_weights(frame, picture);
  draw_heads(frame, picture);
  draw_entries(frame, picture);
  if (!controls) return;
  ImGui::SetCursorScreenPos({inside.min.x, matrices.max.y + 8 * u});
  draw_combine_choice(frame);
  if (two_lines) {
    draw_mask_take(frame, inside.min.x, {inside.max.x, matrices.max.y + 40 * u});
  } else {
    draw_mask_take(frame, ImGui::GetItemRectMax().x + 8 * u, {inside.max.x, matrices.max.y + 8 * u});
  }
  draw_palette(frame, {{inside.min.x, matrices.max.y + 8 * u + line}, inside.max});
}

}  // namespace headlight
