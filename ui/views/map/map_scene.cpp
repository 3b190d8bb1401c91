// The map as a scene: tiles, labels, the profiles of the selected row and column, the overview map, notes.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/figures/figure/ticks.h"
#include "ui/base/look/measure.h"
#include "ui/parts/scene/pen.h"
#include "ui/parts/scene/scene.h"
#include "ui/parts/widgets/card.h"
#include "ui/views/map/map_picture.h"

namespace headlight {
namespace {

constexpr float numbers_from = 20;  // minimum size of a cell with a number, in points
// In points: the profiles of the chosen row and column, the visible part in the small map, and the notes.
constexpr float profile_below = 22, number_above = 17, least_seen = 9, between_notes = 7;

std::string span_of(Index first, Index end) {
  return end - first == 1 ? std::to_string(first) : std::to_string(first) + "–" + std::to_string(end - 1);
}

/// The rectangle of a tile on screen.
Rect tile_rect(const MapCamera& camera, const TileAt& at) {
  const Index side = tile_side << at.level;
  const auto edge = [side](Index i, Index count) { return static_cast<double>(std::min(i * side, count)); };
  return {{camera.x(edge(at.col, camera.cols)), camera.y(edge(at.row, camera.rows))},
          {camera.x(edge(at.col + 1, camera.cols)), camera.y(edge(at.row + 1, camera.rows))}};
}

Rect common(const Rect& a, const Rect& b) {
  return {{std::max(a.min.x, b.min.x), std::max(a.min.y, b.min.y)},
          {std::min(a.max.x, b.max.x), std::min(a.max.y, b.max.y)}};
}

/// The visible cells of a level along one axis.
struct Stretch {
  Index first, end, side, all;
  Stretch(std::pair<Index, Index> seen, Index count, int level)
      : first(seen.first >> level), end(((seen.second - 1) >> level) + 1), side(Index{1} << level), all(count) {}
  /// The index of the first matrix cell of cell `i`.
  double edge(Index i) const { return static_cast<double>(std::min(i * side, all)); }
};

struct MapBuilder {
  const Frame& frame;
  const MapPicture& picture;
  const MapLayout& layout;
  const MapCamera& camera;
  const std::optional<MapPlace>& looked;
  Index rows_shown;
  Pen& pen;
  const float u = frame.u, small_type = TypeSize::note * u;
  const Look& look = frame.look;

  void put_tile(const MapCamera& at_camera, const TileAt& at, const Tile& tile, const Rect& seen) const {
    SceneMatrix item{picture.heat.quad, seen};
    MatrixQuad& quad = item.quad;
    const Rect rect = tile_rect(at_camera, at);
    quad.min = rect.min;
    quad.max = rect.max;
    quad.values = tile.values;
    quad.mask = tile.mask;
    quad.kept = tile.kept;
    quad.batch = quad.head = 0;
    quad.show_leaks = false;
    quad.cell_gap = at.level == 0 && at_camera.scale >= 6 * static_cast<double>(u) ? std::max(1.0f, u) : 0;
    pen.scene().items.emplace_back(std::move(item));
  }

  /// Draws the finest available tile that covers `at`.
  void put_finest(TileAt at, const Rect& seen) const {
    // A coarser tile is larger. Its edges are on whole pixels like the painter's.
    const Rect place = card_on_pixels(tile_rect(camera, at));
    const int first = at.level;
    for (const int last = coarsest_level(camera.rows, camera.cols); at.level <= last;
         at = {at.level + 1, at.row / 2, at.col / 2}) {
      const std::shared_ptr<const Tile> tile = frame.tiles.find(at);
      if (tile) return put_tile(camera, at, *tile, first == at.level ? seen : common(seen, place));
    }
  }

  /// The visible cells, as far as the step player has computed them.
  Rect computed_area() const {
    Rect area = camera.area();
    area.max.y = std::min(area.max.y, camera.y(static_cast<double>(rows_shown)));
    return area;
  }

  void put_tiles() const {
    const Rect seen = computed_area();
    const TileRange tiles = camera.tiles();
    for (Index row = tiles.row0; row < tiles.row1; ++row) {
      for (Index col = tiles.col0; col < tiles.col1; ++col) put_finest({tiles.level, row, col}, seen);
    }
  }

  /// The name of a row or column, and where it stands along its axis.
  struct Name {
    Index index = 0;
    std::string text;
    float from = 0, to = 0;
  };

