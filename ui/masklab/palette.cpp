#include "ui/masklab/palette.h"

#include <algorithm>
#include <cmath>

#include "ui/frame/colormaps.h"
#include "ui/imgui_compat.h"
#include "ui/look/measure.h"
#include "ui/masklab/mask_field.h"
#include "ui/masklab/mask_picture.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/pressable.h"

namespace headlight {
namespace {

constexpr float tile_height = 96, tile_width = 168;
constexpr float tile_gap = 6;
int columns_in(float width, float u) { return std::max(static_cast<int>(width / (tile_width * u)), 2); }

Combine meant(const Frame& frame) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.KeyShift) return Combine::either;
  return io.KeyCtrl ? Combine::both : frame.view().mask_painting.combine;
}

bool tile(const Frame& frame, const PatternTile& pattern, ImVec2 size) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = pressable(frame, pattern.signature.c_str(), size);
  const bool hovered = ImGui::IsItemHovered();
  tooltip(frame, pattern.hint);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float u = frame.u;
  const ImVec2 end{at.x + size.x, at.y + size.y};
  list.AddRectFilled(at, end, frame.look.card, Corner::control * u);
  compat::add_rect(list, at, end, hovered ? frame.look.accent : frame.look.line, Corner::control * u, 1);
  MatrixQuad quad;
  const auto lines = static_cast<float>(pattern.lines.size());
  const float side = size.y - (14 + 15 * std::max(lines, 2.0f)) * u;
  quad.min = {std::round(at.x + (size.x - side) / 2), at.y + 5 * u};
  quad.max = {quad.min.x + side, quad.min.y + side};
  quad.values = quad.mask = pattern.mask;
  quad.theme = frame.look.theme;
  quad.colormap = &window_colormap(frame.view(), Stage::mask);
  quad.range = {0, 1};
  frame.painter.draw(list, quad);
  // What a click inserts.
  float y = end.y - (pattern.lines.size() > 1 ? 5 + 15 * lines : 27) * u;
  for (const std::string& line : pattern.lines) {
    const float width = std::min(text_size(frame.fonts, Face::mono, TypeSize::note * u, line).x, size.x - 8 * u);
    draw_elided(list, frame.fonts, Face::mono, TypeSize::note * u, {at.x + (size.x - width) / 2, y}, frame.look.muted,
                line, width);
    y += 15 * u;
  }
  return clicked;
}

}  // namespace

std::string combined(const std::string& old, const std::string& added, Combine how) {
  if (old.empty()) return how == Combine::without ? "!(" + added + ")" : added;
  switch (how) {
    case Combine::replace: return added;
    case Combine::both: return "(" + old + ") && (" + added + ")";
    case Combine::either: return "(" + old + ") || (" + added + ")";
    case Combine::without: return "(" + old + ") && !(" + added + ")";
  }
  return added;
}

void draw_combine_choice(const Frame& frame) {
  constexpr const char* words[] = {"mask_paint.replace", "mask_paint.and", "mask_paint.or", "mask_paint.and_not"};
  const Combine now = meant(frame);
  for (int i = 0; i < 4; ++i) {
    if (i > 0) ImGui::SameLine(0, 3 * frame.u);
    if (!chip(frame, words[i], frame.words(words[i]), static_cast<int>(now) == i)) continue;
    frame.show([i](View& v) { v.mask_painting.combine = static_cast<Combine>(i); });
  }
}

float palette_row(float u) { return (tile_height + tile_gap) * u; }

int palette_rows(const Frame& frame, float width) {
  const int columns = columns_in(width, frame.u);
  return (static_cast<int>(palette_picture(frame).size()) + columns - 1) / columns;
}

void draw_palette(const Frame& frame, Rect area) {
  const float u = frame.u, gap = tile_gap * u;
  ImGui::SetCursorScreenPos(area.min);
  ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, 6 * u);
  ImGui::BeginChild("palette", {area.width(), area.height()}, false,
                    ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav);
  const float room = ImGui::GetContentRegionAvail().x;
  const int columns = columns_in(room, u);
  const float width = (room - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const std::vector<PatternTile>& tiles = palette_picture(frame);
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const auto column = static_cast<float>(i % static_cast<std::size_t>(columns));
    const auto row = static_cast<float>(i / static_cast<std::size_t>(columns));
    ImGui::SetCursorScreenPos({origin.x + column * (width + gap), origin.y + row * (tile_height * u + gap)});
    if (tile(frame, tiles[i], {width, tile_height * u})) {
      type_mask(frame, combined(frame.document.scenario.mask, tiles[i].expression, meant(frame)));
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace headlight
