// Inside ui/operation: what the layouts of the operations share.
#pragma once

#include <functional>

#include "core/explain/partial_stage.h"
#include "core/network/row_parts.h"
#include "ui/level/matrix_numbers.h"
#include "ui/operation/operation.h"

namespace headlight::operation {

/// What every layout gets: the stage, the focus, how much is computed at this moment, and the place.
struct Task {
  Pen& pen;
  Stage stage{};
  Focus focus;
  const Reveal& reveal;
  Rect area;

  const SceneContext& context() const { return pen.context(); }
  const Trace& trace() const { return pen.context().trace; }
  float u() const { return pen.u(); }
};

// One function for each kind of operation. Some return the place that is left for the small map; empty: none.
Rect product(const Task& task);
Rect rows(const Task& task);
Rect softmax(const Task& task);
Rect mixture(const Task& task);
void split_or_merge(const Task& task);
void norm(const Task& task);
void rotation(const Task& task);
void input(const Task& task);
void mask_grid(const Task& task);
void residual(const Task& task, const BlockParts& parts);

/// As many of `count` rows or columns as can have at least `least` pixels each, among them the one that is looked at.
struct Window {
  Index first = 0, count = 0;
  float size = 0;  ///< of one
  bool part = false;
};
Window window_around(Index at, Index count, float room, float least, float most);

/// A part of a stage's matrix, as it is drawn.
struct Block {
  Stage stage{};
  MatrixQuad quad;                             ///< its values are the part alone
  Index row = 0, col = 0, rows = 0, cols = 0;  ///< of the whole: where the part begins, how large it is
  Rect rect;
  bool turned = false;  ///< its columns are the stage's rows
  bool own = true;      ///< its numbers are the stage's

