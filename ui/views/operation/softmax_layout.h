// The layout of the softmax picture: bands, columns, words, and scales.
#pragma once

#include "ui/views/operation/parts.h"
#include "ui/views/operation/softmax_row.h"

namespace headlight::operation {

struct SoftmaxLayout {
  SoftmaxRow row;
  float names = 0, column = 0, sum_width = 0;  ///< widths: of the bands' names, a word's column, the column of the sum
  float left = 0, right = 0;                   ///< of the words' columns
  float word = 0, words = 0;                   ///< font size of the words, 0: they are at 45°; their height
  float map = 0;                               ///< room for the small map, at the right
  Rect scores, shifted, powers, shares;        ///< the bands
  Rect sum, formula, foot;
  float pixels = 0;      ///< font size of the numbers in the bands; 0: they do not fit
  float unit = 0;        ///< pixels of 1 among the scores, in both bands of them
  float zero = 0;        ///< where score 0 is
  float power_unit = 0;  ///< pixels of 1 among the powers
  float sum_unit = 0;    ///< the same in the stack; equal to power_unit if the stack fits
  std::vector<std::string> score_texts, shifted_texts, power_texts;
  std::string largest_text;

  std::size_t count() const { return row.parts.size(); }
  float x(std::size_t i) const { return left + (static_cast<float>(i) + 0.5f) * column; }
  /// A part's column in this band.
  Rect cell(std::size_t i, const Rect& band) const {
    return {{x(i) - column / 2, band.min.y}, {x(i) + column / 2, band.max.y}};
  }
  float bar_width = 0;
  Rect power_bar(std::size_t i) const;
  /// A part's piece of the stack.
  Rect piece(std::size_t i) const;
  /// The bar of width 1, and a part's share of it; `before`: without the tried scores.
  Rect share_bar() const;
  Rect share_part(std::size_t i, bool before) const;
};

SoftmaxLayout lay_out_softmax(const Task& task);

/// The word of a part; for the others their number.
std::string softmax_word(const SceneContext& context, const SoftmaxPart& part);
/// The font size of the bands' names.
float band_title_size(const Pen& pen);

}  // namespace headlight::operation
