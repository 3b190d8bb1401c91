// Notes beside a card's matrix: the numbers of masked and other special cells, and row statistics of weights.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/explain/row_statistics.h"
#include "ui/matrix/heat.h"

namespace headlight {

/// "▨ 15 of 36 masked, 42 %"; the mark is the legend of the matrix.
struct CountNote {
  CellKind kind{};
  std::string shown;  ///< what fits of `full`
  std::string full;
  float x = 0;  ///< left end in canvas pixels, where the mark stands
};

/// Sum, entropy, maximum and number of allowed keys of each row, in four columns right of the matrix.
struct RowStrip {
  struct Row {
    std::array<std::string, 4> numbers;
    RowFlag flag{};
  };
  std::vector<Row> rows;        ///< empty: there are no such columns
  std::array<float, 4> ends{};  ///< right ends of the columns, canvas pixels
  float left = 0;
};

/// Right-aligned at `right`, using at most `free` pixels; the longest wording that fits.
std::vector<CountNote> count_notes(const Frame& frame, const HeatPicture& heat, float free, float right, float type);

/// Width of the columns, in points.
constexpr float row_strip_width = 150;
/// `t`: pixels per point.
RowStrip row_strip(const Frame& frame, const HeatPicture& heat, float t);

/// Says that numbers are random, in the longest words that fit, at the top of `room`; gives the y below them. Where
/// they are not random that is the top.
float say_random(const Frame& frame, Rect room);

/// Draws them: `at` is in screen pixels, `t` is pixels per point. Full sentences appear as tooltips.
void draw_count_note(const Frame& frame, ImDrawList& list, const CountNote& note, ImVec2 at, float t);
void draw_row_strip(const Frame& frame, ImDrawList& list, const RowStrip& strip, const Rect& matrix, Index rows,
                    float left, const std::array<float, 4>& ends, float t);

}  // namespace headlight
