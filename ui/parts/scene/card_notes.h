// Notes beside a card's matrix: the numbers of masked and other special cells, and row statistics of weights.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/compute/run/statistics.h"
#include "ui/parts/matrix/heat.h"
#include "ui/parts/scene/pen.h"

namespace headlight {

/// "▨ 15 of 36 masked, 42 %"; the mark is the legend of the matrix.
struct CountNote {
  CellKind kind{};
  std::string shown;  ///< what fits of `full`
  std::string full;
  float x = 0;  ///< left end in canvas pixels, where the mark stands
};
/// Right-aligned at `right`, using at most `free` pixels; the longest wording that fits.
std::vector<CountNote> count_notes(const Frame& frame, const HeatPicture& heat, float free, float right, float type);
/// Its mark and words, with the full sentence as a hint; `t`: pixels per point.
void put_count_note(Pen& pen, const CountNote& note, ImVec2 at, float t);

/// Sum, entropy, maximum and number of allowed keys of each row, in four columns right of the matrix.
struct RowStrip {
  struct Row {
    std::array<std::string, 4> numbers;
    RowFlag flag{};
  };
  std::vector<Row> rows;  ///< empty: there are no such columns
};
/// Width of the columns, in points.
inline constexpr float row_strip_width = 150;
RowStrip row_strip(const Trace& trace, const HeatPicture& heat);
/// The first `rows` of them, beside a matrix at `matrix`; the numbers of the row `lit` are highlighted.
void put_row_strip(Pen& pen, const RowStrip& strip, const Rect& matrix, Index rows, Index lit, float t);

/// Writes at the top of `room` that numbers are random, in the longest words that fit. Returns the y below them, the
/// top if nothing is random.
float say_random(const Frame& frame, Rect room);

}  // namespace headlight