  /// Names are thinned out: the highlighted one stands, another only if it touches neither this one nor the one before
  /// it. `extent(name, face)` is its length along the axis, `at(i)` the middle of cell `i`.
  std::vector<Name> names_along(Axis axis, std::pair<Index, Index> seen, Index lit, float apart, float least,
                                auto extent, auto at) const {
    const auto name = [&](Index i) {
      Name made{i, axis_label(*frame.trace(), axis, frame.view().batch, i)};
      const float half = extent(made.text, i == lit ? Face::bold : Face::ui) / 2;
      made.from = at(i) - half;
      made.to = at(i) + half;
      return made;
    };
    std::vector<Name> names;
    const bool has_lit = lit >= seen.first && lit < seen.second;
    const Name front = has_lit ? name(lit) : Name();
    const Index step = round_step(static_cast<float>(static_cast<double>(least + apart) / camera.scale));
    for (Index i = (seen.first + step - 1) / step * step; i < seen.second; i += step) {
      if (i == lit) continue;
      Name next = name(i);
      const bool touches_front = has_lit && next.to + apart > front.from && next.from < front.to + apart;
      if (!touches_front && (names.empty() || next.from + 0.01f >= names.back().to + apart))
        names.push_back(std::move(next));
    }
    if (has_lit) names.push_back(front);
    return names;
  }

  void put_name(const Name& name, Index lit, ImVec2 at, float most, Align align) const {
    pen.words(name.index == lit ? Face::bold : Face::ui, small_type, at, name.index == lit ? look.ink : look.muted,
              name.text, most, align);
  }

  void put_row_names(Index lit) const {
    const Rect area = camera.area();
    const float line = pen.measure(Face::ui, small_type, "0").y;
    const auto at = [&](Index i) { return camera.y(static_cast<double>(i) + 0.5); };
    const auto extent = [&](const std::string&, Face) { return line * 0.95f; };
    for (const Name& name : names_along(Axis::query, camera.rows_seen(), lit, 0, line * 0.95f, extent, at)) {
      const float y = (name.from + name.to) / 2;
      if (y < camera.view.min.y || y > camera.view.max.y) continue;
      put_name(name, lit, {area.min.x - NameGap::row * u, y - line / 2}, NameRoom::row * u, Align::right);
    }
  }

  /// A word has the room that it takes, up to 56 points or the width of its column.
  void put_column_names(Index lit) const {
    const Rect area = camera.area();
    const bool words = !frame.trace()->inputs.key_tokens.empty();
    const std::string digits(std::to_string(camera.cols).size(), '8');  // the widest index with this number of digits
    const float number = pen.measure(Face::bold, small_type, digits).x;
    const float most = words ? std::max(NameRoom::column * u, static_cast<float>(camera.scale)) : number;
    const auto at = [&](Index i) { return camera.x(static_cast<double>(i) + 0.5); };
    const auto extent = [&](const std::string& name, Face face) {
      return std::min(pen.measure(face, small_type, name).x, most);
    };
    const float least = words ? Space::apart * u : number;  // of a word of one or two letters
    for (const Name& name : names_along(Axis::key, camera.cols_seen(), lit, Space::gap * u, least, extent, at)) {
      const float x = (name.from + name.to) / 2;
      if (x < camera.view.min.x || x > camera.view.max.x) continue;
      put_name(name, lit, {x, area.max.y + NameGap::column * u}, most, Align::middle);
    }
  }

  /// Bars from a base line for the visible cells of a row or column: `cell(i)` is its cell, `edge(i)` its start,
  /// `bar(from, to, height)` the rectangle; returns the value of the longest bar.
  float put_profile(const Stretch& cells, float size, auto cell, auto edge, auto bar) const {
    float most = 0;
    bool negative = false;
    const auto value = [&](Index i) {
      const MapCell at = cell(i);
      return at.there && at.kind == CellKind::value ? at.value : 0.0f;
    };
    for (Index i = cells.first; i < cells.end; ++i) {
      most = std::max(most, std::abs(value(i)));
      negative = negative || value(i) < 0;
    }
    const float ground = negative ? size / 2 : 0, scale = most > 0 ? (size - ground) / most : 0;
    pen.fill(bar(edge(cells.first), edge(cells.end), ground, ground + 1), look.line);
    for (Index i = cells.first; i < cells.end; ++i) {
      const float high = value(i) * scale, from = edge(i), to = std::max(edge(i + 1), from + 0.5f);
      if (high != 0)
        pen.fill(bar(from, to, ground + std::min(high, 0.0f), ground + std::max(high, 0.0f)),
                 fade(look.lane(picture.heat.stage), 0.85f));
    }
    return most;
  }

