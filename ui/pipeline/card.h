// One card of the pipeline: a stage's matrix with its title, words, notes and colour bar, where each of them stands.
#pragma once

#include "ui/pipeline/picture.h"

namespace headlight {

/// Cells as large as the box allows, at most this much longer one way than the other, but for matrices that are much
/// wider or taller than the box: those keep a share of it, so that they can be seen and pointed at.
ImVec2 fit_cells(Index rows, Index cols, ImVec2 box, float stretch);

/// The stage of the slot, closed around its matrix; `type` is how much larger than usual its letters are.
CardPicture make_card(const Frame& frame, const Slot& slot, float type);
/// The shape, with the axes' names where `named`, how it is read, and counts, as much as the line holds; `t` pixels to
/// a point of type.
void write_notes(const Frame& frame, CardPicture& card, bool named, float t);

}  // namespace headlight
