// The user's position in a lesson with steps, and the answers given.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/tensor/tensor.h"
#include "core/rules/stage/stage.h"

namespace headlight {

struct Course;
struct Document;
struct View;
struct LessonStep;

/// The answer to one question so far.
struct LessonAnswer {
  bool revealed = false;                        ///< the right answer is shown
  std::optional<std::size_t> chosen;            ///< index of the chosen answer
  std::vector<std::size_t> ordered;             ///< indices of the choices in the order of the clicks
  std::string typed;                            ///< a number or a mask expression
  std::vector<float> row;                       ///< the dragged shares, one per key
  std::vector<bool> cells;                      ///< the painted mask, [n_q, n_k]
  std::optional<std::pair<Index, Index>> head;  ///< the chosen layer and head
  std::optional<Stage> stage;                   ///< the stage chosen as the first that goes wrong
  bool right = false;                           ///< set when the answer is shown
  bool operator==(const LessonAnswer&) const = default;
  bool begun() const { return !(*this == LessonAnswer{}); }
};

struct LessonProgress : LessonAnswer {
  std::size_t step = 0, furthest = 0;
  std::vector<Stage> hidden;                    ///< stages that stay hidden until the answer is shown
  std::optional<Stage> stage_shown;             ///< the stage that the step is about
  bool locked = false;                          ///< only the settings in `controls` may change
  std::vector<std::string> controls;            ///< keys of the settings that may change, shown beside the text
  bool guesses_run = false;                     ///< asks how far a run will come, which its ceiling would say
  bool notes = false;                           ///< the teacher's notes are shown under the picture
  std::map<std::size_t, LessonAnswer> answers;  ///< answers to the questions of other steps
  bool operator==(const LessonProgress&) const = default;
  /// The answer of any step; null if it has none.
  const LessonAnswer* answer(std::size_t of_step) const;
};

/// Progress in one lesson.
struct LessonStanding {
  std::size_t step = 0, furthest = 0, answered = 0, right = 0;
  bool operator==(const LessonStanding&) const = default;
};
using LessonStandings = std::map<std::string, LessonStanding>;  ///< by lesson id

/// All answers, including that of the current step.
std::map<std::size_t, LessonAnswer> all_answers(const LessonProgress& progress);
/// `progress` with the answers of both; where both have one, that of `newer`.
LessonProgress with_answers_of(LessonProgress progress, const LessonProgress& newer);
/// The progress at another step, with the answer given there before.
LessonProgress at_step(LessonProgress progress, const LessonStep& step, std::size_t number);
/// The view as the step sets it; answers given there before are kept.
View posed(View view, const LessonStep& step, std::size_t number);
/// Goes to a step of the open lesson (at most the last one): sets its scenario and view, as an undo step if it is
/// another step.
void show_step(Document& document, const Course& course, std::size_t step);
/// Starts a lesson; does nothing without steps. `progress`: saved answers.
void begin_lesson(Document& document, std::size_t step = 0, LessonProgress progress = {});

}  // namespace headlight
