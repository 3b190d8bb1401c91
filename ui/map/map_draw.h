// Draws the parts of the map.
#pragma once

#include <optional>
#include <utility>

#include "ui/map/map_picture.h"

namespace headlight {

/// The visible tiles, coarser ones where finer ones are not computed yet; numbers in large cells.
void draw_tiles(const Frame& frame, ImDrawList& list, const MapPicture& picture, const MapCamera& camera,
                Index rows_shown);
/// Frames around the selected cell and the one under the pointer.
void draw_marks(const Frame& frame, ImDrawList& list, const MapPicture& picture, const MapCamera& camera);
/// Row and column labels, thinned out.
void draw_axes(const Frame& frame, ImDrawList& list, const MapCamera& camera,
               const std::optional<std::pair<Index, Index>>& lit);
/// Bars for the visible cells of the row and column at `at`, below and beside the map, up to `size` high.
void draw_profiles(const Frame& frame, ImDrawList& list, const MapPicture& picture, float size, const MapCamera& camera,
                   const std::pair<Index, Index>& at);
/// The whole matrix in small, with a frame around the visible part.
void draw_small_map(const Frame& frame, ImDrawList& list, const MapPicture& picture, Rect small,
                    const MapCamera& camera, Index rows_shown);
/// The colour bar with its ends.
void draw_map_bar(const Frame& frame, ImDrawList& list, const MapPicture& picture, Rect bar);

}  // namespace headlight
