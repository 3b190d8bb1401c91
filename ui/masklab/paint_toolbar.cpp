#include "ui/masklab/paint_toolbar.h"

#include <cstdio>

#include "ui/imgui_compat.h"
#include "ui/look/measure.h"
#include "ui/look/number_text.h"
#include "ui/masklab/cost_picture.h"
#include "ui/masklab/mask_picture.h"
#include "ui/widgets/pressable.h"
#include "ui/widgets/scenario_controls.h"

namespace headlight {
namespace {

void keep(const Frame& frame, const MaskPainting& painting) {
  frame.show([painting](View& v) { v.mask_painting = painting; });
}

/// Beside the last chip, or in a line of its own where it does not fit.
void flow(const Frame& frame, Rect room, std::string_view label, float gap) {
  const float u = frame.u, width = text_size(frame.fonts, Face::bold, TypeSize::note * u, label).x + 22 * u;
  const ImVec2 last = ImGui::GetItemRectMax();
  if (last.x + gap * u + width <= room.max.x) return ImGui::SameLine(0, gap * u);
  ImGui::SetCursorScreenPos({room.min.x, last.y + 6 * u});
}

/// Chips of their own width, one chosen.
template <typename Choice, std::size_t count>
void chips(const Frame& frame, Rect room, const char* const (&words)[count], Choice MaskPainting::*chosen,
           bool shown = true) {
  const MaskPainting& now = frame.view().mask_painting;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) flow(frame, room, frame.words(words[i]), 3);
    if (!chip(frame, words[i], frame.words(words[i]), shown && static_cast<std::size_t>(now.*chosen) == i)) continue;
    MaskPainting painting = now;
    painting.*chosen = static_cast<Choice>(i);
    if (!shown) painting.tool = PaintTool::brush;
    keep(frame, painting);
  }
}

void scope_chip(const Frame& frame, Rect room, const char* all, const char* one, bool MaskPainting::*narrow) {
  const MaskPainting& now = frame.view().mask_painting;
  const char* word = now.*narrow ? one : all;
  flow(frame, room, frame.words(word), 10);
  if (!chip(frame, all, frame.words(word), now.*narrow)) return;
  MaskPainting painting = now;
  painting.*narrow = !(now.*narrow);
  keep(frame, painting);
}

}  // namespace

float draw_paint_toolbar(const Frame& frame, Rect room) {
  constexpr const char* tools[] = {"mask_paint.look", "mask_paint.brush", "mask_paint.row", "mask_paint.column",
                                   "mask_paint.rectangle"};
  constexpr const char* paints[] = {"mask_paint.allow", "mask_paint.forbid", "mask_paint.give_back"};
  const float top = ImGui::GetCursorScreenPos().y;
  const auto height = [&] { return ImGui::GetItemRectMax().y - top + 8 * frame.u; };
  const bool painting = frame.view().mask_painting.tool != PaintTool::look;
  chips(frame, room, tools, &MaskPainting::tool);
  flow(frame, room, frame.words(paints[0]), 14);
  chips(frame, room, paints, &MaskPainting::paint, painting);
  if (!painting) return height();
  const Dims& dims = frame.trace()->dims();
  if (dims.heads > 1) scope_chip(frame, room, "mask_paint.all_heads", "mask_paint.this_head", &MaskPainting::one_head);
  const MaskPainting& now = frame.view().mask_painting;
  struct BlockWords {
    std::string words;
  };
  const Index block = block_in_force(frame.view().mask_lab, dims);
  const BlockWords& blocks = frame.pictures.get<BlockWords>(
      [&] { return BlockWords{frame.words.fill("mask_paint.by_blocks", {grouped(block)})}; }, block,
      frame.words.language());
  flow(frame, room, blocks.words, 10);
  if (chip(frame, "by blocks", blocks.words, now.by_blocks)) {
    MaskPainting painting_by_blocks = now;
    painting_by_blocks.by_blocks = !now.by_blocks;
    keep(frame, painting_by_blocks);
  }
  if (dims.batch > 1)
    scope_chip(frame, room, "mask_paint.all_entries", "mask_paint.this_entry", &MaskPainting::one_entry);
  return height();
}

float draw_painted_chip(const Frame& frame, ImVec2 right) {
  if (frame.document.scenario.painted.empty()) return 0;
  const float u = frame.u, size = TypeSize::note * u;
  const std::string& words = painted_words(frame);
  const ImVec2 text = text_size(frame.fonts, Face::mono, size, words);
  const float width = text.x + 40 * u, height = 28 * u;
  const ImVec2 min{right.x - width, right.y};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  compat::add_rect(list, min, {right.x, right.y + height}, frame.look.accent, Corner::control * u, 1);
  draw_text(list, frame.fonts, Face::mono, size, {min.x + 10 * u, min.y + (height - text.y) / 2}, frame.look.ink,
            words);
  const float box = 26 * u;
  ImGui::SetCursorScreenPos({right.x - box, min.y});
  const bool clicked = pressable(frame, "give all back", {box, height});
  const ImU32 colour = ImGui::IsItemHovered() ? frame.look.ink : frame.look.muted;
  tooltip(frame, frame.words("mask_paint.clear"));
  const ImVec2 middle{right.x - box / 2, min.y + height / 2};
  const float arm = 4 * u;
  list.AddLine({middle.x - arm, middle.y - arm}, {middle.x + arm, middle.y + arm}, colour, 1.5f * u);
  list.AddLine({middle.x - arm, middle.y + arm}, {middle.x + arm, middle.y - arm}, colour, 1.5f * u);
  if (clicked) frame.edit({}, [](Scenario& s) { s.painted.clear(); });
  return width;
}

}  // namespace headlight
