// MapCamera: which part of a matrix stands where on the screen. Double precision: 131,072 cells of 60 pixels are more
// than a float tells apart.
#pragma once

#include <optional>
#include <utility>

#include "core/engine/tile_store.h"
#include "core/stage/cell.h"
#include "ui/document/view_choices.h"
#include "ui/geometry/rect.h"

namespace headlight {

struct MapCamera {
  Rect view;  ///< pixels
  Index rows = 0, cols = 0;
  double scale = 1;  ///< pixels a cell
  double
      left = 0,
      top = 0;  ///< the key and the query at view.min, as fractions; negative where the matrix is smaller than the view
  double nearest = 1;  ///< the largest scale there is

  float x(double key) const { return static_cast<float>(static_cast<double>(view.min.x) + (key - left) * scale); }
  float y(double query) const { return static_cast<float>(static_cast<double>(view.min.y) + (query - top) * scale); }
  double key(float x) const { return left + static_cast<double>(x - view.min.x) / scale; }
  double query(float y) const { return top + static_cast<double>(y - view.min.y) / scale; }

  /// At which the whole matrix is in sight.
  double whole_scale() const;
  bool shows_all() const { return scale <= whole_scale(); }
  /// Rows and columns in sight, parts of them too: [first, last).
  std::pair<Index, Index> rows_seen() const;
  std::pair<Index, Index> cols_seen() const;
  /// Where the matrix is, within the view.
  Rect area() const;
  /// Row and column under a point; none beside the matrix.
  std::optional<std::pair<Index, Index>> at(ImVec2 point) const;
  /// What is in sight, for View; unset where that is the whole.
  std::optional<MapRegion> region() const;

  /// Of the tiles to draw: a cell of a tile is at most a pixel, and more than half of one.
  int level() const;
  TileRange tiles() const;
};

/// `nearest`: the largest pixels a cell.
MapCamera map_camera(const std::optional<MapRegion>& region, const Rect& view, Index rows, Index cols, double nearest);
/// What is under `about` stays there.
MapCamera zoomed(MapCamera camera, double factor, ImVec2 about);
MapCamera moved(MapCamera camera, ImVec2 pixels);
/// `scale` 0: as it is.
MapCamera centred(MapCamera camera, double query, double key, double scale = 0);

}  // namespace headlight
