#include "ui/matrix/heatmap.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "ui/imgui_compat.h"
#include "ui/look/measure.h"
#include "ui/look/words.h"

namespace headlight {

void draw_heat(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect, bool numbers,
               const Shown& shown) {
  if (shown.nothing()) return;
  MatrixQuad quad = heat.quad;
  quad.min = rect.min;
  quad.max = rect.max;
  const ImVec2 cell = cell_size(heat, rect);
  quad.cell_gap = std::min(cell.x, cell.y) >= 6 * frame.u ? std::max(1.0f, frame.u) : 0;
  // Columns that are not computed yet are clipped, so that nothing of them is visible.
  const bool clipped = shown.columns < heat.cols;
  if (clipped) list.PushClipRect(rect.min, {rect.min.x + static_cast<float>(shown.columns) * cell.x, rect.max.y}, true);
  if (shown.rows < heat.rows) quad.revealed = shown.rows * heat.cols + shown.cells;
  frame.painter.draw(list, quad);
  if (numbers && heat.stage != Stage::mask) write_numbers(frame, list, heat, rect, shown);
  if (clipped) list.PopClipRect();
}

namespace {

/// The row and column of this heatmap that correspond to a cell of any stage; negative for none.
struct Meaning {
  Index row = -1, col = -1;
};

Meaning meaning_in(const HeatPicture& heat, const Cell& cell) {
  if (heat.elsewhere) return {};
  if (heat.stage == cell.stage) {
    const bool other_head = heat.head != cell.head && has_head_axis(cell.stage);
    return {cell.row - heat.first_row, other_head ? -1 : cell.col - heat.first_col};
  }
  const StageInfo& here = info(heat.stage);
  const StageInfo& there = info(cell.stage);
  Meaning meaning;
  for (const auto& [axis, index] : {std::pair(there.rows, cell.row), std::pair(there.cols, cell.col)}) {
    if (axis == Axis::none) continue;
    if (here.rows == axis) meaning.row = index - heat.first_row;
    if (here.cols == axis) meaning.col = index - heat.first_col;
  }
  return meaning;
}

void draw_highlight(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect, const Cell& cell,
                    bool kept) {
  if (has_head_axis(heat.stage) && has_head_axis(cell.stage) &&
      is_per_kv_head(heat.stage) == is_per_kv_head(cell.stage) && heat.head != cell.head) {
    return;
  }
  const Meaning meaning = meaning_in(heat, cell);
  const ImVec2 size = cell_size(heat, rect);
  // In other heatmaps only the tokens' rows and columns are marked, with thin lines: the true sources are marked by the
  // provenance.
  const bool here = heat.stage == cell.stage;
  // The pinned cell is marked in the text colour, the cell under the pointer in a lighter grey.
  const ImU32 colour = kept ? fade(frame.look.ink, here ? 1.0f : 0.4f) : fade(frame.look.pointed, here ? 0.9f : 0.5f);
  const float thick = here && kept ? Stroke::frame(frame.u) : Stroke::hair(frame.u);
  const auto is_token = [&](Axis axis) { return here || axis == Axis::query || axis == Axis::key; };
  const auto band = [&](Index row, Index rows, Index col, Index cols) {
    const ImVec2 min{rect.min.x + static_cast<float>(col) * size.x, rect.min.y + static_cast<float>(row) * size.y};
    const ImVec2 max{rect.min.x + static_cast<float>(col + cols) * size.x,
                     rect.min.y + static_cast<float>(row + rows) * size.y};
    const bool thin = std::min(max.x - min.x, max.y - min.y) < 4 * thick;  // then a thin line is drawn next to it
    const float line = thin ? frame.u : thick, out = thin ? line + 0.5f : line / 2;
    compat::add_rect(list, {std::round(min.x - out), std::round(min.y - out)},
                     {std::round(max.x + out), std::round(max.y + out)}, colour, Corner::mark * frame.u, line);
  };
  if (meaning.row >= 0 && meaning.row < heat.rows && is_token(info(heat.stage).rows))
    band(meaning.row, 1, 0, heat.cols);
  if (meaning.col >= 0 && meaning.col < heat.cols && is_token(info(heat.stage).cols))
    band(0, heat.rows, meaning.col, 1);
  if (!here || meaning.row < 0 || meaning.col < 0 || meaning.row >= heat.rows || meaning.col >= heat.cols) return;
  // A frame around the cell itself, in contrast to any cell colour.
  const float box = std::max(2.0f, (kept ? 2.5f : 2.0f) * frame.u);
  const ImVec2 min{rect.min.x + static_cast<float>(meaning.col) * size.x,
                   rect.min.y + static_cast<float>(meaning.row) * size.y};
  const ImVec2 max{min.x + size.x, min.y + size.y};
  compat::add_rect(list, {std::round(min.x - box), std::round(min.y - box)},
                   {std::round(max.x + box), std::round(max.y + box)}, frame.look.card, Corner::cell * frame.u, box);
  compat::add_rect(list, {std::round(min.x - box / 2), std::round(min.y - box / 2)},
                   {std::round(max.x + box / 2), std::round(max.y + box / 2)},
                   kept ? frame.look.ink : frame.look.pointed, Corner::mark * frame.u, box);
}

}  // namespace

void draw_highlights(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect, bool every_head) {
  const View& view = frame.view();
  const auto mark = [&](std::optional<Cell> cell, bool kept) {
    if (!cell || !frame.shows(*cell)) return;
    if (every_head && cell->stage == heat.stage) cell->head = heat.head;
    draw_highlight(frame, list, heat, rect, *cell, kept);
  };
  mark(view.selected, true);
  if (view.hovered != view.selected) mark(view.hovered, false);
}

namespace {

/// The indices of the cells between two screen coordinates.
std::pair<Index, Index> visible(float from, float size, Index count, float lo, float hi) {
  const auto first = static_cast<Index>(std::max(0.0f, std::floor((lo - from) / size)));
  const auto last = static_cast<Index>(std::max(0.0f, std::ceil((hi - from) / size)));
  return {std::min(first, count), std::min(last, count)};
}

/// The common properties of one axis's labels.
struct LabelStyle {
  const Frame& frame;
  ImDrawList& list;
  const HeatPicture& heat;
  Rect rect, seen;
  float pixels;
  ImVec2 cell;
  bool shows_row(Index r) const {
    const float y = rect.min.y + (static_cast<float>(r) + 0.5f) * cell.y;
    return y >= seen.min.y && y <= seen.max.y;
  }
  bool shows_col(Index c) const {
    const float x = rect.min.x + (static_cast<float>(c) + 0.5f) * cell.x;
    return x >= seen.min.x && x <= seen.max.x;
  }

