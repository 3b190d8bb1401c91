// The pipeline's Scene, on a canvas that pans and zooms: cards and arrows, as far as the step player is; and what is
// drawn over it.
#pragma once

#include "ui/base/frame/frame.h"
#include "ui/base/geometry/rect.h"
#include "ui/parts/scene/scene.h"
#include "ui/views/pipeline/picture.h"

namespace headlight {

/// Converts canvas pixels at zoom 1 to screen pixels and back.
struct CanvasTransform {
  ImVec2 origin;
  float zoom = 1;
  ImVec2 screen(ImVec2 p) const { return {origin.x + p.x * zoom, origin.y + p.y * zoom}; }
  ImVec2 canvas(ImVec2 p) const { return {(p.x - origin.x) / zoom, (p.y - origin.y) / zoom}; }
  Rect screen(const Rect& r) const { return {screen(r.min), screen(r.max)}; }
};
/// The transform for the view's camera.
CanvasTransform transform_of(const View& view, Rect place);

/// The scene, cached. A card's target has its stage, on screen. It does not know what the pointer is on; only in a
/// presentation, cards that have no part in the current number step back.
const Scene& pipeline_scene(const Frame& frame, Rect place);
/// The current cell's sources, or what depends on it, with the words that make way for their arcs; the statistics of
/// its row; the card that the pointer is on in a formula. Cached for the last places of the pointer.
const SceneOverlay& pipeline_overlay(const Frame& frame, Rect place);

/// The part of the canvas that the cards have: all of it, in a presentation its upper part, above the current step.
Rect room_of_cards(const View& view, Rect place);

/// Draws it; it pans (drag) and zooms (wheel, around the pointer).
void draw_pipeline_view(const Frame& frame, Rect place);

/// The rectangle of a stage's card on the screen; `place` if there is none.
Rect card_on_screen(const Frame& frame, Rect place, Stage stage);
/// Draws the picture without reacting to the pointer.
void draw_pipeline_still(const Frame& frame, Rect place);
/// The numbers of its matrices, at their places on the screen.
Scene numbers_on_cards(const Frame& frame, Rect place);

}  // namespace headlight
