// One heatmap of a view as plain data: which numbers, where, in which colours, with which names along its sides.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/frame/colormaps.h"
#include "ui/frame/frame.h"
#include "ui/frame/matrix_painter.h"
#include "ui/geometry/rect.h"

namespace headlight {

/// A heatmap in its place, with what is needed to find the cell under the pointer.
struct HeatPicture {
  Stage stage{};
  Index batch = 0, head = 0;
  Index rows = 0, cols = 0;
  Rect rect;        ///< canvas pixels at zoom 1
  MatrixQuad quad;  ///< without its corners
  Tensor shades;    ///< [1, 1, rows, cols], where each row has a range of its own: the values scaled by it
  Colormap const* colormap = nullptr;
  std::vector<std::string> row_labels, col_labels;  ///< empty: none are drawn
  float label_room = 0;                             ///< for a row's label, in heights of its type
  float second_tier = 0;    ///< where rows are too low for their names, every other one ends so far from the matrix, in
                            ///< heights of its type; 0: none does
  float widest_column = 0;  ///< of the columns' names, in heights of their type
  bool elsewhere = false;   ///< of another run, in another shape: no cell of the shown one's means anything in it
  float turned_room = 0;    ///< for a column's label at 45°, along it, in heights of its type; 0: they stand upright
};

/// Of the height of type, how far apart the names of two rows stand at least.
inline constexpr float name_height = 0.95f;

/// Whether each row may have a range of its own, where the view says so: that takes as much room as the matrix.
enum class RowRanges : std::uint8_t { as_chosen, never };
/// One matrix in its place, in the view's colours: of `head`, a query head, or of the key/value head that it uses.
HeatPicture make_heat(const Frame& frame, Stage stage, Index head, Rect rect, RowRanges rows = RowRanges::as_chosen);

/// That the input or the weights are random, so that what attends to what means nothing; "" where neither is.
std::string random_words(const Frame& frame);

/// The cell of a heatmap at a point in the coordinates of its rectangle, if it is there.
std::optional<Cell> cell_in(const HeatPicture& heat, ImVec2 point);

/// The names along an axis, of the batch entry that is looked at.
std::vector<std::string> axis_labels(const Frame& frame, Axis axis, Index count);
/// The names along an axis at one batch entry: tokens where there are some, else indices.
std::string axis_label(const Trace& trace, Axis axis, Index batch, Index index);
/// The same, with its index where another of the axis has the same name: "the (3)".
std::string placed_label(const Trace& trace, Axis axis, Index batch, Index index);
/// What the widest of them takes in bold type of `pixels`.
float widest_label(const Frame& frame, Axis axis, Index count, float pixels);
/// How long the names along a matrix's columns are at 45°, where they stand so: wider than their columns, which have
/// room for a slanted line each, in a box that is high enough to leave every row the height of its own name. 0:
/// upright.
float turned_room(const Frame& frame, Axis axis, Index rows, Index cols, ImVec2 box, float pixels);
/// Room for the names of a matrix's rows beside it, in pixels.
struct RowNames {
  float room = 0;         ///< for all of them
  float second_tier = 0;  ///< every other name ends so far from the matrix; 0: all end beside it
};
/// In two tiers where rows of `pitch` are too low for all names in one, and both find room in `most`; else in one, cut
/// where it must be.
RowNames names_beside(const Frame& frame, Axis axis, Index rows, float pitch, float pixels, float most);
/// Names for a heatmap's rows, in `room` pixels beside it, and for its columns where they are wanted.
void add_labels(const Frame& frame, HeatPicture& heat, float pixels, float room, bool columns);
}  // namespace headlight
