// What stands on a card beside its matrix: how many cells are no values, and what each row of weights amounts to.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/explain/row_statistics.h"
#include "ui/matrix/heat.h"

namespace headlight {

/// "▨ 15 of 36 masked, 42 %": the mark is the legend of what the matrix shows.
struct CountNote {
  CellKind kind{};
  std::string shown;  ///< as much as fits
  std::string full;
  float x = 0;  ///< left end, canvas pixels; the mark comes first
};

/// Sum, entropy, maximum and allowed keys of each row, in four columns to the right of the matrix.
struct RowStrip {
  struct Row {
    std::array<std::string, 4> numbers;
    RowFlag flag{};
  };
  std::vector<Row> rows;        ///< empty: there is no strip
  std::array<float, 4> ends{};  ///< right ends of the columns, canvas pixels
  float left = 0;
};

/// Right-aligned at `right`, after `free` pixels; the longest words that fit.
std::vector<CountNote> count_notes(const Frame& frame, const HeatPicture& heat, float free, float right, float type);

/// What a strip needs beside its matrix, in points of type.
constexpr float row_strip_width = 150;
/// `t` is pixels per point of type.
RowStrip row_strip(const Frame& frame, const HeatPicture& heat, float t);

/// The same on screen: `at` maps canvas pixels, `t` is pixels per point of type. Sentences come as tooltips.
void draw_count_note(const Frame& frame, ImDrawList& list, const CountNote& note, ImVec2 at, float t);
void draw_row_strip(const Frame& frame, ImDrawList& list, const RowStrip& strip, const Rect& matrix, Index rows,
                    float left, const std::array<float, 4>& ends, float t);

}  // namespace headlight
