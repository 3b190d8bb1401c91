// A card with one matrix: title, cells, labels, caption lines.
#pragma once

#include <string>
#include <vector>

#include "ui/level/pen.h"
#include "ui/matrix/heat.h"
#include "ui/matrix/swatches.h"

namespace headlight {

struct MatrixCard {
  Rect card;
  std::string title;
  HeatPicture heat;                  ///< its rectangle holds the cells, in screen pixels
  std::vector<std::string> caption;  ///< lines below the cells
  std::vector<Swatch> legend;        ///< below the caption
  bool caption_above = false;        ///< the caption stands right of the title
  bool numbers = false;              ///< values are written into large cells
};

struct MatrixFit {
  bool closes_width = false;  ///< the card is only as wide as its matrix
  bool fills_height = false;  ///< the card keeps its height, with the cells centred
  bool names = true;
  bool low = false;  ///< little height: the caption stands above the cells if it fits there
};

/// `values` [n_q, n_k] as cells of `stage` at the current batch entry and head, not yet positioned.
HeatPicture sheet_heat(const Frame& frame, Stage stage, const Tensor& values, ValueRange range);
/// Makes the matrix as large as fits in `room`, then shrinks the card around it.
void lay_out(const Frame& frame, MatrixCard& card, Rect room, const MatrixFit& fit);
/// Puts "query ↓" and "key →" at the upper left corner of a matrix.
void put_axis_names(Pen& pen, const Rect& rect);
/// The space that these take above the matrix, in points, and left of it, in pixels.
inline constexpr float axis_names_height = 18;
float axis_names_width(const Frame& frame);

/// Puts the card, with the selection framed. `border` as in Pen::card.
void put_matrix_card(Pen& pen, const MatrixCard& card, ImU32 border = 0);
/// Puts the entries of a legend; returns the height.
float put_swatches(Pen& pen, std::span<const Swatch> swatches, ImVec2 at, float width);

}  // namespace headlight
