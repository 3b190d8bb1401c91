// One scene becomes another: what both have moves to its new place, the rest goes or comes. A number is the same one
// wherever it stands: a column of Q is a column of its head, a score is a cell first and a bar later.
#pragma once

#include "ui/frame/frame.h"
#include "ui/level/scene.h"

namespace headlight {

/// The same number under one name: heads are columns of the whole matrix, scores stay scores whatever is done to them.
Cell same_number(const Trace& trace, Cell cell);

/// Puts the numbers of a matrix into a scene one by one, each as a rectangle in its colour; what is hidden or dropped
/// is left out, and so is a matrix of too many cells. `first`: whose number its upper left one is.
void put_cells(const Trace& trace, const MatrixQuad& quad, const Cell& first, Scene& scene);

/// At `share` of the way, 0 to 1; at its ends as the scenes themselves look.
Scene between(const Trace& trace, const Scene& from, const Scene& to, float share);

/// The way from the scene that stood before to the one that is shown now; kept among the pictures.
struct SceneMotion {
  Scene from;
  float share = 1;
  bool moves() const { return share < 1; }
};

/// The scene as it is, or on its way from the one before.
void draw_scene_on_way(const Frame& frame, const Scene& scene);

}  // namespace headlight
