// The transition from one scene to another. Items that are in both scenes move to their new place; the others fade out
// or in. Numbers are matched by their cell, however a scene shows them: a column of Q is a column of its head, and a
// score may be a cell in one scene and a bar in the other.
#pragma once

#include "ui/base/frame/frame.h"
#include "ui/parts/scene/scene.h"

namespace headlight {

/// The cell that numbers are matched by: heads are columns of the whole matrix, and all score stages are `scores`.
Cell same_number(const Trace& trace, Cell cell);

/// Adds each number of a matrix to a scene as a rectangle in its colour. Masked and dropped cells are left out, and so
/// is a matrix with too many cells. `first` is the cell of the upper left number.
void put_cells(const Trace& trace, const MatrixQuad& quad, const Cell& first, Scene& scene);

/// The scene at `share` of the transition: `from` at 0, `to` at 1.
Scene between(const Trace& trace, const Scene& from, const Scene& to, float share);

/// The transition from the previous scene to the current one; kept in frame.pictures.
struct SceneMotion {
  Scene from;
  float share = 1;
  bool moves() const { return share < 1; }
};

/// Draws the scene, or the transition to it.
void draw_scene_on_way(const Frame& frame, const Scene& scene);

}  // namespace headlight
