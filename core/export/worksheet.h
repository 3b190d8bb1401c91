// A lesson on paper: its steps, its questions with room for the answers and blank cells where numbers are asked for;
// and the key, with the answers in their places.
#pragma once

#include <string>

#include "core/lesson/course.h"

namespace headlight {

/// What the pages say besides the lesson, in the reader's language.
struct WorksheetText {
  std::string language = "en";
  std::string name = "Name", answer = "Answer", because = "Why";
  std::string key = "Answers";  ///< beside the key's title
  std::string step = "Step {0}";
  std::string stage_answer = "the first stage that goes wrong";
  std::string head_answer = "layer and head";
  std::string order_answer = "Number them in their order.";
  std::string row_answer = "Write how the row is shared out; together it makes 1.";
  std::string mask_answer = "Fill the cells that may be seen, or write the expression.";
  std::string code = "the code";
  std::string query = "query", keys = "key", masked = "masked";  ///< of pictures
  std::string page = "page {0} of {1}";
};

/// A PDF on A4; the same lesson is the same bytes. Computes each step. Throws what the lesson's scenarios throw.
std::string make_worksheet(const Course& course, const WorksheetText& text, bool key);

}  // namespace headlight
