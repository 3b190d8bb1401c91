#include "ui/parts/matrix/heatmap.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "ui/base/look/measure.h"
#include "ui/imgui_compat.h"
#include "ui/parts/widgets/card.h"

namespace headlight {

void draw_heat(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect, bool numbers,
               const Shown& shown) {
  if (shown.nothing()) return;
  MatrixQuad quad = heat.quad;
  quad.min = rect.min;
  quad.max = rect.max;
  const ImVec2 cell = cell_size(heat, rect);
  quad.cell_gap = std::min(cell.x, cell.y) >= LeastCell::gap * frame.u ? std::max(1.0f, frame.u) : 0;
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

/// A frame on whole pixels.
void add_frame(ImDrawList& list, const Rect& rect, ImU32 colour, float corner, float thickness) {
  const Rect place = card_on_pixels(rect);
  compat::add_rect(list, place.min, place.max, colour, corner, thickness);
}

void draw_highlight(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect, const Cell& cell,
                    bool kept) {
  if (has_head_axis(heat.stage) && has_head_axis(cell.stage) &&
      is_per_kv_head(heat.stage) == is_per_kv_head(cell.stage) && heat.head != cell.head) {
    return;
  }
  const Meaning meaning = meaning_in(heat, cell);
  // In other heatmaps only the tokens' rows and columns are marked, with thin lines: the true sources are marked by the
  // provenance.
  const bool here = heat.stage == cell.stage;
  // The pinned cell is marked in the text colour, the cell under the pointer in a lighter grey.
  const ImU32 colour = kept ? fade(frame.look.ink, here ? 1.0f : 0.4f) : fade(frame.look.pointed, here ? 0.9f : 0.5f);
  const float thick = here && kept ? Stroke::frame(frame.u) : Stroke::hair(frame.u);
  const auto is_token = [&](Axis axis) { return here || axis == Axis::query || axis == Axis::key; };
  const auto band = [&](Index row, Index rows, Index col, Index cols) {
    const Rect cells = cells_rect(heat, rect, row, rows, col, cols);
    const bool thin = std::min(cells.width(), cells.height()) < 4 * thick;  // then a thin line is drawn next to it
    const float line = thin ? frame.u : thick;
    add_frame(list, cells.grown(thin ? line + 0.5f : line / 2), colour, Corner::mark * frame.u, line);
  };
  if (meaning.row >= 0 && meaning.row < heat.rows && is_token(info(heat.stage).rows))
    band(meaning.row, 1, 0, heat.cols);
  if (meaning.col >= 0 && meaning.col < heat.cols && is_token(info(heat.stage).cols))
    band(0, heat.rows, meaning.col, 1);
  if (!here || meaning.row < 0 || meaning.col < 0 || meaning.row >= heat.rows || meaning.col >= heat.cols) return;
  // A frame around the cell itself, in contrast to any cell colour.
  const float box = std::max(2.0f, (kept ? 2.5f : 2.0f) * frame.u);
  const Rect place = cells_rect(heat, rect, meaning.row, 1, meaning.col, 1);
  add_frame(list, place.grown(box), frame.look.card, Corner::cell * frame.u, box);
  add_frame(list, place.grown(box / 2), kept ? frame.look.ink : frame.look.pointed, Corner::mark * frame.u, box);
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
  if (view.pointed.cell != view.selected) mark(view.pointed.cell, false);
}

bool has_label(Index i, Index every, Index lit, Index asked, float apart) {
  const auto is_beside = [&](Index other) {
    return other >= 0 && i != other && static_cast<float>(std::abs(i - other)) < apart;
  };
  if (i == lit) return true;
  if (is_beside(lit)) return false;
  return i == asked || (i % every == 0 && !is_beside(asked));
}

namespace {

/// If this many names are left out between two labels, indices are more useful.
constexpr Index names_left_out = 5;
std::string_view label_text(const std::vector<std::string>& names, Index i, Index every, bool named,
                            char (&buffer)[24]) {
  if (every <= names_left_out || named) return names[static_cast<std::size_t>(i)];
  return {buffer, static_cast<std::size_t>(std::snprintf(buffer, sizeof buffer, "%lld", static_cast<long long>(i)))};
}

/// Words may be cut to fit; an index that does not fit is omitted.
bool is_index(std::string_view text) { return text.find_first_not_of("0123456789") == std::string_view::npos; }

/// Draws the labels of a heatmap's rows or columns.
struct LabelDrawer {
  const Frame& frame;
  ImDrawList& list;
  const HeatPicture& heat;
  Rect rect, seen;
  float pixels;
  const Meaning asked;  ///< the row and the column of the asked word
  const float u = frame.u;
  const ImVec2 cell = cell_size(heat, rect);

  float row_middle(Index r) const { return middle_of(rect.min.y, cell.y, r); }
  float col_middle(Index c) const { return middle_of(rect.min.x, cell.x, c); }
  ImU32 ink(bool lit) const { return lit ? frame.look.ink : frame.look.muted; }
  static Face face(bool lit) { return lit ? Face::bold : Face::ui; }
  float width(bool lit, std::string_view text) const { return text_size(frame.fonts, face(lit), pixels, text).x; }

  /// Calls put(i) for the visible rows whose labels are drawn if these must be `apart` rows apart.
  void for_rows(Index lit, float apart, auto put) const {
    const auto [first, last] =
        indices_between(rect.min.y, cell.y, heat.rows, list.GetClipRectMin().y, list.GetClipRectMax().y);
    for (Index r = first; r < last; ++r) {
      const float y = row_middle(r);
      if (has_label(r, round_step(apart), lit, asked.row, apart) && y >= seen.min.y && y <= seen.max.y) put(r);
    }
  }
  /// The same for columns, except those that have a piece of a picture in place of a label, which is drawn.
  void for_cols(Index lit, float apart, auto put) const {
    const auto [first, last] =
        indices_between(rect.min.x, cell.x, heat.cols, list.GetClipRectMin().x, list.GetClipRectMax().x);
    for (Index c = first; c < last; ++c) {
      const float x = col_middle(c), side = std::round(pixels);
      if (!has_label(c, round_step(apart), lit, asked.col, apart) || x < seen.min.x || x > seen.max.x) continue;
      const ImVec2 min{std::round(x - side / 2), std::round(seen.max.y + NameGap::column * u)};
      if (heat.col_picture.has(c)) draw_piece(heat.col_picture, c, {min, {min.x + side, min.y + side}}, c == lit);
      else put(c);
    }
  }

  /// The token's piece of the picture, in place of its label.
  void draw_piece(const TokenPicture& picture, Index token, Rect at, bool lit) const {
    const Index patch = token - picture.extra;
    const ImVec2 whole{at.width() * static_cast<float>(picture.columns),
                       at.height() * static_cast<float>(picture.rows)};
    const ImVec2 min{at.min.x - static_cast<float>(patch % picture.columns) * at.width(),
                     at.min.y - static_cast<float>(patch / picture.columns) * at.height()};
    list.PushClipRect(at.min, at.max, true);
    frame.painter.stretched(list, min, {min.x + whole.x, min.y + whole.y}, picture.image);
    list.PopClipRect();
    if (lit) compat::add_rect(list, at.min, at.max, frame.look.ink, 0, Stroke::hair(u));
  }

  void draw_rows(Index lit) const {
    const float line = text_size(frame.fonts, Face::ui, pixels, "0").y, second_tier = heat.second_tier * pixels;
    const bool two_tiers = heat.second_tier > 0 && 2 * cell.y >= line * name_height - 0.01f;
    const float apart = two_tiers ? 1 : line * name_height / cell.y;
    for_rows(lit, apart, [&](Index r) {
      const float middle = row_middle(r);
      if (heat.row_picture.has(r)) {
        const float side = std::round(std::min(line, heat.label_room * pixels));
        const ImVec2 max{seen.min.x - Space::tight * u, std::round(middle + side / 2)};
        return draw_piece(heat.row_picture, r, {{max.x - side, max.y - side}, max}, r == lit);
      }
      char buffer[24];
      const std::string_view text =
          label_text(heat.row_labels, r, round_step(apart), r == lit || r == asked.row, buffer);
      const bool outer = two_tiers && r % 2 == 1;
      const float room =
          (two_tiers && !outer ? heat.second_tier : heat.label_room - (outer ? heat.second_tier : 0)) * pixels;
      const float whole = width(r == lit, text), drawn = std::min(whole, room);
      if (drawn + 0.5f < whole && is_index(text)) return;
      const float end = seen.min.x - NameGap::row * u, right = outer ? end - second_tier : end;
      draw_elided(list, frame.fonts, face(r == lit), pixels, {right - drawn, middle - line / 2}, ink(r == lit), text,
                  drawn);
      // A line between its neighbours' labels to its row.
      if (outer)
        list.AddLine({right + Space::fine * u, std::round(middle)}, {end + Space::fine * u, std::round(middle)},
                     frame.look.line, Stroke::hair(u));
    });
  }

  /// Each label ends below its cell and leans to the left.
  void draw_turned_cols(Index lit) const {
    for_cols(lit, pixels * 1.05f / cell.x, [&](Index c) {
      const ImVec2 end{col_middle(c) + pixels * 0.25f, seen.max.y + pixels * 0.55f};
      draw_turned(list, frame.fonts, face(c == lit), pixels, end, -45, ink(c == lit),
                  heat.col_labels[static_cast<std::size_t>(c)], heat.turned_room * pixels);
    });
  }

  void draw_cols(Index lit) const {
    // A name may be cut to a few letters, an index may not.
    const float widest = std::min(heat.widest_column * pixels, NameRoom::column * u * pixels / (TypeSize::note * u));
    const float room = std::max(cell.x - Space::thin * u, widest), apart = (room + Space::thin * u) / cell.x - 0.01f;
    const Index every = round_step(apart);
    for_cols(lit, apart, [&](Index c) {
      char buffer[24];
      const std::string_view text = label_text(heat.col_labels, c, every, c == lit || c == asked.col, buffer);
      const float whole = width(c == lit, text),
                  drawn = std::min(whole, std::max(room, static_cast<float>(every) * cell.x - Space::thin * u));
      if (drawn + 0.5f < whole && is_index(text)) return;
      draw_elided(list, frame.fonts, face(c == lit), pixels,
                  {col_middle(c) - drawn / 2, seen.max.y + NameGap::column * u}, ink(c == lit), text, drawn);
    });
  }
};

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
  const View& view = frame.view();
  Cell asked{Stage::weights, view.batch, view.head, query_asked(*frame.trace(), view), -1};
  if (frame.trace()->inputs.self_attention()) asked.col = asked.row;
  const LabelDrawer drawer{frame, list, heat, rect, seen, pixels, meaning_in(heat, asked)};
  std::optional<Cell> looked_at = frame.looked_at();
  if (looked_at && every_head && looked_at->stage == heat.stage) looked_at->head = heat.head;
  const Meaning lit = looked_at ? meaning_in(heat, *looked_at) : Meaning{};
  if (!heat.row_labels.empty()) drawer.draw_rows(lit.row);
  if (heat.col_labels.empty()) return;
  heat.turned_room > 0 ? drawer.draw_turned_cols(lit.col) : drawer.draw_cols(lit.col);
}

std::pair<Index, Index> indices_between(float from, float size, Index count, float lo, float hi) {
  const auto first = static_cast<Index>(std::max(0.0f, std::floor((lo - from) / size)));
  const auto last = static_cast<Index>(std::max(0.0f, std::ceil((hi - from) / size)));
  return {std::min(first, count), std::min(last, count)};
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
