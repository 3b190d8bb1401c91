// The positions of everything in a figure, computed before drawing. Plain data, in units.
#pragma once

#include <utility>
#include <vector>

#include "core/base/tensor/message.h"
#include "core/figures/figure/canvas.h"
#include "core/figures/figure/figure.h"
#include "core/figures/figure/typesetter.h"

namespace headlight {

struct FilledBox {
  Box rect;
  Rgba colour;
};

struct PanelBox {
  std::size_t panel;  ///< index into the spec's panels
  Box heatmap;
  ValueRange range;  ///< the range of the panel's colours
};

struct BarBox {
  Box rect;
  ValueRange range;
};

struct SwatchBox {
  Box rect;
  CellKind kind;
};

struct PictureBox {
  Box rect;
  std::shared_ptr<const Image> image;
};

struct DrawnPath {
  std::vector<PathStep> steps;
  float width;
  Rgba colour;
  bool filled;
};

struct FigureLayout {
  float width = 0, height = 0;
  float cell_width = 0, cell_height = 0;
  std::vector<PanelBox> panels;
  std::vector<Label> labels;         ///< titles, ticks, legend: never overlap a heatmap or each other
  std::vector<Label> inside;         ///< numbers in cells
  std::vector<FilledBox> boxes;      ///< tick marks, hue strips, frames, plates
  std::vector<DrawnPath> paths;      ///< arcs, below the labels
  std::vector<PictureBox> pictures;  ///< along the axes
  std::vector<BarBox> bars;
  std::vector<SwatchBox> swatches;
  std::vector<Message> left_out;  ///< omitted for lack of room, as text
};

FigureLayout lay_out(const FigureSpec& spec, const Colormap& map, Typesetter& typesetter);

// In cell_values.cpp.
void add_outline(const Box& around, float width, Rgba colour, FigureLayout& layout);
/// The room above each matrix for the labels of highlights, one below the other; 0 if there are none.
float highlight_room(const FigureSpec& spec, float tick_text);
/// Frames around cells, with a halo that makes them visible on dark cells. The labels are in `room` above each matrix,
/// which is 0 if there is none for them; a line between two columns leads from each to its frame.
void add_highlights(const FigureSpec& spec, float room, float tick_text, Typesetter& typesetter, FigureLayout& layout);
/// FigureLook::mass: a line around the cells that hold most of each row, or of a panel over a picture.
void add_mass(const FigureSpec& spec, FigureLayout& layout);
/// The colour range of each panel; in row mode, that of rows already scaled by normalise_rows.
std::vector<ValueRange> panel_ranges(const FigureSpec& spec, ColormapKind kind);
/// The values behind the colours of a panel: the matrix itself, or each row scaled by its own range, mapped by the
/// norm.
struct ColourValues {
  Buffer scaled;  ///< empty: the matrix's own values
  ValueRange range;
  MatrixView view(const MatrixView& matrix) const {
    return scaled.empty() ? matrix : MatrixView{scaled.data(), matrix.rows, matrix.cols, matrix.cols, 1};
  }
};
ColourValues colour_values(const FigureSpec& spec, const FigurePanel& panel, ValueRange range, ColormapKind kind);
/// The number of cells in all panels outside the colour range, and of cells that are values.
struct CellsBeyond {
  Index below = 0, above = 0, all = 0;
  bool sampled = false;  ///< the range is from a sample: an unknown number of cells may be outside
};
CellsBeyond cells_beyond(const FigureSpec& spec, const std::vector<ValueRange>& ranges);
/// For each panel: whether cells are below and above the range of its bar.
std::vector<std::pair<bool, bool>> pointed_ends(const FigureSpec& spec, const std::vector<ValueRange>& ranges);
/// With more cells, the range of a matrix that is computed when it is read is from a sample of its rows.
inline constexpr Index most_read_twice = Index{1} << 26;
/// Boolean matrices are their own mask: 0 is masked.
CellMasks effective_masks(const FigureSpec& spec, const FigurePanel& panel);
/// Calls visit(row, col, kind) for each cell of the panel.
template <typename Visit>
void each_cell(const FigureSpec& spec, const FigurePanel& panel, Visit visit) {
  const CellMasks masks = effective_masks(spec, panel);
  for (Index row = 0; row < panel.matrix.rows; ++row) {
    for (Index col = 0; col < panel.matrix.cols; ++col) visit(row, col, classify(panel.matrix, masks, row, col));
  }
}

/// Fills layout.inside with one label per cell, and layout.boxes with plates below labels on a pattern. Does nothing if
/// the spec does not ask for values, or if a sign and a digit do not fit.
void write_values(const FigureSpec& spec, const Colormap& map, Typesetter& typesetter, FigureLayout& layout);

}  // namespace headlight
