// Questions of lessons: what is right, and what was answered.
#pragma once

#include <string>
#include <vector>

#include "core/diagnosis/comparer.h"
#include "core/lesson/course.h"
#include "ui/frame/frame.h"

namespace headlight {

/// Whether what was answered is right, judged by the numbers; `beside` where the lesson has a mistake in it.
bool is_right(const Question& question, const LessonAnswer& answer, const Trace& trace, const Beside* beside = nullptr);
/// The right answer in words.
std::string right_answer(const Question& question, const Trace& trace, const std::string& language,
                         const Beside* beside = nullptr);
/// How much of a row that was dragged lies where it should, 0…1; the row counts as a whole, whatever it sums to.
double row_agreement(const Question& question, const LessonAnswer& answer, const Trace& trace);
/// What a number is dragged along: its ends and the step that it goes by, which say no more of the answer than its
/// size.
struct NumberScale {
  double from = 0, to = 1, step = 0.01;
  /// "0.25", "−3": at a place between the ends, 0…1.
  std::string at(double share) const;
};
NumberScale scale_of(const Question& question, const Trace& trace, const Beside* beside = nullptr);
/// What was typed as a number; none where it is none.
std::optional<double> typed_number(std::string text);
/// The cells of the matrix that is looked at that should be allowed, [n_q, n_k]; empty where the expression does not
/// parse.
std::vector<bool> allowed_cells(const std::string& expression, const Trace& trace, Index batch, Index head);
/// The order in which the choices of an ordering question stand before they are ordered.
std::vector<std::size_t> shuffled(std::size_t count);

/// The step's question, where it is not answered yet.
const Question* open_question_of(const Course& course, const LessonProgress& progress);
/// The answer to the step's question so far.
void keep_answer(const Frame& frame, LessonAnswer answer);
/// Whether what was picked is wrong and can be picked once more: what was right would have been revealed.
bool has_missed(const Question& question, const LessonAnswer& answer);
/// It is the answer: judged by the numbers of the step, once they are there. What was hidden is shown, unless it was
/// picked and is wrong for the first time.
void reveal(const Frame& frame, const Question& question, LessonAnswer answer);

}  // namespace headlight
