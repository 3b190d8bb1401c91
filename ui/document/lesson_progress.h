// Where somebody is in a lesson with steps, and what they have answered there.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/stage/stage.h"
#include "core/tensor/tensor.h"

namespace headlight {

struct Course;
struct Document;
struct View;
struct LessonStep;

/// What somebody said to a question, so far.
struct LessonAnswer {
  bool revealed = false;                        ///< the right answer is shown
  std::optional<std::size_t> chosen;            ///< of its choices
  std::vector<std::size_t> ordered;             ///< choices in the order in which they were clicked
  std::string typed;                            ///< a number, or a mask
  std::vector<float> row;                       ///< shares that were dragged, a key each
  std::vector<bool> cells;                      ///< a mask that was painted, [n_q, n_k]
  std::optional<std::pair<Index, Index>> head;  ///< layer and head
  std::optional<Stage> stage;                   ///< that goes wrong first
  bool right = false;                           ///< judged when it was shown
  bool operator==(const LessonAnswer&) const = default;
  bool begun() const { return !(*this == LessonAnswer{}); }
};

struct LessonProgress : LessonAnswer {
  std::size_t step = 0, furthest = 0;
  std::vector<Stage> hidden;                    ///< stages that stay hidden until the answer is shown
  std::optional<Stage> stage_shown;             ///< that the step is about
  std::optional<Stage> pointed;                 ///< whose term in the text is under the pointer
  bool locked = false;                          ///< no settings change but those of `controls`
  std::vector<std::string> controls;            ///< settings' keys that can be changed beside the text
  bool notes = false;                           ///< what the teacher says stands under the picture
  std::map<std::size_t, LessonAnswer> answers;  ///< to the questions of other steps
  bool operator==(const LessonProgress&) const = default;
  /// Of any step.
  const LessonAnswer* answer(std::size_t of_step) const;
};

/// How far somebody has come in a lesson.
struct LessonStanding {
  std::size_t step = 0, furthest = 0, answered = 0, right = 0;
  bool operator==(const LessonStanding&) const = default;
};
using LessonStandings = std::map<std::string, LessonStanding>;  ///< by the lesson's id

/// All answers, that of the step one stands at too.
std::map<std::size_t, LessonAnswer> all_answers(const LessonProgress& progress);
/// `progress` with the answers of both, those of `newer` before its own.
LessonProgress with_answers_of(LessonProgress progress, const LessonProgress& newer);
/// The progress at another step, whose answer is the one that was given there before.
LessonProgress at_step(LessonProgress progress, const LessonStep& step, std::size_t number);
/// What is looked at in a step; what was answered there before is answered still.
View posed(View view, const LessonStep& step, std::size_t number);
/// Begins a step of the lesson that is open: its scenario, and what is looked at, which is a step of undo where it is
/// another one. Past the last one is the last one.
void show_step(Document& document, const Course& course, std::size_t step);
/// A lesson without steps has nothing to begin. `progress`: answers that are kept from another time.
void begin_lesson(Document& document, std::size_t step = 0, LessonProgress progress = {});

}  // namespace headlight
