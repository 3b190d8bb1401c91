// What the sheets of the mask view besides the first share: their words, what they depend on, and the pointer.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ui/document/view_choices.h"
#include "ui/frame/frame.h"
#include "ui/masklab/matrix_card.h"

namespace headlight {

/// What is to be seen, in words.
struct SheetWords {
  std::string title;
  std::vector<std::string> lines;
  std::vector<Swatch> legend;
  std::string error;  ///< why there is nothing to see
};

/// The mask that is looked at, [n_q, n_k]: of its batch entry and head; all ones where there is none.
Tensor looked_at_mask(const Frame& frame);
/// Only A allows, both do, only B: the map of a sheet's cells from −1 to 1.
const Colormap& pair_colormap(Theme theme);
/// 1 = computed and masked, 2 = computed and allowed, 3 = in a full block.
const Colormap& blocks_colormap(Theme theme);

/// Whose cells a sheet's cells are: the mask's, or without one the weights'.
Stage looked_at_stage(const Frame& frame);
/// "41.7 %"
std::string percent_text(double share);

/// What is left of a sheet inside its margins.
Rect sheet_inside(const Frame& frame, Rect place);
/// How high the words are over `width`, and drawing them from `place`'s top; what is left below.
Rect below_words(const Frame& frame, const SheetWords& words, Rect place);
void draw_sheet_words(const Frame& frame, const SheetWords& words, Rect place);

/// Where a cell of these cards is under `point`.
std::optional<Cell> cell_under(std::span<const MatrixCard* const> cards, ImVec2 point);
/// Takes the pointer over `area` (the last ImGui item afterwards): what it is over in the cards is hovered, a click
/// selects it.
void point_at_cells(const Frame& frame, const char* id, Rect area, std::span<const MatrixCard* const> cards);
/// The same of a cell that was found already.
void hover_or_select(const Frame& frame, const std::optional<Cell>& cell, bool clicked);

}  // namespace headlight
