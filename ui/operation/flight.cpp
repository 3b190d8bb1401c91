// Terms of a product on their way: along A's row and down B's column, at once, into the number that they make.
#include <algorithm>

#include "core/figure/colormap.h"
#include "core/image/theme.h"
#include "ui/frame/colormaps.h"
#include "ui/look/measure.h"
#include "ui/operation/parts.h"

namespace headlight::operation {
namespace {

/// Of the sum's time, how long a term is under way: several are at once, so that each can be followed.
constexpr float flight = 0.35f;
constexpr Index most_at_once = 8;  ///< of long sums every second term is seen, or every third

float starts(Index term, Index terms) { return (1 - flight) * static_cast<float>(term) / static_cast<float>(terms); }

/// The middle of a cell, as a chip that lies over others.
Rect chip_in(const Rect& cell, float least) {
  const float w = std::max(cell.width() * 0.78f, least), h = std::max(cell.height() * 0.78f, least);
  const ImVec2 c = cell.centre();
  return {{c.x - w / 2, c.y - h / 2}, {c.x + w / 2, c.y + h / 2}};
}

void put_chip(Pen& pen, const Rect& rect, Stage stage, float value, ImU32 lane, float presence) {
  const Colormap& map = window_colormap(pen.context().view, stage);
  const Rgba ground = map.at(normalise(value, stage_range(pen.context().trace, stage, map.kind())));
  const float u = pen.u();
  pen.fill(rect, fade(to_imgui(ground), presence), Corner::cell * u);
  pen.box(rect, fade(lane, presence), std::max(1.5f, 1.8f * u), Corner::cell * u);
}

}  // namespace

Index terms_landed(float share, Index terms) {
  if (share < flight || terms == 0) return 0;
  return std::clamp<Index>(static_cast<Index>((share - flight) / (1 - flight) * static_cast<float>(terms)) + 1, 0,
                           terms);
}

void put_flights(Pen& pen, const Block& left, const Block& above, const Rect& to, const Cell& cell, const Sum& sum,
                 float share) {
  const auto terms = static_cast<Index>(sum.left.size());
  const float least = 7 * pen.u();
  const Index at_once = std::max<Index>(1, static_cast<Index>(flight / (1 - flight) * static_cast<float>(terms)));
  const Index every = (at_once + most_at_once - 1) / most_at_once;
  const Rect end = chip_in(to, least);
  for (Index i = 0; i < terms; i += every) {
    const float t = (share - starts(i, terms)) / flight;
    if (t <= 0 || t >= 1) continue;
    const auto term = static_cast<std::size_t>(i);
    const float presence = std::min(1.0f, 5 * std::min(t, 1 - t));
    put_chip(pen, mixed(chip_in(left.cell(cell.row, i), least), end, eased(t)), sum.left_stage, sum.left[term],
             sum.left_colour, presence);
    put_chip(pen, mixed(chip_in(above.cell(i, cell.col), least), end, eased(t)), sum.right_stage, sum.right[term],
             sum.right_colour, presence);
  }
}

}  // namespace headlight::operation
