// The parts of the map on screen.
#pragma once

#include <optional>
#include <utility>

#include "ui/map/map_picture.h"

namespace headlight {

/// The tiles in sight, coarser ones where those are not made yet; the numbers of cells that are large enough.
void draw_tiles(const Frame& frame, ImDrawList& list, const MapPicture& picture, const MapCamera& camera,
                Index rows_shown);
/// What is kept and what is pointed at, framed.
void draw_marks(const Frame& frame, ImDrawList& list, const MapPicture& picture, const MapCamera& camera);
/// Names of rows and columns beside the map, thinned out.
void draw_axes(const Frame& frame, ImDrawList& list, const MapCamera& camera,
               const std::optional<std::pair<Index, Index>>& lit);
/// Bars for the cells in sight of the row and of the column at `at`, below the map and beside it, each as high as
/// `size`.
void draw_profiles(const Frame& frame, ImDrawList& list, const MapPicture& picture, float size, const MapCamera& camera,
                   const std::pair<Index, Index>& at);
/// The whole matrix, small, with a frame around what is in sight.
void draw_small_map(const Frame& frame, ImDrawList& list, const MapPicture& picture, Rect small,
                    const MapCamera& camera, Index rows_shown);
/// The colours from end to end, and what the ends are.
void draw_map_bar(const Frame& frame, ImDrawList& list, const MapPicture& picture, Rect bar);

}  // namespace headlight