  Rect cell(Index r, Index c) const;  ///< by the whole's indices
  Rect row_at(Index r) const;
  Rect col_at(Index c) const;
};
Block make_block(const SceneContext& context, Stage stage, const Window& rows, const Window& cols, Rect rect,
                 bool turned = false);
/// The same place and colours with other numbers.
Block with_numbers(const Block& block, Tensor values);
void put(Pen& pen, const Block& block, float opacity, Rect seen);
inline void put(Pen& pen, const Block& block, float opacity = 1) { put(pen, block, opacity, block.rect); }
/// The numbers of one row of the residual stream as a strip, −`most` to `most` in colours; the first `share` of it.
/// `first`: where its numbers are a stage's.
void put_row_strip(Pen& pen, const std::vector<float>& numbers, float most, Rect rect, float share = 1,
                   const std::optional<Cell>& first = {});
float largest_of(const std::vector<float>& row);
double length_of(const std::vector<float>& row);
/// The empty cells that numbers come into.
void put_ghost(Pen& pen, const Block& block);
/// Numbers into those cells that `has` (by the whole's indices), in ink that can be read on each.
void write(Pen& pen, const Block& block, const MatrixNumbers& figures, float pixels,
           const std::function<bool(Index, Index)>& has);
/// The size at which every number of the block fits into its cell, with fewer decimals where that helps; 0: none does.
float fitting(const Pen& pen, const Block& block, MatrixNumbers& figures, float pixels);
/// The largest type that leaves a margin in the cells.
float roomy(const Pen& pen, const Block& block, const MatrixNumbers& figures);
float cell_margin(const Pen& pen);

/// Names along a block's rows, right before x; the one at `lit` stands out in `colour`.
void name_rows(Pen& pen, const Block& block, Axis axis, float x, float room, Index lit, ImU32 colour);
/// Names along its columns, over or under it; turned where they are too wide.
void name_columns(Pen& pen, const Block& block, Axis axis, bool above, float room, Index lit, ImU32 colour);
/// What they take: a line, or the length of the longest at 45°.
float column_room(const Pen& pen, const Window& cols, Axis axis);
float row_room(const Pen& pen, const Window& rows, Axis axis);

/// The name of a stage's matrix as a symbol, "K_{1}", and its sizes: "16 × 12".
std::string symbol_of(const SceneContext& context, Stage stage);
/// The same without markup: "W_o", "V₁".
std::string plain_symbol(const SceneContext& context, Stage stage);
/// Where what looks at what was never learnt: that it means nothing; else "".
std::string random_note(const SceneContext& context);
std::string sizes_of(const MatrixView& matrix);
/// "columns 0–21", "rows 3–9, columns 0–21": what of a matrix is drawn; "" for all of it.
std::string part_of(const SceneContext& context, const Window& rows, const Window& cols);
/// The whole of a stage, small, with a frame where the part is that is shown large.
void put_whole(Pen& pen, Stage stage, Rect room, const Window& rows, const Window& cols);

/// A sum of products, as a column of terms with the sum growing beside it.
struct Sum {
  std::string title_left, title_right;
  ImU32 left_colour = 0, right_colour = 0;
  Stage left_stage{}, right_stage{}, stage{};
  std::vector<float> left, right;
  std::vector<std::string> names;  ///< of the terms, where they are words
  std::optional<float> bias;
  Index done = 0;   ///< terms that are added
  float total = 0;  ///< the number itself, as the stage has it
};
/// The sum after `done` terms; the number itself after all.
float so_far(const Sum& sum);

/// A term as it is written, and the sum before and after it.
struct WrittenTerm {
  std::size_t index = 0;
  PrintedProduct text;
  float before = 0, after = 0;
};
/// How a card shows a sum: which terms are written where, and between what ends their bars lie.
struct SumLayout {
  Rect frame, card;  ///< the card with its margin, where it is framed, and what is in it
  bool framed = false;
  float top = 0, bottom = 0;  ///< of the lines of terms
  float pixels = 0, line = 0;
  float name = 0, chip = 0, sign = 0, taken = 0;  ///< widths; of all before the bar
  std::size_t deep = 0, across = 1;               ///< lines in a column, columns beside one another
  float pitch = 0;                                ///< of the columns
  std::vector<WrittenTerm> terms;
  std::size_t others = 0;  ///< terms that are not written
  float rest = 0;          ///< what those of them give that are added
  float low = 0, high = 0;
};
SumLayout lay_out_sum(const Task& task, const Sum& sum, Rect card, bool framed);
void put_sum(const Task& task, const Sum& sum, const SumLayout& layout);

/// A number of the row before this layer's attention, and what the attention adds to it.
struct Addition {
  double before = 0, added = 0;
};
/// Of a cell of the output, where it is added as it is: not where a norm comes between.
std::optional<Addition> addition_at(const SceneContext& context, const Cell& output);
/// Whether the output is added to a row: inside a network.
bool is_added_to_row(const Trace& trace);

/// What a block of a network adds to a row, where the output is added to it as it is.
std::optional<BlockParts> parts_of_block(const SceneContext& context, Index row);

/// What the row of an input is the sum of, where it comes from a network that says so.
std::optional<RowParts> parts_of_row(const SceneContext& context, Stage stage, Index row);

/// How many terms have come to their number at this share of the sum's time, and those that are on their way to it:
/// along A's row and B's column, to the number's cell.
Index terms_landed(float share, Index terms);
void put_flights(Pen& pen, const Block& left, const Block& above, const Rect& to, const Cell& cell, const Sum& sum,
                 float share);

/// The sum that makes a number of a product, with `terms` of its terms added.
Sum sum_of(const Task& task, const Operands& operands, const Cell& cell, Index terms);

/// Of a bar: another hue for what is below zero.
ImU32 sign_colour(const Pen& pen, float value);

/// At the top right: the step, the journey, the geometry; gives how much of the width they take.
float put_facets(Pen& pen, Rect area);
/// Left of them, ending at `right`: guess first.
void put_guess(Pen& pen, Rect area, float right);
/// Whether the number that is looked at is hidden until it is guessed.
bool is_guessed(const SceneContext& context);
/// A slider for the temperature; beside it how evenly the row that is followed is spread, or what else is to be said.
void put_temperature(const Task& task, Rect room, const std::string& beside);
/// "entropy 1.70 of 2.58 bits"; "" where the row is no number.
std::string entropy_text(const Task& task);
/// Where a scene of the operation level stands in the canvas.
Rect scene_area(const SceneContext& context, Rect place);

/// Under the matrices: the formula of the chosen number, and the same with its numbers; others where they are given.
void put_formula(const Task& task, Rect room, const std::optional<std::string>& numbers = {});

}  // namespace headlight::operation