  ImU32 ink(bool lit) const { return lit ? frame.look.ink : frame.look.muted; }
  static Face face(bool lit) { return lit ? Face::bold : Face::ui; }
  float width(bool lit, std::string_view text) const { return text_size(frame.fonts, face(lit), pixels, text).x; }
};

/// The token's piece of the picture, in place of its label.
void draw_piece(const LabelStyle& style, const TokenPicture& picture, Index token, Rect at, bool lit) {
  const Index patch = token - picture.extra;
  const ImVec2 whole{at.width() * static_cast<float>(picture.columns), at.height() * static_cast<float>(picture.rows)};
  const ImVec2 min{at.min.x - static_cast<float>(patch % picture.columns) * at.width(),
                   at.min.y - static_cast<float>(patch / picture.columns) * at.height()};
  style.list.PushClipRect(at.min, at.max, true);
  style.frame.painter.stretched(style.list, min, {min.x + whole.x, min.y + whole.y}, picture.image);
  style.list.PopClipRect();
  if (lit) compat::add_rect(style.list, at.min, at.max, style.frame.look.ink, 0, Stroke::hair(style.frame.u));
}

/// Whether the label is drawn when labels are thinned out: the highlighted one hides those less than `apart` cells
/// away.
bool has_label(Index i, Index every, Index lit, float apart) {
  const bool beside = lit >= 0 && i != lit && static_cast<float>(std::abs(i - lit)) < apart;
  return i == lit || (i % every == 0 && !beside);
}

/// If this many names are left out between two labels, indices are more useful.
constexpr Index names_left_out = 5;
std::string_view label_text(const std::string& name, Index i, bool index, char (&buffer)[24]) {
  if (!index) return name;
  return {buffer, static_cast<std::size_t>(std::snprintf(buffer, sizeof buffer, "%lld", static_cast<long long>(i)))};
}

/// Words may be cut to fit; an index that does not fit is omitted.
bool is_index(std::string_view text) { return text.find_first_not_of("0123456789") == std::string_view::npos; }

void draw_row_labels(const LabelStyle& style, Index lit) {
  const float line = text_size(style.frame.fonts, Face::ui, style.pixels, "0").y;
  const bool two_tiers = style.heat.second_tier > 0 && 2 * style.cell.y >= line * name_height - 0.01f;
  const float apart = two_tiers ? 1 : line * name_height / style.cell.y;
  const Index every = round_step(apart);
  const auto [first, last] = visible(style.rect.min.y, style.cell.y, style.heat.rows, style.list.GetClipRectMin().y,
                                     style.list.GetClipRectMax().y);
  for (Index r = first; r < last; ++r) {
    if (!has_label(r, every, lit, apart) || !style.shows_row(r)) continue;
    char buffer[24];
    const std::string_view text =
        label_text(style.heat.row_labels[static_cast<std::size_t>(r)], r, every > names_left_out && r != lit, buffer);
    if (style.heat.row_picture.has(r)) {
      const float side = std::round(std::min(line, style.heat.label_room * style.pixels));
      const ImVec2 max{style.seen.min.x - 4 * style.frame.u,
                       std::round(style.rect.min.y + (static_cast<float>(r) + 0.5f) * style.cell.y + side / 2)};
      draw_piece(style, style.heat.row_picture, r, {{max.x - side, max.y - side}, max}, r == lit);
      continue;
    }
    const bool outer = two_tiers && r % 2 == 1;
    const float room =
        (two_tiers && !outer ? style.heat.second_tier : style.heat.label_room - (outer ? style.heat.second_tier : 0)) *
        style.pixels;
    const float whole = style.width(r == lit, text), width = std::min(whole, room);
    if (width + 0.5f < whole && is_index(text)) continue;
    const float middle = style.rect.min.y + (static_cast<float>(r) + 0.5f) * style.cell.y,
                end = style.seen.min.x - NameGap::row * style.frame.u;
    const float right = outer ? end - style.heat.second_tier * style.pixels : end;
    draw_elided(style.list, style.frame.fonts, style.face(r == lit), style.pixels, {right - width, middle - line / 2},
                style.ink(r == lit), text, width);
    // A line between its neighbours' labels to its row.
    if (outer)
      style.list.AddLine({right + 2 * style.frame.u, std::round(middle)}, {end + 2 * style.frame.u, std::round(middle)},
                         style.frame.look.line, Stroke::hair(style.frame.u));
  }
}

/// Draws the column's piece of a picture below it; returns whether its token is one.
bool put_column_piece(const LabelStyle& style, Index c, Index lit) {
  if (!style.heat.col_picture.has(c)) return false;
  const float side = std::round(style.pixels);
  const ImVec2 min{std::round(style.rect.min.x + (static_cast<float>(c) + 0.5f) * style.cell.x - side / 2),
                   std::round(style.seen.max.y + NameGap::column * style.frame.u)};
  draw_piece(style, style.heat.col_picture, c, {min, {min.x + side, min.y + side}}, c == lit);
  return true;
}

/// Each label ends below its cell and leans to the left.
void draw_turned_labels(const LabelStyle& style, Index lit) {
  const auto [first, last] = visible(style.rect.min.x, style.cell.x, style.heat.cols, style.list.GetClipRectMin().x,
                                     style.list.GetClipRectMax().x);
  const float apart = style.pixels * 1.05f / style.cell.x;
  const Index every = round_step(apart);
  for (Index c = first; c < last; ++c) {
    if (!style.shows_col(c) || !has_label(c, every, lit, apart) || put_column_piece(style, c, lit)) continue;
    const ImVec2 end{style.rect.min.x + (static_cast<float>(c) + 0.5f) * style.cell.x + style.pixels * 0.25f,
                     style.seen.max.y + style.pixels * 0.55f};
    draw_turned(style.list, style.frame.fonts, style.face(c == lit), style.pixels, end, -45, style.ink(c == lit),
                style.heat.col_labels[static_cast<std::size_t>(c)], style.heat.turned_room * style.pixels);
  }
}

void draw_column_labels(const LabelStyle& style, Index lit) {
  const float u = style.frame.u;
  const auto [first, last] = visible(style.rect.min.x, style.cell.x, style.heat.cols, style.list.GetClipRectMin().x,
                                     style.list.GetClipRectMax().x);
  // A name may be cut to a few letters, an index may not.
  const float widest = std::min(style.heat.widest_column * style.pixels, 56 * u * style.pixels / (TypeSize::note * u));
  const float room = std::max(style.cell.x - 3 * u, widest);
  const float apart = (room + 3 * u) / style.cell.x - 0.01f;
  const Index every = round_step(apart);
  for (Index c = first; c < last; ++c) {
    if (!has_label(c, every, lit, apart) || !style.shows_col(c) || put_column_piece(style, c, lit)) continue;
    char buffer[24];
    const std::string_view text =
        label_text(style.heat.col_labels[static_cast<std::size_t>(c)], c, every > names_left_out && c != lit, buffer);
    const float whole = style.width(c == lit, text),
                width = std::min(whole, std::max(room, static_cast<float>(every) * style.cell.x - 3 * u));
    if (width + 0.5f < whole && is_index(text)) continue;
    const float x = style.rect.min.x + (static_cast<float>(c) + 0.5f) * style.cell.x - width / 2;
    draw_elided(style.list, style.frame.fonts, style.face(c == lit), style.pixels,
                {x, style.seen.max.y + NameGap::column * u}, style.ink(c == lit), text, width);
  }
}

}  // namespace

void draw_colour_bar(ImDrawList& list, Rect bar, const Colormap& map) {
  if (bar.width() < 8) return;
  const int steps = std::clamp(static_cast<int>(bar.width() / 4), 4, 24);
  for (int i = 0; i < steps; ++i) {
    const float count = static_cast<float>(steps), from = static_cast<float>(i) / count,
                to = static_cast<float>(i + 1) / count;
    const ImU32 a = to_imgui(map.at(from)), b = to_imgui(map.at(to));
    list.AddRectFilledMultiColor({bar.min.x + from * bar.width(), bar.min.y}, {bar.min.x + to * bar.width(), bar.max.y},
                                 a, b, b, a);
  }
}

void draw_labels(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect, Rect seen, float pixels,
                 bool every_head) {
  const LabelStyle style{frame, list, heat, rect, seen, pixels, cell_size(heat, rect)};
  std::optional<Cell> looked_at = frame.looked_at();
  if (looked_at && every_head && looked_at->stage == heat.stage) looked_at->head = heat.head;
  const Meaning lit = looked_at ? meaning_in(heat, *looked_at) : Meaning{};
  if (!heat.row_labels.empty()) draw_row_labels(style, lit.row);
  if (heat.col_labels.empty()) return;
  heat.turned_room > 0 ? draw_turned_labels(style, lit.col) : draw_column_labels(style, lit.col);
}

const std::string* label_at(const HeatPicture& heat, const Rect& rect, ImVec2 point, float pixels) {
  const auto place = [](float at, float from, float to, Index count) {
    return at < from || at >= to ? Index{-1}
                                 : static_cast<Index>((at - from) / (to - from) * static_cast<float>(count));
  };
  const auto named = [](const std::vector<std::string>& labels, Index i) {
    return i >= 0 && i < static_cast<Index>(labels.size()) ? &labels[static_cast<std::size_t>(i)] : nullptr;
  };
  if (point.x < rect.min.x && point.x >= rect.min.x - heat.label_room * pixels - 5) {
    if (const std::string* row = named(heat.row_labels, place(point.y, rect.min.y, rect.max.y, heat.rows))) return row;
  }
  const float below = point.y - rect.max.y;
  if (below < 0 || below > (heat.turned_room > 0 ? 0.71f * heat.turned_room + 1 : 1.4f) * pixels) return nullptr;
  const float lean =
      heat.turned_room > 0 ? std::max(below - 0.5f * pixels, 0.0f) : 0;  // a slanted label runs down to the left
  return named(heat.col_labels, place(point.x + lean, rect.min.x, rect.max.x, heat.cols));
}

}  // namespace headlight
