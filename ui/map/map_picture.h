// The content of the map as plain data: the stage, its colours, the visible part, and the numbers along one row and
// column.
#pragma once

#include <string>
#include <vector>

#include "ui/map/map_camera.h"
#include "ui/matrix/heat.h"

namespace headlight {

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
    if (at.x + chip.width > room.max.x && at.x > room.min.x) at = {room.min.x, at.y + 34 * u};
    each(chip, at);
    at.x += chip.width + 4 * u;
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

/// The visible cells as a matrix of their own, with values if cells are large enough for numbers. Its rectangle is in
/// screen pixels.
HeatPicture part_in_sight(const Frame& frame, const MapPicture& picture, const MapCamera& camera);

/// The notes beside the map.
struct MapNotes {
  std::vector<std::string> lines;
};
const MapNotes& map_notes(const Frame& frame, const MapPicture& picture, const MapCamera& camera,
                          const std::optional<std::pair<Index, Index>>& pointed);

}  // namespace headlight
