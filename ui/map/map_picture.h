// What the map shows, as plain data: which stage in which colours, what of it is in sight, and the numbers along one
// row and one column of it.
#pragma once

#include <string>
#include <vector>

#include "ui/map/map_camera.h"
#include "ui/matrix/heat.h"

namespace headlight {

/// Whether a stage's rows are queries and its columns keys.
bool is_mapped(Stage stage);
/// The stage that the map shows: the chosen one, else the last that the trace has; none where it has none.
std::optional<Stage> stage_on_map(const Frame& frame);

/// What chooses a stage, beside others.
struct StageChip {
  Stage stage;
  float width;
};
struct MapPicture {
  HeatPicture heat;  ///< the whole matrix in its colours
  std::vector<StageChip> chips;
  TiledMatrix matrix;
  float label_width = 0;  ///< of the widest name along the rows, pixels
  std::string lo, hi;     ///< ends of the colours
  std::string spread;     ///< how values spread between them, in words; "" evenly
};
const MapPicture& map_picture(const Frame& frame, Stage stage);

/// Where the parts of the view stand.
struct MapLayout {
  Rect stages;        ///< room for what chooses among them, in as many lines as it takes
  Rect go_to, whole;  ///< the field for a place, and the button for the whole, at the right end of the last line or in
                      ///< one below
  Rect map;
  float profile =
      0;  ///< what is left for the profile of a row, below the names of columns, and of a column, beside the map
  Rect small, notes;  ///< the whole matrix, small; what is said beside it
  Rect bar;           ///< the colours, between them; nothing where a stage has none (a mask)
};
MapLayout map_layout(const Frame& frame, Rect place, const MapPicture& picture);

/// Calls each(chip, corner) for the chips of the stages in `room`, which flow into lines; gives the end of the last.
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

/// A cell of a tile level, or what is known of it.
struct MapCell {
  bool there = false;
  float value = 0;
  CellKind kind = CellKind::masked;
};
/// Reads cells of one level; quick along rows.
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

/// With two significant digits at least.
std::string map_number(float value);

/// The cells in sight as a matrix of their own, where they are so large that numbers have room; else without values.
/// The rectangle is the screen's.
HeatPicture part_in_sight(const Frame& frame, const MapPicture& picture, const MapCamera& camera);

/// What is said beside the map.
struct MapNotes {
  std::vector<std::string> lines;
};
const MapNotes& map_notes(const Frame& frame, const MapPicture& picture, const MapCamera& camera,
                          const std::optional<std::pair<Index, Index>>& pointed);

}  // namespace headlight
