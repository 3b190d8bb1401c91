// The content of the map as plain data: the stage, its colours, the visible part, and the numbers along one row and
// column.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/compute/engine/tile_store.h"
#include "core/rules/stage/stage.h"
#include "ui/base/document/view_choices.h"
#include "ui/base/frame/frame.h"
#include "ui/base/geometry/rect.h"
#include "ui/base/look/measure.h"
#include "ui/parts/matrix/heat.h"
#include "ui/parts/scene/scene.h"

namespace headlight {

struct MapCamera {
  Rect view;  ///< pixels
  Index rows = 0, cols = 0;
  double scale = 1;  ///< pixels per cell
  double left = 0,
         top = 0;      ///< fractional key and query at view.min; negative if the matrix is smaller than the view
  double nearest = 1;  ///< largest allowed scale
  bool operator==(const MapCamera&) const = default;

  float x(double key) const { return static_cast<float>(static_cast<double>(view.min.x) + (key - left) * scale); }
  float y(double query) const { return static_cast<float>(static_cast<double>(view.min.y) + (query - top) * scale); }
  double key(float x) const { return left + static_cast<double>(x - view.min.x) / scale; }
  double query(float y) const { return top + static_cast<double>(y - view.min.y) / scale; }

  /// The scale at which the whole matrix is visible.
  double whole_scale() const;
  bool shows_all() const { return scale <= whole_scale(); }
  /// Visible rows and columns, also partly visible ones: [first, last).
  std::pair<Index, Index> rows_seen() const;
  std::pair<Index, Index> cols_seen() const;
  /// The rectangle of the matrix within the view.
  Rect area() const;
  /// Row and column at a point; unset beside the matrix.
  std::optional<std::pair<Index, Index>> at(ImVec2 point) const;
  /// The visible region for View; unset if everything is visible.
  std::optional<MapRegion> region() const;

  /// The level of the tiles to draw: their cells are at most one pixel and more than half a pixel.
  int level() const;
  TileRange tiles() const;
};

/// `nearest`: the largest number of pixels per cell.
MapCamera map_camera(const std::optional<MapRegion>& region, const Rect& view, Index rows, Index cols, double nearest);
/// Zooms; the point `about` keeps its position.
MapCamera zoomed(MapCamera camera, double factor, ImVec2 about);
MapCamera moved(MapCamera camera, ImVec2 pixels);
/// `scale` 0 keeps the scale.
MapCamera centred(MapCamera camera, double query, double key, double scale = 0);

/// Whether a stage's rows are queries and its columns keys.
bool is_mapped(Stage stage);
/// The stage of the map: the chosen one, else the last one of the trace; unset if it has none.
std::optional<Stage> stage_on_map(const Frame& frame);

/// A button that selects a stage.
struct StageChip {
  Stage stage;
  float width;
};
struct MapPicture {
  HeatPicture heat;  ///< the whole matrix with its colours
  std::vector<StageChip> chips;
  TiledMatrix matrix;
  float label_width = 0;  ///< width of the widest row label, pixels
  std::string lo, hi;     ///< ends of the colour bar
  std::string spread;     ///< how values map to colours, in words; "" if linearly
};
const MapPicture& map_picture(const Frame& frame, Stage stage);

/// Positions of the view's parts.
struct MapLayout {
  Rect stages;        ///< the stage buttons, in one or more lines
  Rect go_to, whole;  ///< the "go to" field and the "whole" button, at the right end of the last line or below it
  Rect map;
  float profile = 0;  ///< size of the row's profile, below the column labels, and of the column's, beside the map
  Rect small, notes;  ///< the small map; the notes beside it
  Rect bar;           ///< the colour bar; empty if the stage has none (a mask)
};
MapLayout map_layout(const Frame& frame, Rect place, const MapPicture& picture);

/// Calls each(chip, corner) for the stage buttons, which wrap within `room`; returns the end of the last.
template <typename Each>
ImVec2 place_chips(const MapPicture& picture, const Rect& room, float u, Each&& each) {
  ImVec2 at = room.min;
  for (const StageChip& chip : picture.chips) {
    if (at.x + chip.width > room.max.x && at.x > room.min.x) at = {room.min.x, at.y + ControlPitch::chips * u};
    each(chip, at);
    at.x += chip.width + Space::tight * u;
  }
  return at;
}

/// A cell of a tile level, as far as it is known.
struct MapCell {
  bool there = false;
  float value = 0;
  CellKind kind = CellKind::masked;
};
/// Reads cells of one level; fast along rows.
class MapCells {
 public:
  MapCells(const TileStore& tiles, int level) : tiles_(tiles), level_(level) {}
  MapCell at(Index row, Index col);

 private:
  const TileStore& tiles_;
  int level_;
  std::optional<TileAt> held_;
  std::shared_ptr<const Tile> tile_;
};

/// With at least two significant digits.
std::string map_number(float value);

using MapPlace = std::pair<Index, Index>;  ///< a query and a key
struct MapScenes {
  /// The visible tiles, coarser ones where finer ones are not computed yet, with numbers in large cells; the whole
  /// matrix in small; the colour bar.
  const Scene& map;
  /// Row and column names; bars for the visible cells of the current row and column; notes.
  const Scene& overlay;
};
/// Cached; the overlay for the last cells that were `looked` at.
MapScenes map_scenes(const Frame& frame, const MapPicture& picture, const MapLayout& layout, const MapCamera& camera,
                     const std::optional<MapPlace>& looked);

void draw_map_view(const Frame& frame, Rect place);

/// G gives the keyboard to the "go to" field; whether it did.
bool press_map_keys(const Frame& frame);

/// "70000, 69000", or one number for both. Throws InputError.
std::pair<Index, Index> parse_place(std::string_view text, Index rows, Index cols);

}  // namespace headlight
