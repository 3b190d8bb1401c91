// "How does this word share its attention?": bars to drag under the words, then the head's own beside them.
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

RowQuestionPicture make_row_question(const Frame& frame, const Question& question, Rect place);
/// The share, 0…1, for a pointer at this height.
float dragged_share(const RowQuestionKey& key, float y);
void draw_row_question(const Frame& frame, const Question& question, Rect place);

}  // namespace headlight
