// One heatmap as plain data: its numbers, rectangle, colours and labels.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ui/base/frame/colormaps.h"
#include "ui/base/frame/frame.h"
#include "ui/base/frame/matrix_painter.h"
#include "ui/base/geometry/rect.h"

namespace headlight {

/// The picture that the tokens of an axis are pieces of, row by row, after `extra` other tokens.
struct TokenPicture {
  std::shared_ptr<const Image> image;
  Index rows = 0, columns = 0, extra = 0;
  bool has(Index token) const { return image && token >= extra && token < extra + rows * columns; }
};

/// A heatmap with its position, from which the cell under the pointer is found.
struct HeatPicture {
  Stage stage{};
  Index batch = 0, head = 0;
  Index rows = 0, cols = 0;
  Index first_row = 0, first_col = 0;  ///< of the stage, where it is a part of it
  Rect rect;                           ///< canvas pixels at zoom 1
  MatrixQuad quad;                     ///< without its corners
  Tensor shades;                       ///< [1, 1, rows, cols], if each row has its own range: the values scaled to it
  Colormap const* colormap = nullptr;
  std::vector<std::string> row_labels, col_labels;  ///< empty: no labels
  float label_room = 0;                             ///< width of the row labels, in multiples of their height
  float second_tier = 0;    ///< for low rows, the distance of every other label from the matrix, in multiples of the
                            ///< label height; 0: one column of labels
  float widest_column = 0;  ///< width of the widest column label, in multiples of its height
  bool elsewhere = false;   ///< it belongs to another run of another shape, so cells do not correspond
  TokenPicture row_picture, col_picture;  ///< their pieces take the place of labels
  float turned_room = 0;  ///< length of column labels at 45°, in multiples of their height; 0: horizontal labels
};

/// Minimum distance of row labels, in multiples of their height.
inline constexpr float name_height = 0.95f;

/// Whether rows may have their own ranges if the view says so (which takes a copy of the matrix).
enum class RowRanges : std::uint8_t { as_chosen, never };
/// A matrix at `rect` in the view's colours: of query head `head`, or of its key/value head.
HeatPicture make_heat(const Frame& frame, Stage stage, Index head, Rect rect, RowRanges rows = RowRanges::as_chosen);

/// A note that input or weights are random, so that the attention has no meaning; "" if neither is.
std::string random_words(const Inputs& inputs, const Words& words);
/// A note that padding has weight in this batch entry and head, and how much at most; "" if it has none.
std::string pad_words(const Trace& trace, Index batch, Index head, const Words& words);

/// What the ends of the heatmap's colour bar say.
struct BarEnds {
  float lo = 0, hi = 0;        ///< a spread range of both signs is symmetric about zero
  bool sampled = false;        ///< the range is from a sample of the rows: some cells may be outside
  const char* norm = nullptr;  ///< translation key of how values spread over the colours; null: linearly
};
BarEnds bar_ends(const HeatPicture& heat);

/// The cell at a point, if the heatmap fills `rect`.
std::optional<Cell> cell_in(const HeatPicture& heat, const Rect& rect, ImVec2 point);

/// The labels of an axis in the current batch entry.
std::vector<std::string> axis_labels(const Frame& frame, Axis axis, Index count);
std::vector<std::string> axis_labels(const Trace& trace, Axis axis, Index batch, Index count);
/// One label: the token if there is one, else the index.
std::string axis_label(const Trace& trace, Axis axis, Index batch, Index index);
/// The same, with its index if another token is equal: "the (3)".
std::string placed_label(const Trace& trace, Axis axis, Index batch, Index index);
/// Width of the widest label in bold type of `pixels`.
float widest_label(const Frame& frame, Axis axis, Index count, float pixels);
/// Length of the column labels at 45°; 0 for horizontal labels. They are slanted if they are wider than their columns
/// and the box is high enough to keep each row as high as its label.
float turned_room(const Frame& frame, Axis axis, Index rows, Index cols, ImVec2 box, float pixels);
/// Space for row labels, in pixels.
struct RowNames {
  float room = 0;         ///< width for all of them
  float second_tier = 0;  ///< distance of every other label; 0: all end beside the matrix
};
/// In two columns if rows of height `pitch` are too low for one and both fit into `most`; else in one, cut if
/// necessary.
RowNames names_beside(const Frame& frame, Axis axis, Index rows, float pitch, float pixels, float most);
/// Adds row labels, in `room` pixels, and column labels if wanted.
void add_labels(const Frame& frame, HeatPicture& heat, float pixels, float room, bool columns);
}  // namespace headlight
