// What a lesson draws over the middle of the window: questions, covers over hidden numbers, a ring around what the text
// is about, and the teacher's notes.
#pragma once

#include "core/teaching/lesson/course.h"
#include "ui/base/document/action.h"
#include "ui/base/frame/frame.h"
#include "ui/base/geometry/rect.h"

namespace headlight {

/// The part of `place` above the notes.
Rect above_notes(const Frame& frame, const Course& course, Rect place);
/// Draws the step's question in place of the view, or a cover if the view is `covered`; false if the view is to be
/// drawn.
bool draw_in_views_stead(const Frame& frame, const Course& course, Rect place, bool covered);
/// Whether the step's question is drawn in the canvas, which then has the full width.
bool asks_in_canvas(const Frame& frame);
/// Draws the ring around what the text is about.
void draw_ring(const Frame& frame, Rect place);
/// Draws the notes in the part of `whole` below `place`.
void draw_notes(const Frame& frame, const Course& course, Rect place, Rect whole);

/// Whether a question hides the stage's numbers, which holds in every view until it is answered.
bool is_hidden(const View& view, Stage stage);
/// Whether the action would copy or save hidden numbers.
bool hides_what_is_taken(const Document& document, const Action& action);

/// Draw the questions that are answered in the canvas: a row of numbers to fill in, a mask to paint.
void draw_row_question(const Frame& frame, const Question& question, Rect place);
void draw_mask_question(const Frame& frame, const Question& question, Rect place);
/// Whether the mask is small enough to be painted; larger ones are typed.
bool can_be_painted(const Trace& trace);

}  // namespace headlight
