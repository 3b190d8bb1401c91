// A stage of a trace as a figure, with the words, ticks, colours and hatching that belong to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/figure/figure.h"
#include "core/files/array_write.h"
#include "core/run/trace.h"

namespace headlight {

/// Rows or columns [first, last), as Python counts: negative ones from the end; unset: to that end.
struct Part {
  std::optional<Index> first, last;
  bool operator==(const Part&) const = default;
};
/// The part within `count`. Throws SettingError for `option` where nothing is left.
std::pair<Index, Index> settle(const Part& part, Index count, const char* option);

/// Of --rows and --cols. Throws SettingError as settle().
MatrixView part_of(const MatrixView& whole, const Part& rows, const Part& cols);

/// One matrix in place of the heads'.
enum class HeadPool : std::uint8_t { none, mean, max };

/// What of a trace is drawn or written: a stage or parameter that it has, at one batch entry, for some heads.
struct StageCut {
  const Trace& trace;
  Stage stage;
  Index batch = 0;
  std::vector<Index> heads = {0};  ///< {0} for a stage without a head axis
  bool grid = false;               ///< drawn as a grid and written as [heads, rows, cols], even of one head
  Part rows{}, cols{};
  HeadPool pool = HeadPool::none;  ///< of all heads; `heads` is {0} then

  const Tensor& tensor() const { return trace[stage]; }
  /// Of a head, the part that is cut out.
  MatrixView matrix(Index head) const;
  CellMasks masks(Index head) const;
  Index first_row() const;
  Index first_col() const;
};

/// The stage's formula without a bias that the run does not have: "X_q W_qᵀ".
std::string formula_of(const Trace& trace, Stage stage);
/// The layer that a trace of several is of: "7", "cross.0"; empty where there is one alone.
std::string layer_shown(const Trace& trace);
/// All heads of a stage as a grid; just the matrix where it has no head axis.
StageCut all_heads(const Trace& trace, Stage stage, Index batch = 0);

/// What is made of a stage.
enum class PictureKind : std::uint8_t {
  heatmap,
  arcs,          ///< words in two columns, joined by the weights between them
  difference,    ///< the second head less the first, or another file's less this one's
  reach,         ///< how many layers with this mask it takes until a query hears of a key
  blocks,        ///< what a block-sparse kernel skips
  side_by_side,  ///< the mask, another one, and where they differ
  lens,          ///< of a network: what it would say after each block (core/network/logit_parts.h)
  overlay,       ///< of a network that reads pictures: where a patch looks, over the picture
  why,           ///< the parts of a word's logit, layers by heads (core/network/logit_parts.h)
  patch,         ///< how the word's logit changes with another text's states
};

struct StageFigureStyle : FigureLook {
  RangeSetting range;                               ///< over a row, a head, all of the stage, or fixed
  std::optional<std::string> title;                 ///< unset: the stage's name
  std::optional<std::string> row_label, col_label;  ///< unset: the axes' names
  bool tokens = true;                               ///< at the ticks, where there are tokens; else indices
  bool own_range = false;                           ///< `range` was asked for; else heads on paper share one
  bool own_norm = false;                            ///< said by a person, and not what suits the weights
  PictureKind kind = PictureKind::heatmap;
  std::string other_mask;      ///< B of side-by-side
  std::string other_file;      ///< B of a difference of files
  std::optional<Index> block;  ///< of blocks
  float opacity = 0.6F;        ///< of an overlay's colours
  bool operator==(const StageFigureStyle&) const = default;
};

/// `cut.trace` must live until the figure is drawn. Throws SettingError for an unknown colour map.
FigureSpec stage_figure(const StageCut& cut, const StageFigureStyle& style);

/// Puts the matrix's numbers, row by row, after those that are there.
void append_numbers(Buffer& numbers, const MatrixView& matrix);
/// The numbers of a cut: [rows, cols], [channels] for a bias, or [heads, rows, cols] for a grid.
NamedArray stage_array(const StageCut& cut);

}  // namespace headlight
