#include "ui/pipeline/caption.h"

#include <algorithm>

#include "ui/pictures.h"
#include "ui/widgets/math_text.h"

namespace headlight {
namespace {

/// In one line, smaller where it would not fit.
void draw_fitting(const Frame& frame, ImDrawList& list, float pixels, ImVec2 at, float width, const MathInk& ink, std::string_view markup) {
  const ImVec2 size = math_size(frame.fonts, pixels, markup);
  const float fit = std::clamp(width / std::max(size.x, 1.0f), 0.4f, 1.0f);
  draw_math(list, frame.fonts, pixels * fit, {at.x, at.y - size.y * fit / 2}, ink, markup);
}

}  // namespace

void draw_caption(const Frame& frame, ImDrawList& list, Stage stage, const std::string& on_its_way, Rect row) {
  const std::optional<Cell> cell = frame.looked_at();
  const bool explained = cell && cell->stage == stage && on_its_way.empty();
  const InspectorPicture* picture = explained ? &inspector_picture(frame, *cell, row.width()) : nullptr;
  const bool has_numbers = picture && !picture->numbers.empty();
  const float size = row.height() * (has_numbers ? 0.36f : 0.44f);
  const float first = has_numbers ? row.min.y + row.height() * 0.26f : row.centre().y;
  draw_text(list, frame.fonts, Face::bold, size, {row.min.x, first - size * 0.5f}, frame.look.lane(stage), name(stage));
  const float x = row.min.x + text_size(frame.fonts, Face::bold, size, name(stage)).x + size;
  const std::string_view general = on_its_way.empty() ? info(stage).formula : std::string_view(on_its_way);
  draw_fitting(frame, list, size, {x, first}, row.max.x - x, {frame.look.ink, &frame.look, {}}, picture ? picture->formula.front() : general);
  if (!has_numbers) return;
  const float y = row.min.y + row.height() * 0.77f;
  draw_fitting(frame, list, size, {row.min.x, y}, row.width(), {frame.look.muted, nullptr, {}}, picture->numbers.front());
}

}  // namespace headlight
