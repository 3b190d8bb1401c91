// "Which keys may a query see?": a grid to paint, or the cells of a typed expression; afterwards the right cells beside
// it.
#pragma once

#include <string>
#include <vector>

#include "core/lesson/course.h"
#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

/// Plain data.
struct MaskQuestionPicture {
  Index rows = 0, cols = 0;
  float cell = 0;     ///< pixels
  Rect guess, right;  ///< the grids
  std::vector<std::string> row_words, col_words;
  std::vector<bool> wanted;  ///< [n_q, n_k]
  float label_pixels = 0;    ///< 0: no room for words
};

MaskQuestionPicture make_mask_question(const Frame& frame, const Question& question, Rect place);
/// Whether the mask is small enough to be painted; larger ones are typed.
bool can_be_painted(const Trace& trace);
void draw_mask_question(const Frame& frame, const Question& question, Rect place);

}  // namespace headlight
