// MapCamera: which part of a matrix is where on the screen. In double precision, because 131,072 cells of 60 pixels
// exceed a float's.
#pragma once

#include <optional>
#include <utility>

#include "core/engine/tile_store.h"
#include "core/stage/stage.h"
#include "ui/document/view_choices.h"
#include "ui/geometry/rect.h"

namespace headlight {

struct MapCamera {
  Rect view;  ///< pixels
  Index rows = 0, cols = 0;
  double scale = 1;  ///< pixels per cell
  double left = 0,
         top = 0;      ///< fractional key and query at view.min; negative if the matrix is smaller than the view
  double nearest = 1;  ///< largest allowed scale

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

}  // namespace headlight
