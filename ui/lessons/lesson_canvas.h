// What a lesson lays over the middle of the window: questions that are answered there, the veil over what is hidden,
// the ring around what the text is about, and the teacher's notes.
#pragma once

#include "core/lesson/course.h"
#include "ui/document/action.h"
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

/// Whether a stage's numbers are hidden: what a question hides until it is answered stays hidden everywhere.
bool is_hidden(const View& view, Stage stage);
/// Whether the view, at its level, would show what is hidden in its own way: it is veiled then. The pipeline itself
/// hides single cards.
bool hides_view(const View& view);
/// Whether the action would carry hidden numbers out of the window.
bool hides_what_is_taken(const Document& document, const Action& action);

}  // namespace headlight
