// Questions of lessons: right answers, and judging given ones.
#pragma once

#include <string>
#include <vector>

#include "core/teaching/diagnosis/comparer.h"
#include "core/teaching/lesson/course.h"
#include "ui/base/frame/frame.h"
#include "ui/parts/widgets/typed_number.h"

namespace headlight {

/// Whether the answer is right, judged by the trace; `compared` is needed for lessons with a mistake.
bool is_right(const Question& question, const LessonAnswer& answer, const Trace& trace,
              const Compared* compared = nullptr);
/// The right answer in words.
std::string right_answer(const Question& question, const Trace& trace, const std::string& language,
                         const Compared* compared = nullptr);
/// The overlap of the dragged row with the right one, 0…1; the row is normalised first.
double row_agreement(const Question& question, const LessonAnswer& answer, const Trace& trace);
/// The scale that a number is dragged along; it reveals only the answer's magnitude.
struct NumberScale {
  double from = 0, to = 1, step = 0.01;
  /// The number at a share 0…1 of the scale: "0.25", "−3".
  std::string at(double share) const;
};
NumberScale scale_of(const Question& question, const Trace& trace, const Compared* compared = nullptr);
/// Why the typed answer cannot be read, in words for the reader: it is no number, or no mask. "" if it can, or if
/// nothing is typed. Such an answer is not judged, so it costs no guess.
std::string unreadable(const Question& question, const LessonAnswer& answer, const Trace& trace, const Words& words);
/// The cells that the expression allows in this batch entry and head, [n_q, n_k]; empty if it does not parse.
std::vector<bool> allowed_cells(const std::string& expression, const Trace& trace, Index batch, Index head);
/// The batch entry in which a mask is painted: the first one in which the right mask forbids something.
Index painted_entry(const Question& question, const Trace& trace);
/// The initial order of the choices of an ordering question.
std::vector<std::size_t> shuffled(std::size_t count);

/// Stores the answer so far.
void keep_answer(const Frame& frame, LessonAnswer answer);
/// Whether a choice was made that is wrong and may be made once more. A right choice reveals the answer at once.
bool has_missed(const Question& question, const LessonAnswer& answer);
/// Judges the answer by the numbers of the step, once they are computed. What was hidden is shown, unless a choice is
/// wrong for the first time.
void reveal(const Frame& frame, const Question& question, LessonAnswer answer);

}  // namespace headlight
