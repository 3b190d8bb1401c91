// One matrix of a sheet in a card of its own: title, cells with names at their sides, some lines of caption.
#pragma once

#include <string>
#include <vector>

#include "ui/matrix/heat.h"
#include "ui/matrix/swatches.h"

namespace headlight {

struct MatrixCard {
  Rect card;
  std::string title;
  HeatPicture heat;                  ///< its rectangle: the cells, in pixels of the screen
  std::vector<std::string> caption;  ///< lines below the cells
  std::vector<Swatch> legend;        ///< below those
  float type = 12;                   ///< of the names, in points
  bool caption_above = false;        ///< its lines stand right of the title and of the axes' names
  bool numbers = false;              ///< values are written into cells that are large enough
};

struct MatrixFit {
  bool closes_width = false;  ///< the card is no wider than its matrix takes
  bool fills_height = false;  ///< the card keeps the height it is given, the cells in its middle
  bool names = true;
  bool low = false;  ///< height is dear: the caption stands over the cells, where it finds room there
};

/// `values` [n_q, n_k] as cells of `stage` of the batch entry and head that are looked at, not in a place yet.
HeatPicture sheet_heat(const Frame& frame, Stage stage, const Tensor& values, ValueRange range);
/// As large as it fits into `room`, then closes the card around it.
void lay_out(const Frame& frame, MatrixCard& card, Rect room, const MatrixFit& fit);
/// "query ↓" and "key →", over the corner of a matrix whose names stand left of it and below it.
void draw_axis_names(const Frame& frame, ImDrawList& list, const Rect& rect);
/// What draw_axis_names() needs above a matrix, in points, and left of it, in pixels.
inline constexpr float axis_names_height = 18;
float axis_names_width(const Frame& frame);

/// With what is looked at framed. `border` as in draw_card.
void draw_matrix_card(const Frame& frame, const MatrixCard& card, ImU32 border = 0);

}  // namespace headlight
