#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/figure/ticks.h"
#include "ui/imgui_compat.h"
#include "ui/look/measure.h"
#include "ui/map/map_picture.h"
#include "ui/matrix/heat_numbers.h"

namespace headlight {
namespace {

constexpr float drawn_label_points = TypeSize::note;

/// Where a tile stands on screen.
Rect tile_rect(const MapCamera& camera, const TileAt& at) {
  const Index side = tile_side << at.level;
  const auto edge = [side](Index i, Index count) { return static_cast<double>(std::min(i * side, count)); };
  return {{camera.x(edge(at.col, camera.cols)), camera.y(edge(at.row, camera.rows))},
          {camera.x(edge(at.col + 1, camera.cols)), camera.y(edge(at.row + 1, camera.rows))}};
}

void draw_tile(const Frame& frame, ImDrawList& list, const MapPicture& picture, const MapCamera& camera,
               const TileAt& at, const Tile& tile) {
  MatrixQuad quad = picture.heat.quad;
  const Rect rect = tile_rect(camera, at);
  quad.min = rect.min;
  quad.max = rect.max;
  quad.values = tile.values;
  quad.mask = tile.mask;
  quad.kept = tile.kept;
  quad.batch = quad.head = 0;
  quad.show_leaks = false;
  quad.cell_gap = at.level == 0 && camera.scale >= 6 * static_cast<double>(frame.u) ? std::max(1.0f, frame.u) : 0;
  frame.painter.draw(list, quad);
}

/// The finest there is that covers the place of `at`.
void draw_finest(const Frame& frame, ImDrawList& list, const MapPicture& picture, const MapCamera& camera, TileAt at) {
  const Rect place = tile_rect(camera, at);
  const int first = at.level;
  for (const int last = coarsest_level(camera.rows, camera.cols); at.level <= last;
       at = {at.level + 1, at.row / 2, at.col / 2}) {
    const std::shared_ptr<const Tile> tile = frame.tiles.find(at);
    if (!tile) continue;
    const bool coarser =
        first != at.level;  // it reaches beyond its place, whose edges are whole pixels as the painter's are
    if (coarser)
      list.PushClipRect({std::round(place.min.x), std::round(place.min.y)},
                        {std::round(place.max.x), std::round(place.max.y)}, true);
    draw_tile(frame, list, picture, camera, at, *tile);
    if (coarser) list.PopClipRect();
    return;
  }
}

/// A token where there is one, else the index.
std::string_view name_of(const Frame& frame, Axis axis, Index i, char (&buffer)[24]) {
  const Inputs& inputs = frame.trace()->inputs;
  const auto& all = axis == Axis::query ? inputs.query_tokens : inputs.key_tokens;
  const auto batch = static_cast<std::size_t>(frame.view().batch);
  if (batch < all.size() && static_cast<std::size_t>(i) < all[batch].size())
    return all[batch][static_cast<std::size_t>(i)];
  return {buffer, static_cast<std::size_t>(std::snprintf(buffer, sizeof buffer, "%lld", static_cast<long long>(i)))};
}

/// One that is lit pushes aside what it would touch.
bool stands(Index i, Index lit, Index step, double apart) {
  return i == lit || (i % step == 0 && (lit < 0 || static_cast<double>(std::abs(i - lit)) >= apart));
}

/// What the bars of a profile stand for.
struct Profile {
  float most = 0;
  bool negative = false;
  void add(const MapCell& cell) {
    if (!cell.there || cell.kind != CellKind::value) return;
    most = std::max(most, std::abs(cell.value));
    negative = negative || cell.value < 0;
  }
  /// From the ground up, in parts of the room.
  float height(const MapCell& cell) const {
    if (!cell.there || cell.kind != CellKind::value || most <= 0) return 0;
    return cell.value / most * (negative ? 0.5f : 1.0f);
  }
  float ground() const { return negative ? 0.5f : 0.0f; }
};

/// The cells of a level that are in sight along one axis.
struct Stretch {
  Index first, end, side, all;
  Stretch(std::pair<Index, Index> seen, Index count, int level)
      : first(seen.first >> level), end(((seen.second - 1) >> level) + 1), side(Index{1} << level), all(count) {}
  /// The matrix's cell that it begins with.
  double edge(Index i) const { return static_cast<double>(std::min(i * side, all)); }
};

/// What the longest bar stands for.
void draw_profile_end(const Frame& frame, ImDrawList& list, ImVec2 at, float most) {
  draw_text(list, frame.fonts, Face::mono, drawn_label_points * frame.u, at, frame.look.muted, map_number(most));
}

}  // namespace

void draw_tiles(const Frame& frame, ImDrawList& list, const MapPicture& picture, const MapCamera& camera,
                Index rows_shown) {
  const Rect area = camera.area();
  const float end = camera.y(static_cast<double>(rows_shown));
  list.PushClipRect(area.min, {area.max.x, std::min(area.max.y, end)}, true);
  const TileRange tiles = camera.tiles();
  for (Index row = tiles.row0; row < tiles.row1; ++row) {
    for (Index col = tiles.col0; col < tiles.col1; ++col)
      draw_finest(frame, list, picture, camera, {tiles.level, row, col});
  }
  const HeatPicture part = part_in_sight(frame, picture, camera);
  if (part.quad.values.defined() && part.stage != Stage::mask) write_numbers(frame, list, part, part.rect, {}, true);
  list.PopClipRect();
}

void draw_marks(const Frame& frame, ImDrawList& list, const MapPicture& picture, const MapCamera& camera) {
  HeatPicture part;
  part.stage = picture.heat.stage;
  part.head = picture.heat.head;
  const auto [row0, row1] = camera.rows_seen();
  const auto [col0, col1] = camera.cols_seen();
  part.rows = row1 - row0;
  part.cols = col1 - col0;
  const auto edge = [](Index i) { return static_cast<double>(i); };
  const Rect rect{{camera.x(edge(col0)), camera.y(edge(row0))}, {camera.x(edge(col1)), camera.y(edge(row1))}};
  const auto mark = [&, row0 = row0, col0 = col0](const std::optional<Cell>& cell, Mark how) {
    if (!cell || !frame.shows(*cell)) return;
    Cell here = *cell;
    const StageInfo& about = info(here.stage);
    if (about.rows == Axis::query) here.row -= row0;
    if (about.cols == Axis::key) here.col -= col0;
    if (about.rows == Axis::key) here.row -= col0;
    draw_highlight(frame, list, part, rect, here, how);
  };
  const View& view = frame.view();
  list.PushClipRect(camera.view.min, camera.view.max, true);
  mark(view.selected, Mark::kept);
  if (view.hovered != view.selected) mark(view.hovered, Mark::pointed);
  list.PopClipRect();
}

void draw_axes(const Frame& frame, ImDrawList& list, const MapCamera& camera,
               const std::optional<std::pair<Index, Index>>& lit) {
  const float u = frame.u, pixels = drawn_label_points * u, line = text_size(frame.fonts, Face::ui, pixels, "0").y;
  const Rect area = camera.area();
  const auto middle = [](Index i) { return static_cast<double>(i) + 0.5; };
  const auto face = [](bool is_lit) { return is_lit ? Face::bold : Face::ui; };
  const auto ink = [&](bool is_lit) { return is_lit ? frame.look.ink : frame.look.muted; };
  const auto each = [&](std::pair<Index, Index> seen, Index lit_one, double apart, auto&& draw) {
    const Index step = round_step(static_cast<float>(apart));
    for (Index i = (seen.first + step - 1) / step * step; i < seen.second; i += step) {
      if (stands(i, lit_one, step, apart) && i != lit_one) draw(i, false);
    }
    if (lit_one >= seen.first && lit_one < seen.second) draw(lit_one, true);
  };
  each(camera.rows_seen(), lit ? lit->first : -1, static_cast<double>(line * 0.95f) / camera.scale,
       [&](Index i, bool is_lit) {
         char buffer[24];
         const std::string_view text = name_of(frame, Axis::query, i, buffer);
         const float width = std::min(text_size(frame.fonts, face(is_lit), pixels, text).x, 96 * u),
                     y = camera.y(middle(i));
         if (y < camera.view.min.y || y > camera.view.max.y) return;
         draw_elided(list, frame.fonts, face(is_lit), pixels, {area.min.x - width - 5 * u, y - line / 2}, ink(is_lit),
                     text, width);
       });
  const bool words = !frame.trace()->inputs.key_tokens.empty();
  char digits[24];
  const int length = std::snprintf(digits, sizeof digits, "%lld", static_cast<long long>(camera.cols));
  std::fill_n(digits, length, '8');  // any index of as many digits has room
  const float widest = std::max(text_size(frame.fonts, Face::bold, pixels, digits).x, words ? 56 * u : 0.0f);
  each(camera.cols_seen(), lit ? lit->second : -1, static_cast<double>(widest + 8 * u) / camera.scale,
       [&](Index i, bool is_lit) {
         char buffer[24];
         const std::string_view text = name_of(frame, Axis::key, i, buffer);
         const float width = std::min(text_size(frame.fonts, face(is_lit), pixels, text).x, widest),
                     x = camera.x(middle(i));
         if (x < camera.view.min.x || x > camera.view.max.x) return;
         draw_elided(list, frame.fonts, face(is_lit), pixels, {x - width / 2, area.max.y + 3 * u}, ink(is_lit), text,
                     width);
       });
}

void draw_profiles(const Frame& frame, ImDrawList& list, const MapPicture& picture, float size, const MapCamera& camera,
                   const std::pair<Index, Index>& at) {
  const int level = camera.level();
  const Stretch rows(camera.rows_seen(), camera.rows, level), cols(camera.cols_seen(), camera.cols, level);
  const Index row = at.first >> level, col = at.second >> level;
  const float u = frame.u;
  const Rect area = camera.area();
  const ImU32 colour = fade(frame.look.lane(picture.heat.stage), 0.85f);
  MapCells cells(frame.tiles, level);

  Profile across;
  for (Index c = cols.first; c < cols.end; ++c) across.add(cells.at(row, c));
  const Rect below{{area.min.x, area.max.y + 22 * u}, {area.max.x, area.max.y + 22 * u + size}};
  const float floor = below.max.y - across.ground() * size;
  list.PushClipRect(below.min, {below.max.x, below.max.y + 1}, true);
  list.AddLine({below.min.x, floor}, {below.max.x, floor}, frame.look.line);
  for (Index c = cols.first; c < cols.end; ++c) {
    const float high = across.height(cells.at(row, c)) * size, x0 = camera.x(cols.edge(c)),
                x1 = camera.x(cols.edge(c + 1));
    if (high != 0)
      list.AddRectFilled({x0, std::min(floor, floor - high)}, {std::max(x1, x0 + 0.5f), std::max(floor, floor - high)},
                         colour);
  }
  list.PopClipRect();
  draw_profile_end(frame, list, {below.max.x + 6 * u, below.min.y - 2 * u}, across.most);

  Profile down;
  for (Index r = rows.first; r < rows.end; ++r) down.add(cells.at(r, col));
  const Rect beside{{area.max.x + 8 * u, area.min.y}, {area.max.x + 8 * u + size, area.max.y}};
  const float left = beside.min.x + down.ground() * size;
  list.PushClipRect({beside.min.x - 1, beside.min.y}, beside.max, true);
  list.AddLine({left, beside.min.y}, {left, beside.max.y}, frame.look.line);
  for (Index r = rows.first; r < rows.end; ++r) {
    const float wide = down.height(cells.at(r, col)) * size, y0 = camera.y(rows.edge(r)),
                y1 = camera.y(rows.edge(r + 1));
    if (wide != 0)
      list.AddRectFilled({std::min(left, left + wide), y0}, {std::max(left, left + wide), std::max(y1, y0 + 0.5f)},
                         colour);
  }
  list.PopClipRect();
  draw_profile_end(frame, list, {beside.min.x, beside.min.y - 17 * u}, down.most);
}

void draw_small_map(const Frame& frame, ImDrawList& list, const MapPicture& picture, Rect small,
                    const MapCamera& camera, Index rows_shown) {
  const MapCamera whole{
      small, camera.rows, camera.cols,   static_cast<double>(small.width()) / static_cast<double>(camera.cols),
      0,     0,           camera.nearest};
  const TileAt at{coarsest_level(camera.rows, camera.cols), 0, 0};
  if (const std::shared_ptr<const Tile> tile = frame.tiles.find(at)) {
    list.PushClipRect(small.min, {small.max.x, std::min(small.max.y, whole.y(static_cast<double>(rows_shown)))}, true);
    draw_tile(frame, list, picture, whole, at, *tile);
    list.PopClipRect();
  }
  const float u = frame.u;
  compat::add_rect(list, small.min, small.max, frame.look.line, 0, 1);
  const auto [row0, row1] = camera.rows_seen();
  const auto [col0, col1] = camera.cols_seen();
  const auto edge = [](Index i) { return static_cast<double>(i); };
  const float least = 9 * u;  // to be seen however little it is
  Rect seen{{whole.x(edge(col0)), whole.y(edge(row0))}, {whole.x(edge(col1)), whole.y(edge(row1))}};
  const ImVec2 more{std::max(0.0f, (least - seen.width()) / 2), std::max(0.0f, (least - seen.height()) / 2)};
  seen = {{seen.min.x - more.x, seen.min.y - more.y}, {seen.max.x + more.x, seen.max.y + more.y}};
  const Rect around = seen.grown(1.5f * u);
  compat::add_rect(list, around.min, around.max, frame.look.card, 0, 2 * u);
  compat::add_rect(list, seen.min, seen.max, frame.look.accent, 0, 2 * u);
}

void draw_map_bar(const Frame& frame, ImDrawList& list, const MapPicture& picture, Rect bar) {
  if (bar.width() <= 0) return;
  constexpr int steps = 32;
  const auto colour = [&](int i) { return to_imgui(picture.heat.colormap->at(static_cast<float>(i) / steps)); };
  const auto x = [&](int i) { return bar.min.x + bar.width() * static_cast<float>(i) / steps; };
  for (int i = 0; i < steps; ++i)
    list.AddRectFilledMultiColor({x(i), bar.min.y}, {x(i + 1), bar.max.y}, colour(i), colour(i + 1), colour(i + 1),
                                 colour(i));
  compat::add_rect(list, bar.min, bar.max, frame.look.line, 0, 1);
  const float u = frame.u, y = bar.max.y + 4 * u;
  const auto width = [&](Face face, float points, const std::string& text) {
    return text_size(frame.fonts, face, points * u, text).x;
  };
  const float lo = width(Face::mono, TypeSize::note, picture.lo), hi = width(Face::mono, TypeSize::note, picture.hi),
              spread = width(Face::ui, TypeSize::body, picture.spread);
  draw_text(list, frame.fonts, Face::mono, TypeSize::note * u, {bar.min.x, y}, frame.look.muted, picture.lo);
  draw_text(list, frame.fonts, Face::mono, TypeSize::note * u, {bar.max.x - hi, y}, frame.look.muted, picture.hi);
  const float middle = (bar.min.x + lo + bar.max.x - hi) / 2;
  if (spread + 12 * u <= bar.width() - lo - hi)
    draw_text(list, frame.fonts, Face::ui, TypeSize::body * u, {middle - spread / 2, y - u}, frame.look.muted,
              picture.spread);
}

}  // namespace headlight
