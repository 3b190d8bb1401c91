// Inside ui/views/operation: shared by the layouts of the operations.
#pragma once

#include <functional>
#include <optional>

#include "core/compute/network/row_parts.h"
#include "core/teaching/explain/explain.h"
#include "ui/base/look/measure.h"
#include "ui/parts/scene/matrix_numbers.h"
#include "ui/views/operation/operation.h"

namespace headlight::operation {

/// The input of each layout.
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

/// The same for a part of an operation.
struct TaskPart : ScenePart {
  TaskPart(const Task& of) : ScenePart(of.pen), task(of) {}
  const Task& task;
};

/// Share of the stage's time after which its number is there, unless the operation says otherwise.
inline constexpr float number_there = 0.8f;

// One function for each kind of operation. Some return the space left for the small map; empty: none.
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

/// Where the followed word's query, key and value stand side by side, at the foot of the steps that make them; unset if
/// there is no room, or if they are used in another way.
std::optional<Rect> roles_room(const Task& task);
void put_roles(const Task& task, Rect room);

/// Where the spread of the scores with and without scaling is drawn, at the foot of the step that scales them; unset if
/// there is no room, or nothing to see.
std::optional<Rect> spread_room(const Task& task);
void put_spread(const Task& task, Rect room);

/// The largest cells in points, so that a few do not fill the picture.
struct MostCell {
  static constexpr float row = 110;
  static constexpr float key = 150;     ///< a column with a bar or a strip
  static constexpr float number = 200;  ///< a column with a number that is followed through a step
};
/// Shorter bars are left out, in points.
inline constexpr float least_bar = 12;
/// The room for the names of rows that span the area.
inline constexpr RoomShare names_of_rows{0.13f, 96, 190};

/// As many of `count` rows or columns as fit with at least `least` pixels each, including the current one.
struct IndexRange {
  Index first = 0, count = 0;
  float size = 0;  ///< of one row or column
  bool part = false;
  Index end() const { return first + count; }
  float extent() const { return size * static_cast<float>(count); }
};
IndexRange range_around(Index at, Index count, float room, float least, float most);

/// The drawn part of a stage's matrix.
struct MatrixCut {
  Stage stage{};
  MatrixQuad quad;                             ///< its values are only those of the part
  Index row = 0, col = 0, rows = 0, cols = 0;  ///< where the part begins; the size of the part
  Rect rect;
  bool turned = false;  ///< its columns are the stage's rows
  bool own = true;      ///< its numbers are the stage's

