// "How does this word share its attention?": bars to drag under the words, and what the head does beside them.
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
  Rect guess, right;  ///< the bars' tracks
  bool masked = false;
  bool asks = false;  ///< it is its attention
};

/// Plain data, for a row of weights.
struct RowQuestionPicture {
  std::vector<RowQuestionKey> keys;
  std::vector<double> shares;  ///< what the head does
  float word_pixels = 0;
  bool numbers = true;  ///< there is room for them under the bars
};

RowQuestionPicture make_row_question(const Frame& frame, const Question& question, Rect place);
/// What a pointer at this height drags a bar to, 0…1.
float dragged_share(const RowQuestionKey& key, float y);
void draw_row_question(const Frame& frame, const Question& question, Rect place);

}  // namespace headlight
