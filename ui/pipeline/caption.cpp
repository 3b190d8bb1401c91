#include "ui/pipeline/caption.h"

#include <algorithm>

#include "ui/inspector/inspector_picture.h"
#include "ui/look/stage_words.h"
#include "ui/widgets/formula_words.h"
#include "ui/widgets/math_text.h"

namespace headlight {
namespace {

/// In one line around the middle `at`, smaller where it would not fit; gives its width.
float draw_fitting(const Frame& frame, ImDrawList& list, float pixels, ImVec2 at, ImVec2 room, const MathInk& ink,
                   std::string_view markup) {
  const ImVec2 size = math_size(frame.fonts, pixels, markup);
  const float fit = std::clamp(std::min(room.x / std::max(size.x, 1.0f), room.y / size.y), 0.3f, 1.0f);
  draw_math(list, frame.fonts, pixels * fit, {at.x, at.y - size.y * fit / 2}, ink, markup);
  return size.x * fit;
}

bool has_fraction(std::string_view markup) { return markup.find("\\frac") != std::string_view::npos; }

}  // namespace

void draw_caption(const Frame& frame, ImDrawList& list, Stage stage, const std::string& on_its_way, Rect row) {
  const std::optional<Cell> cell = frame.looked_at();
  const bool explained = cell && cell->stage == stage && on_its_way.empty();
  const InspectorPicture* picture = explained ? &inspector_picture(frame, *cell, row.width()) : nullptr;
  const std::string_view formula = picture              ? std::string_view(picture->formula.front())
                                   : on_its_way.empty() ? stage_formula(frame.words, stage)
                                                        : std::string_view(on_its_way);
  const std::string_view numbers =
      picture && !picture->numbers.empty() ? std::string_view(picture->numbers.front()) : std::string_view();
  // Fractions take both lines: what follows from them stands beside them.
  const bool two_lines = !numbers.empty() && !has_fraction(formula) && !has_fraction(numbers);
  const float size = row.height() * (two_lines ? 0.36f : 0.4f);
  const float y = two_lines ? row.min.y + row.height() * 0.26f : row.centre().y;
  const float height = two_lines ? row.height() / 2 : row.height();
  const MathInk ink{frame.look.ink, &frame.look, {}}, quiet{frame.look.muted, nullptr, {}};
  std::string title(is_input(stage) && frame.trace()->inputs.self_attention() ? "X" : name(stage));
  if (const auto called = stage_words(frame.words, stage); !called.empty()) title.append(" ").append(called);
  draw_text(list, frame.fonts, Face::bold, size, {row.min.x, y - size * 0.5f}, frame.look.lane(stage), title);
  float x = row.min.x + text_size(frame.fonts, Face::bold, size, title).x + size;
  x += draw_fitting(frame, list, size, {x, y}, {row.max.x - x, height}, ink, formula) + size / 3;
  if (numbers.empty()) return;
  const ImVec2 at = two_lines ? ImVec2{row.min.x, row.min.y + row.height() * 0.77f} : ImVec2{x, y};
  draw_fitting(frame, list, size, at, {row.max.x - at.x, height}, quiet, numbers);
}

}  // namespace headlight
