// Shared by the sheets of the mask view except the first: text, current mask, pointer. Each sheet is a Scene.
#pragma once

#include <string>
#include <vector>

#include "ui/document/view_choices.h"
#include "ui/frame/frame.h"
#include "ui/masklab/matrix_card.h"

namespace headlight {

/// The text of a sheet.
struct SheetWords {
  std::string title;
  std::vector<std::string> lines;
  std::vector<Swatch> legend;
  std::string error;  ///< why there is nothing to show
};

/// The current mask, [n_q, n_k], of the current batch entry and head; all ones without a mask.
Tensor looked_at_mask(const Frame& frame);
/// Colours for −1 (only A allows), 0 (both agree) and 1 (only B allows).
const Colormap& pair_colormap(Theme theme);
/// Colours for 1 (computed and masked), 2 (computed and allowed), 3 (in a full block).
const Colormap& blocks_colormap(Theme theme);

/// The stage whose cells the sheet shows: mask, or weights without one.
Stage looked_at_stage(const Frame& frame);
/// The chosen block side, else the usual one for this number of tokens.
Index block_in_force(const MaskLab& lab, const Dims& dims);
/// "41.7 %"
std::string percent_text(double share);

/// A sheet's area within its margins.
Rect sheet_inside(const Frame& frame, Rect place);
/// Puts the text at the top of `place`; returns the area below it.
Rect put_sheet_words(Pen& pen, const SheetWords& words, Rect place);

/// Handles the pointer over `area`, which becomes an ImGui item: hovers the cell of the scene's heatmaps under it,
/// selects it on a click.
void point_at_cells(const Frame& frame, const Scene& scene, Rect area);
/// The same for a cell that is already known.
void hover_or_select(const Frame& frame, const std::optional<Cell>& cell, bool clicked);

}  // namespace headlight
