// Lays out the lesson's panel from top to bottom.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/teaching/lesson/course.h"
#include "ui/base/frame/frame.h"
#include "ui/base/geometry/rect.h"
#include "ui/base/look/measure.h"

namespace headlight {

/// A piece of one line, relative to the text's top left corner.
struct ProsePiece {
  std::string words;
  ImVec2 at;
  float width = 0;
  std::optional<Stage> stage;
  bool number = false, code = false;
  std::optional<Cell> cell;  ///< the cell whose number it is
};
struct ProseLayout {
  std::vector<ProsePiece> pieces;
  float height = 0;
};

/// Breaks the text into lines of at most `width` pixels, in type of `pixels`.
ProseLayout lay_out_prose(const Fonts& fonts, const std::vector<ProseRun>& runs, float pixels, float width);
/// What the term or number under the pointer refers to.
struct ProsePointed {
  std::optional<Stage> stage;
  std::optional<Cell> cell;
};

/// From the left edge of the lesson's panel to its text, in points.
inline constexpr float panel_inset = 22;

class PanelColumn {
 public:
  PanelColumn(const Frame& frame, Rect place)
      : frame_(frame),
        left_(place.min.x + panel_inset * frame.u),
        width_(place.width() - (2 * panel_inset + Space::pad) * frame.u) {}  // with room for a scroll bar

  void paragraph(Face face, float points, ImU32 colour, std::string_view text, float inset = 0);
  void space(float points) { advance(points * frame_.u); }

  /// Draws the text; returns the term under the pointer.
  ProsePointed prose(const LessonStep& step, float points);

  /// A dash for each step, as a progress bar; returns the clicked one.
  std::optional<std::size_t> dashes(std::size_t step, const Course& course);

  /// A choice, in as many lines as it needs; returns whether it was clicked.
  bool choice(const char* id, std::string_view text, bool chosen, ImU32 border, std::string_view mark,
              Face face = Face::ui);

  /// Chips that wrap.
  void begin_chips() { chip_x_ = left_; }
  bool next_chip(const char* id, std::string_view label, bool chosen);
  void end_chips() { space(36); }

  /// A bar for a share of a whole.
  void share(double part);

  /// A slider at a share 0…1; returns where it is dragged to.
  std::optional<double> slider(const char* id, double part, bool set, std::string_view from, std::string_view to,
                               bool live);

  /// Positions the cursor for an ImGui control.
  void begin_control() { ImGui::SetCursorScreenPos({left_, here().y}); }
  float width() const { return width_; }

 private:
  static ImVec2 here() { return ImGui::GetCursorScreenPos(); }
  void advance(float height);

  const Frame& frame_;
  float left_, width_, chip_x_ = 0;
};

void draw_question(const Frame& frame, const Question& question, PanelColumn& column);

}  // namespace headlight
