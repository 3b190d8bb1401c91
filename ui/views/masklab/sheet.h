// Shared by the sheets of the mask view except the first: text, current mask, pointer. Each sheet is a Scene.
#pragma once

#include <string>
#include <vector>

#include "core/compute/run/conventions.h"
#include "ui/base/document/view_choices.h"
#include "ui/base/frame/frame.h"
#include "ui/parts/matrix/heat.h"
#include "ui/parts/matrix/swatches.h"
#include "ui/parts/scene/pen.h"

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
/// The height of these names above the matrix, in points, and their width left of it, in pixels.
inline constexpr float axis_names_height = 18;
float axis_names_width(const Frame& frame);

/// Puts the title at the top of a card.
void put_card_title(Pen& pen, const Rect& card, ImU32 colour, std::string_view title);
/// Puts the card, with the selection framed. `border` as in Pen::card.
void put_matrix_card(Pen& pen, const MatrixCard& card, ImU32 border = 0);
/// Puts the entries of a legend; returns its height.
float put_swatches(Pen& pen, std::span<const Swatch> swatches, ImVec2 at, float width);

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

/// Above this number of weights the conventions are not computed; below, each takes about 0.1 s.
inline constexpr Index conventions_at_most = 1 << 22;

/// Other libraries' conventions and their effects on this run, computed a few per frame.
class ConventionBoard {
 public:
  struct Entry {
    Convention choice;
    ConventionEffect effect;  ///< weights and mask of the wanted batch entry and head only, [1, 1, n_q, n_k]
  };
  /// Starts over, unless the same is wanted already.
  void want(std::shared_ptr<const Trace> trace, Index batch, Index head);
  /// Frees the numbers.
  void drop() { *this = {}; }
  /// Computes at least one convention, and more until part of a frame's time has passed; false if all are done.
  bool advance();
  bool busy() const { return done_.size() < choices_.size(); }
  const std::vector<Entry>& done() const { return done_; }
  std::size_t count() const { return choices_.size(); }

 private:
  std::shared_ptr<const Trace> trace_;
  Index batch_ = 0, head_ = 0;
  std::vector<Convention> choices_;
  std::vector<Entry> done_;
};

/// What changes, as phrases that are not broken: "12 cells of the mask differ", "weights by up to 0.287, output by up
/// to 11.6", …
std::vector<std::string> effect_words(const Words& words, const ConventionEffect& effect);

}  // namespace headlight
