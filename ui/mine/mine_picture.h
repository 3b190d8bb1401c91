// The user's own stages beside the right ones, computed once for a comparison, a view and a size.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/lesson/course.h"
#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"
#include "ui/matrix/heat.h"
#include "ui/mine/report.h"

namespace headlight {

enum class StageVerdict : std::uint8_t { unknown, agrees, differs, missing };

struct MineChip {
  Stage stage{};
  Rect rect;
  StageVerdict verdict = StageVerdict::unknown;
  bool chosen = false;
};

struct MinePanel {
  Rect card;
  std::string title;
  HeatPicture heat;          ///< no rows: a question mark
  std::optional<Rect> mark;  ///< the cell with the largest difference; in a lesson the one its text refers to
};

struct MineCodeLine {
  enum class Kind : std::uint8_t { plain, wrong, mended };
  std::string text;
  Kind kind = Kind::plain;
};

struct MinePicture {
  Stage stage{};
  std::string title, summary;
  std::string stage_words;  ///< how the shown stage compares
  std::vector<MineChip> chips;
  std::vector<MinePanel> panels;  ///< own, right, own − right; empty if the shapes differ
  Rect code_card;
  std::vector<MineCodeLine> code;  ///< in a lesson
  Rect report_card;                ///< empty in a lesson
  Report report;
};

/// What may be shown of a mistake that the lesson asks for.
struct BugSecrets {
  bool stages = false;   ///< which stages differ
  bool mistake = false;  ///< which line is wrong
};
BugSecrets told(const Course& course, const LessonProgress& progress);

/// `area` in screen pixels. `course`: the open lesson with a mistake; null if there is none.
MinePicture make_mine_picture(const Frame& frame, const Course* course, Rect area);

void draw_mine_or_compare_view(const Frame& frame, Rect place);

}  // namespace headlight
