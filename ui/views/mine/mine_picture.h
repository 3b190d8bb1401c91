// The user's own stages beside the right ones, computed once for a comparison, a view and a size.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/teaching/lesson/course.h"
#include "ui/parts/matrix/heat.h"
#include "ui/parts/scene/scene.h"
#include "ui/views/mine/report.h"

namespace headlight {

struct MinePanel {
  std::string title;
  std::shared_ptr<const HeatPicture> heat;  ///< null: a question mark
};

struct MinePicture {
  /// The heading, or in a lesson the code; the compared stages (SceneAction::stage; index 1: it is known whether it
  /// differs); the panels.
  Scene scene;
  Stage stage{};
  std::vector<MinePanel> panels;  ///< own, right, own − right; empty if the shapes differ
  Rect cells{};                   ///< of the panels, which can be pointed at
  Rect report_card{};             ///< empty in a lesson
  Report report;
};

/// What may be shown of a mistake that the lesson asks for.
struct BugSecrets {
  bool stages = false;   ///< which stages differ
  bool mistake = false;  ///< which line is wrong
};
BugSecrets told(const Course& course, const LessonProgress& progress);

/// The run whose mask the compared numbers reveal, where an expression gives it; null if there is none.
const Trace* mask_to_take(const Comparison& comparison);

/// `area` in screen pixels; the heading ends at `right`. `course`: the open lesson with a mistake; null if there is
/// none.
MinePicture make_mine_picture(const Frame& frame, const Course* course, Rect area, float right);

void draw_mine_or_compare_view(const Frame& frame, Rect place);

}  // namespace headlight
