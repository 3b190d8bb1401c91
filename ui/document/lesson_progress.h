// Where somebody is in a lesson with steps, and what they have answered there.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/stage/stage.h"

namespace headlight {

struct Course;
struct Document;
struct View;
struct LessonStep;

struct LessonProgress {
  std::size_t step = 0;
  bool revealed = false;                ///< the question's answer is shown
  std::optional<std::size_t> chosen;    ///< of its choices
  std::vector<std::size_t> ordered;     ///< choices in the order in which they were clicked
  std::string typed;                    ///< a number, or a mask
  std::vector<Stage> hidden;            ///< stages that stay hidden until the answer is shown
  bool operator==(const LessonProgress&) const = default;
};

/// What is looked at in a step; nothing of it is answered yet.
View posed(View view, const LessonStep& step, std::size_t number);
/// Begins a step of the lesson that is open: its scenario, and what is looked at. Past the last one is the last one.
void show_step(Document& document, const Course& course, std::size_t step);
/// A lesson without steps has nothing to begin.
void begin_lesson(Document& document, std::size_t step = 0);

}  // namespace headlight
