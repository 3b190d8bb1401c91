// The questions of a lesson that are answered in the window's middle: a mask to paint, a row of numbers to fill in.
#pragma once

#include <string>
#include <vector>

#include "core/lesson/course.h"
#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

struct RowQuestionKey {
  std::string word;
  Rect card;          ///< the word
  Rect guess, right;  ///< tracks of the bars
  bool masked = false;
  bool asks = false;  ///< the query of the question
};

/// Plain data, for a row of weights.
struct RowQuestionPicture {
  std::vector<RowQuestionKey> keys;
  std::vector<double> shares;  ///< the head's weights
  float word_pixels = 0;
  bool numbers = true;  ///< there is room for numbers under the bars
};

/// The share, 0…1, for a pointer at this height.
void draw_row_question(const Frame& frame, const Question& question, Rect place);

/// Plain data.
struct MaskQuestionPicture {
  Index rows = 0, cols = 0;
  float cell = 0;     ///< pixels
  Rect guess, right;  ///< the grids
  std::vector<std::string> row_words, col_words;
  std::vector<bool> wanted;  ///< [n_q, n_k]
  float label_pixels = 0;    ///< 0: no room for words
};

/// Whether the mask is small enough to be painted; larger ones are typed.
bool can_be_painted(const Trace& trace);
void draw_mask_question(const Frame& frame, const Question& question, Rect place);

}  // namespace headlight