  /// The profiles of the selected row and column, below and next to the map.
  void put_profiles() const {
    const int level = camera.level();
    const Index row = looked->first >> level, col = looked->second >> level;
    const Rect area = camera.area();
    const float size = layout.profile, floor = area.max.y + profile_below * u + size,
                left = area.max.x + Space::gap * u;
    MapCells cells(frame.tiles, level);
    const Stretch cols(camera.cols_seen(), camera.cols, level), rows(camera.rows_seen(), camera.rows, level);
    const float across = put_profile(
        cols, size, [&](Index c) { return cells.at(row, c); },
        [&](Index c) { return std::clamp(camera.x(cols.edge(c)), area.min.x, area.max.x); },
        [&](float from, float to, float low, float high) {
          return Rect{{from, floor - high}, {to, floor - low}};
        });
    pen.words(Face::mono, small_type, {area.max.x + Space::near * u, floor - size - Space::fine * u}, look.muted,
              map_number(across));
    const float down = put_profile(
        rows, size, [&](Index r) { return cells.at(r, col); },
        [&](Index r) { return std::clamp(camera.y(rows.edge(r)), area.min.y, area.max.y); },
        [&](float from, float to, float low, float high) {
          return Rect{{left + low, from}, {left + high, to}};
        });
    pen.words(Face::mono, small_type, {left, area.min.y - number_above * u}, look.muted, map_number(down));
  }

  /// The visible cells, as `through` shows them.
  Rect rect_in_sight(const MapCamera& through) const {
    const auto [row0, row1] = camera.rows_seen();
    const auto [col0, col1] = camera.cols_seen();
    return {{through.x(static_cast<double>(col0)), through.y(static_cast<double>(row0))},
            {through.x(static_cast<double>(col1)), through.y(static_cast<double>(row1))}};
  }

  /// The overview of the whole matrix, with a frame around the visible part.
  void put_small_map() const {
    const Rect& small = layout.small;
    const MapCamera whole{
        small, camera.rows, camera.cols,   static_cast<double>(small.width()) / static_cast<double>(camera.cols),
        0,     0,           camera.nearest};
    const TileAt at{coarsest_level(camera.rows, camera.cols), 0, 0};
    Rect shown = small;
    shown.max.y = std::min(small.max.y, whole.y(static_cast<double>(rows_shown)));
    if (const std::shared_ptr<const Tile> tile = frame.tiles.find(at)) put_tile(whole, at, *tile, shown);
    pen.box(small, look.line, 1);
    const float least = least_seen * u;  // minimum size, so that it is always visible
    Rect seen = rect_in_sight(whole);
    const ImVec2 more{std::max(0.0f, (least - seen.width()) / 2), std::max(0.0f, (least - seen.height()) / 2)};
    seen = {{seen.min.x - more.x, seen.min.y - more.y}, {seen.max.x + more.x, seen.max.y + more.y}};
    pen.box(seen.grown(Outset::cell * u), look.card, Stroke::firm(u));
    pen.box(seen, look.accent, Stroke::firm(u));
  }

  void put_bar() const {
    const Rect& bar = layout.bar;
    if (bar.width() <= 0) return;
    pen.colours(bar, *picture.heat.colormap);
    pen.box(bar, look.line, 1);
    const float y = bar.max.y + Space::tight * u;
    const auto put = [&](Face face, float points, ImVec2 at, const std::string& words, Align align) {
      return pen.words(face, points * u, at, look.muted, words, Pen::uncut, align);
    };
    const float lo = put(Face::mono, TypeSize::note, {bar.min.x, y}, picture.lo, Align::left).max.x,
                hi = put(Face::mono, TypeSize::note, {bar.max.x, y}, picture.hi, Align::right).min.x;
    if (pen.measure(Face::ui, TypeSize::body * u, picture.spread).x + Space::apart * u <= hi - lo)
      put(Face::ui, TypeSize::body, {(lo + hi) / 2, y - u}, picture.spread, Align::middle);
  }

  std::vector<std::string> notes() const {
    const int level = camera.level();
    const Index side = Index{1} << level;
    const TileProgress progress = frame.tiles.progress();
    const std::string length = std::to_string(side), percent = std::to_string(static_cast<int>(progress.share * 100));
    const bool largest = picture.heat.colormap->kind() == ColormapKind::sequential;
    const char* const blocks = picture.heat.stage == Stage::mask ? "map.blocks_mask"
                               : largest                         ? "map.blocks_largest"
                                                                 : "map.blocks_farthest";
    std::vector<std::string> lines{level == 0 ? frame.words("map.every_cell") : frame.words.fill(blocks, {length})};
    if (level > 0)
      lines.push_back(progress.exact ? frame.words("map.exact") : frame.words.fill("map.sample", {length, percent}));
    if (std::string random = random_words(frame.trace()->inputs, frame.words); !random.empty())
      lines.push_back(std::move(random));
    if (!looked) return lines;
    const Index block_row = looked->first / side, block_col = looked->second / side, row = block_row * side,
                col = block_col * side;
    lines.push_back(frame.words.fill(
        level == 0 ? "map.cell" : "map.block",
        {span_of(row, std::min(row + side, camera.rows)), span_of(col, std::min(col + side, camera.cols))}));
    if (const Inputs& inputs = frame.trace()->inputs;
        level == 0 && !inputs.query_tokens.empty() && !inputs.key_tokens.empty()) {
      const Index batch = frame.view().batch;
      lines.push_back(axis_label(*frame.trace(), Axis::query, batch, row) + " → " +
                      axis_label(*frame.trace(), Axis::key, batch, col));
    }
    const MapCell cell = MapCells(frame.tiles, level).at(block_row, block_col);
    if (!cell.there) return lines;
    const char* const most = level == 0 ? "map.value" : largest ? "map.largest" : "map.farthest";
    lines.push_back(cell.kind == CellKind::masked    ? frame.words("map.masked")
                    : cell.kind == CellKind::dropped ? frame.words("map.dropped")
                                                     : frame.words.fill(most, {map_number(cell.value)}));
    return lines;
  }

