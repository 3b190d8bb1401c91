// What the pipeline view shows, computed once for a trace, a view and a size; drawing it (ui/pipeline/draw.h) only draws.
#pragma once

#include <string>
#include <vector>

#include "ui/document/view.h"
#include "ui/frame.h"
#include "ui/pipeline/layout.h"
#include "ui/widgets/matrix_painter.h"

namespace headlight {

/// A heatmap in its place, with what is needed to find the cell under the pointer.
struct HeatPicture {
  Stage stage{};
  Index batch = 0, head = 0;
  Index rows = 0, cols = 0;
  Rect rect;       ///< canvas pixels at zoom 1
  MatrixQuad quad; ///< without its corners
  Colormap const* colormap = nullptr;
  std::vector<std::string> row_labels, col_labels;  ///< empty: none are drawn
  float label_room = 0;  ///< for a row's label, in heights of its type
};

struct Strip {
  float from = 0, to = 0;  ///< canvas pixels, over the columns that belong to one head
  ImU32 colour = 0;
};

struct CardPicture {
  Stage stage{};
  Rect card;
  ImU32 colour = 0;         ///< of the title: its lane's
  ImU32 border = 0;         ///< 0: a plain card
  int behind = 0;           ///< cards of other heads in the stack behind it
  std::string title, symbol, shape;
  Face title_face = Face::bold;
  float title_size = 13;    ///< points; smaller where a long name meets a narrow card
  std::vector<HeatPicture> heats;  ///< the matrix; for a weight matrix also its bias
  std::vector<Strip> strips;
  std::vector<Strip> row_strips;  ///< beside the rows: which projection each belongs to, where they are packed
  std::string lo, hi;       ///< ends of the colour bar
  Rect bar;
  bool labelled = false;    ///< rows and columns carry names
};

struct ThumbnailPicture {
  Rect card;
  Index head = 0;
  ImU32 border = 0;
  HeatPicture heat;
};

struct PipelinePicture {
  PipelineLayout layout;
  std::vector<CardPicture> cards;
  std::vector<ThumbnailPicture> thumbnails;
  ImVec2 size;
};

/// Whether W_q, W_k and W_v are shown as one matrix: as the view says, else as the source has them.
bool shows_packed(const Frame& frame);

/// One matrix in its place, in the view's colours: of `head`, a query head, or of the key/value head that it uses.
HeatPicture make_heat(const Frame& frame, Stage stage, Index head, Rect rect);

/// The cell of a heatmap at a point in the coordinates of its rectangle, if it is there.
std::optional<Cell> cell_in(const HeatPicture& heat, ImVec2 point);
/// The names along an axis, of the batch entry that is looked at.
std::vector<std::string> axis_labels(const Frame& frame, Axis axis, Index count);

PipelinePicture make_pipeline_picture(const Frame& frame, ImVec2 size);

/// "n_q 6 × d_head 4", or as much of it as fits into `width` pixels at `pixels` of type.
std::string shape_text(const Frame& frame, Stage stage, float width, float pixels);
/// The names along an axis at one batch entry: tokens where there are some, else indices.
std::string axis_label(const Trace& trace, Axis axis, Index batch, Index index);
/// A number for people: real minus signs, no more digits than asked for.
std::string number_text(float value, int digits);

}  // namespace headlight
