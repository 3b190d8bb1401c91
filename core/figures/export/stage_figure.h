// A stage of a trace as a figure, with its labels, ticks, colours and hatching.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/arrays/array_write.h"
#include "core/compute/run/trace.h"
#include "core/figures/figure/figure.h"

namespace headlight {

/// Rows or columns [first, last), as in Python: negative indices count from the end; unset: to that end.
struct IndexSlice {
  std::optional<Index> first, last;
  bool operator==(const IndexSlice&) const = default;
};
/// "3:9", ":-1"
std::string python_slice(const IndexSlice& slice);
/// The range within `count`. Throws SettingError for `option` if it is empty.
std::pair<Index, Index> slice_within(const IndexSlice& slice, Index count, const char* option);

/// The part chosen by --rows and --cols. Throws SettingError like slice_within().
MatrixView part_of(const MatrixView& whole, const IndexSlice& rows, const IndexSlice& cols);

/// One matrix computed from all heads.
enum class HeadPool : std::uint8_t { none, mean, max };

/// The part of a trace that is drawn or written: a stage or parameter at one batch entry, for some heads.
struct StageCut {
  const Trace& trace;
  Stage stage;
  Index batch = 0;
  std::vector<Index> heads = {0};  ///< {0} for a stage without a head axis
  bool grid = false;               ///< drawn as a grid and written as [heads, rows, cols], even for one head
  IndexSlice rows{}, cols{};
  HeadPool pool = HeadPool::none;  ///< of all heads; `heads` is then {0}

  const Tensor& tensor() const { return trace[stage]; }
  /// The chosen part of a head's matrix.
  MatrixView matrix(Index head) const;
  CellMasks masks(Index head) const;
  Index first_row() const;
  Index first_col() const;
};

/// The stage's formula without a bias that the run does not have: "X_q W_qᵀ".
std::string formula_of(const Trace& trace, Stage stage);
/// The layer of the trace, if there are several: "7", "cross.0"; empty if there is only one.
std::string layer_shown(const Trace& trace);
/// "weights · layer 2 · batch 0"
std::string title_without_head(const StageCut& cut);
/// The percentiles of the values that the panels show, interpolated as in NumPy's percentile. Throws SettingError if
/// they are one value.
ValueRange percentiles(const FigureSpec& spec, ValueRange percent);
/// All heads of a stage as a grid; only the matrix if it has no head axis.
StageCut all_heads(const Trace& trace, Stage stage, Index batch = 0);

/// The kind of picture of a stage.
enum class PictureKind : std::uint8_t {
  heatmap,
  arcs,          ///< words in two columns, connected by the weights between them
  difference,    ///< the second head minus the first, or another file minus this one
  reach,         ///< the number of layers with this mask until a query can have a key's information
  blocks,        ///< the blocks that a block-sparse kernel skips
  side_by_side,  ///< the mask, another one, and their difference
  lens,          ///< for a network: the prediction after each block (core/compute/network/logit_parts.h)
  overlay,       ///< for a network of pictures: the attention of a patch, over the picture
  why,           ///< the parts of a word's logit, layers by heads (core/compute/network/logit_parts.h)
  patch,         ///< the change of the word's logit with another text's states
};

struct StageFigureStyle : FigureLook {
  RangeSetting range;                               ///< per row, head, stage, or fixed
  std::optional<std::string> title;                 ///< unset: the stage's name
  std::optional<std::string> row_label, col_label;  ///< unset: the axes' names
  bool tokens = true;                               ///< tokens at the ticks, if there are any; otherwise indices
  bool own_range = false;                           ///< `range` was given; otherwise heads on paper share one
  bool own_norm = false;                            ///< given by the user, not chosen for the weights
  PictureKind kind = PictureKind::heatmap;
  std::string other_mask;      ///< mask B of side-by-side
  std::string other_file;      ///< file B of a difference of files
  std::optional<Index> block;  ///< for blocks
  float opacity = 0.6F;        ///< of an overlay's colours
  bool operator==(const StageFigureStyle&) const = default;
};

/// `cut.trace` must live until the figure is drawn. Throws SettingError for an unknown colour map.
FigureSpec stage_figure(const StageCut& cut, const StageFigureStyle& style);

/// Appends the matrix's numbers, row by row.
void append_numbers(Buffer& numbers, const MatrixView& matrix);
/// The numbers of a cut: [rows, cols], [channels] for a bias, or [heads, rows, cols] for a grid.
NamedArray stage_array(const StageCut& cut);

}  // namespace headlight