  void put_notes() const {
    ImVec2 at = layout.notes.min;
    ImU32 ink = look.muted;
    for (const std::string& line : notes()) {
      at.y += pen.paragraph(Face::ui, TypeSize::body * u, at, ink, line, layout.notes.width()) + between_notes * u;
      ink = look.ink;
    }
  }

  /// The visible cells as a separate heatmap.
  HeatPicture part_in_sight() const {
    HeatPicture part = picture.heat;
    const auto [row0, row1] = camera.rows_seen();
    const auto [col0, col1] = camera.cols_seen();
    part.first_row = row0;
    part.first_col = col0;
    part.rows = row1 - row0;
    part.cols = col1 - col0;
    part.rect = rect_in_sight(camera);
    return part;
  }

  void put_numbers(HeatPicture part) const {
    Buffer values, mask, kept;
    MapCells cells(frame.tiles, 0);
    const float fill = part.stage == Stage::masked_scores ? frame.trace()->fill : 0.0F;
    for (Index r = 0; r < part.rows; ++r) {
      for (Index c = 0; c < part.cols; ++c) {
        const MapCell cell = cells.at(part.first_row + r, part.first_col + c);
        const bool masked = !cell.there || cell.kind == CellKind::masked;
        values.push_back(masked ? fill : cell.value);
        mask.push_back(masked ? 0.0F : 1.0F);
        kept.push_back(cell.kind == CellKind::dropped ? 0.0F : 1.0F);
      }
    }
    const Shape shape{1, 1, part.rows, part.cols};
    part.batch = part.head = 0;
    part.quad.values = Tensor(shape, std::move(values));
    part.quad.mask = Tensor(shape, std::move(mask));
    part.quad.kept = Tensor(shape, std::move(kept));
    pen.heat({.heat = std::make_shared<HeatPicture>(std::move(part)),
              .numbers = true,
              .marks = false,
              .cells = false,
              .seen = computed_area()});
  }

  /// Numbers in large cells, and frames around the selected ones.
  void put_cells() const {
    HeatPicture part = part_in_sight();
    const bool large = camera.scale >= static_cast<double>(numbers_from * u);
    if (large && part.rows * part.cols > 0 && part.stage != Stage::mask) put_numbers(part);
    pen.heat({.heat = std::make_shared<HeatPicture>(std::move(part)), .cells = false, .seen = camera.view});
  }

  void put() const {
    put_tiles();
    put_small_map();
    put_bar();
    put_cells();
  }

  /// What belongs to the current cell.
  void put_overlay() const {
    put_row_names(looked ? looked->first : -1);
    put_column_names(looked ? looked->second : -1);
    if (looked) put_profiles();
    put_notes();
  }
};

}  // namespace

MapScenes map_scenes(const Frame& frame, const MapPicture& picture, const MapLayout& layout, const MapCamera& camera,
                     const std::optional<MapPlace>& looked) {
  const Index rows_shown = frame.rows_shown(picture.heat.stage);
  const auto make = [&](auto put) {
    Scene made;
    Pen pen(frame, made);
    put(MapBuilder{frame, picture, layout, camera, looked, rows_shown, pen});
    return made;
  };
  const TileProgress progress = frame.tiles.progress();
  const auto parts = std::tuple(picture.heat.stage, camera, layout.notes, rows_shown, frame.tiles.version(),
                                progress.exact, static_cast<int>(progress.share * 100));
  const Scene& map = frame.kept([&] { return make([](const MapBuilder& build) { build.put(); }); }, parts);
  return {map, frame.kept_at(
                   looked, [&] { return make([](const MapBuilder& b) { b.put_overlay(); }); }, parts)};
}

}  // namespace headlight