  Rect cell(Index r, Index c) const;  ///< indices of the whole matrix
  Rect row_at(Index r) const;
  Rect col_at(Index c) const;
};
MatrixCut make_block(const SceneContext& context, Stage stage, const IndexRange& rows, const IndexRange& cols,
                     Rect rect, bool turned = false);
/// The block with other numbers in the same place and colours.
MatrixCut with_numbers(const MatrixCut& block, Tensor values);
void put(Pen& pen, const MatrixCut& block, float opacity, Rect seen);
inline void put(Pen& pen, const MatrixCut& block, float opacity = 1) { put(pen, block, opacity, block.rect); }
/// The numbers of one row of the residual stream as a strip, −`most` to `most` in colours; the first `share` of it.
/// `first`: where its numbers are a stage's.
void put_row_strip(Pen& pen, const std::vector<float>& numbers, float most, Rect rect, float share = 1,
                   const std::optional<Cell>& first = {});
std::vector<float> row_numbers(const MatrixView& matrix, Index row);
float largest_of(const std::vector<float>& row);
double length_of(const std::vector<float>& row);
/// The empty cells before they are computed.
void put_ghost(Pen& pen, const MatrixCut& block);
/// Writes the numbers of cells that `has` (in indices of the whole matrix), in a colour that contrasts with the cell.
void write(Pen& pen, const MatrixCut& block, const MatrixNumbers& figures, float pixels,
           const std::function<bool(Index, Index)>& has);
/// The font size at which all numbers fit their cells, with fewer decimals if that helps; 0: none.
float fitting(const Pen& pen, const MatrixCut& block, MatrixNumbers& figures, float pixels);
/// The largest font size that leaves a margin in the cells.
float largest_type(const Pen& pen, const MatrixCut& block, const MatrixNumbers& figures);
float cell_margin(const Pen& pen);

/// Row labels in the `room` left of `x`; the one at `lit` is highlighted in `colour`.
void name_rows(Pen& pen, const MatrixCut& block, Axis axis, float x, float room, Index lit, ImU32 colour);
/// The keys above or below the columns of `rect`; slanted if they are too wide.
void name_keys(Pen& pen, const IndexRange& keys, const Rect& rect, bool above, float room, Index lit, ImU32 colour);
/// The space that labels take: of rows with the gap beside them, of keys a line, or the longest label at 45°.
float row_room(const Pen& pen, const IndexRange& rows, Axis axis);
float key_room(const Pen& pen, const IndexRange& keys);
/// For words at 45°: the font size over columns this wide, the height of words that are `width` wide, and the reverse.
float turned_size(const Pen& pen, Face face, float column);
float turned_height(float width, float pixels);
float turned_width(float height, float pixels);
/// A word at 45° that begins above `foot`, or ends below it; cut to `width`.
void put_turned(Pen& pen, Face face, float pixels, ImVec2 foot, bool above, float width, ImU32 colour,
                std::string word);
/// Makes each cell a place to look at.
void target_cells(Pen& pen, const MatrixCut& block);

/// A stage's symbol as markup, "K_{1}".
std::string symbol_of(const SceneContext& context, Stage stage);
/// Without markup: "W_o", "V₁".
std::string plain_symbol(const SceneContext& context, Stage stage);
std::string sizes_of(const MatrixView& matrix);
/// The shown part: "columns 0–21", "rows 3–9, columns 0–21"; "" for the whole.
std::string part_of(const SceneContext& context, const IndexRange& rows, const IndexRange& cols);
/// A small picture of the whole stage with a frame around the shown part.
void put_whole(Pen& pen, Stage stage, Rect room, const IndexRange& rows, const IndexRange& cols,
               const std::optional<ValueRange>& range = {});

/// A sum of products, as a column of terms with a growing sum beside it.
struct Sum {
  std::string title_left, title_right;
  ImU32 left_colour = 0, right_colour = 0;
  Stage left_stage{}, right_stage{}, stage{};
  std::vector<float> left, right;
  std::vector<std::string> names;  ///< of the terms, where they are words
  std::optional<float> bias;
  Index done = 0;   ///< terms that are added
  float total = 0;  ///< the stage's number
};
/// The sum after `done` terms; the stage's number after all of them.
float so_far(const Sum& sum);

/// A printed term, with the sum before and after it.
struct WrittenTerm {
  std::size_t index = 0;
  PrintedProduct text;
  float before = 0, after = 0;
};
/// How a card shows a sum: its printed terms, and the range of the bars.
struct SumLayout {
  Rect frame, card;  ///< the card with its margin, if it is framed; its content
  bool framed = false;
  float top = 0, bottom = 0;  ///< of the lines of terms
  float pixels = 0, line = 0;
  float name = 0, chip = 0, sign = 0, taken = 0;  ///< widths; `taken` is that of everything before the bar
  std::size_t deep = 0, across = 1;               ///< lines per column, number of columns
  float pitch = 0;                                ///< distance of the columns
  std::vector<WrittenTerm> terms;
  std::size_t others = 0;  ///< number of terms that are not printed
  float rest = 0;          ///< the sum of those of them that are added
  float low = 0, high = 0;
};
SumLayout lay_out_sum(const Task& task, const Sum& sum, Rect card, bool framed);
void put_sum(const Task& task, const Sum& sum, const SumLayout& layout);

/// A number of the row before this layer's attention, and what the attention adds to it.
struct Addition {
  double before = 0, added = 0;
};
/// For a cell of the output; unset if a norm lies between.
std::optional<Addition> addition_at(const SceneContext& context, const Cell& output);
/// Whether the output is added to a residual stream, as inside a network.
bool is_added_to_row(const Trace& trace);

/// What a block of a network adds to a row; unset if the output is not added as it is.
std::optional<BlockParts> parts_of_block(const SceneContext& context, Index row);

/// What the row of an input is the sum of, if its network says so.
std::optional<RowParts> parts_of_row(const SceneContext& context, Stage stage, Index row);

/// The number of terms added at this share of the sum's duration; and drawing those that are moving from A's row and
/// B's column to the cell.
Index terms_landed(float share, Index terms);
void put_flights(Pen& pen, const MatrixCut& left, const MatrixCut& above, const Rect& to, const Cell& cell,
                 const Sum& sum, float share);

/// The sum for a number of a product, after `terms` of its terms.
Sum sum_of(const Task& task, const Operands& operands, const Cell& cell, Index terms);

/// The colour of a bar; negative ones have another hue.
ImU32 sign_colour(const Pen& pen, float value);

/// The key of a text, or of its variant for networks that read pictures: "next.title_picture", where there is one.
std::string key_here(const SceneContext& context, std::string_view key);
/// The tabs step, journey and geometry at the top right; returns their width.
float put_facets(Pen& pen, Rect area);
/// The tabs, and left of them the title and the story; the area loses their height and the gap.
void put_title_and_story(Pen& pen, Rect& area, std::string_view title, std::string_view story,
                         std::span<const Named> values, float gap);
/// The "guess first" button left of them, ending at `right`.
void put_guess(Pen& pen, Rect area, float right);
/// Whether the current number is hidden until it is guessed.
bool is_guessed(const SceneContext& context);
/// A slider for the temperature, with the text `beside` next to it.
void put_temperature(const Task& task, Rect room, const std::string& beside);
/// "entropy 1.70 of 2.58 bits"; "" if the row has NaN.
std::string entropy_text(const Task& task);
/// The area of an operation's scene within the canvas.
Rect scene_area(const SceneContext& context, Rect place);

/// Below the matrices: the formula of the chosen number, and the formula with numbers (`numbers`, if given).
void put_formula(const Task& task, Rect room, const std::optional<std::string>& numbers = {});

}  // namespace headlight::operation
