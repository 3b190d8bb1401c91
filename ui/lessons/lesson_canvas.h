// What a lesson lays over the middle of the window: questions that are answered there, the veil over what is hidden,
// the ring around what the text is about, and the teacher's notes.
#pragma once

#include "core/lesson/course.h"
#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

/// What is left of `place` above the notes.
Rect above_notes(const Frame& frame, const Course& course, Rect place);
/// Draws the step's question where it is answered in the canvas, or the veil, in the view's stead; false where the view
/// is to be drawn as it is.
bool draw_in_views_stead(const Frame& frame, const Course& course, Rect place);
/// Whether the step's question is answered in the canvas, which then has the whole width.
bool asks_in_canvas(const Frame& frame);
/// The ring over the view, around what the text is about.
void draw_ring(const Frame& frame, Rect place);
/// The notes, in what `place` leaves of `whole`.
void draw_notes(const Frame& frame, const Course& course, Rect place, Rect whole);

}  // namespace headlight
