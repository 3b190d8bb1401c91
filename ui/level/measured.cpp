#include "ui/level/measured.h"

#include <numeric>

#include "core/run/trace.h"
#include "ui/document/action.h"
#include "ui/level/focus.h"
#include "ui/level/matrix_numbers.h"

namespace headlight {

HeadMeasure measure_shown(const Trace& trace, const View& view) {
  return trace.has(Stage::contribution_norms) ? view.measure : HeadMeasure::weight;
}

BroughtRow brought_row(const Trace& trace, const View& view, Index query) {
  const MatrixView lengths = numbers_of(trace, view, Stage::contribution_norms);
  BroughtRow row;
  for (Index k = 0; k < lengths.cols; ++k) row.lengths.push_back(lengths(query, k));
  row.sum = std::accumulate(row.lengths.begin(), row.lengths.end(), 0.0f);
  for (const float length : row.lengths) row.shares.push_back(row.sum > 0 ? length / row.sum : 0);
  const Tensor& all = trace[Stage::contribution_norms];
  for (Index h = 0; h < all.size(1); ++h) {
    const MatrixView head = all.matrix(matrix_of(trace, view, Stage::contribution_norms).batch, h);
    for (Index q = 0; q < head.rows; ++q) {
      for (Index k = 0; k < head.cols; ++k) row.most = std::max(row.most, head(q, k));
    }
  }
  return row;
}

std::string length_text(float length) { return MatrixNumbers(length >= 100 ? 0 : length >= 10 ? 1 : 2, true)(length); }

float put_measures(Pen& pen, Rect room) {
  const SceneContext& context = pen.context();
  const Look& look = pen.look();
  if (!can_be_measured(context.trace)) return 0;
  constexpr const char* names[] = {"measure.weight", "measure.arrives", "measure.share"};
  const float u = pen.u(), height = pen.type.caption * 2.1f, caption = pen.type.caption;
  float widths[3], total = 0;
  for (std::size_t i = 0; i < 3; ++i)
    total += widths[i] = pen.measure(Face::bold, caption, context.words(names[i])).x + 22 * u;
  if (total + 6 * u > room.width()) return 0;
  float x = room.min.x + 3 * u;
  pen.fill({room.min, {room.min.x + total + 6 * u, room.min.y + height}}, look.field, Corner::card * u);
  for (std::size_t i = 0; i < 3; ++i) {
    const bool here = static_cast<std::size_t>(measure_shown(context.trace, context.view)) == i;
    const Rect tab{{x, room.min.y + 3 * u}, {x + widths[i], room.min.y + height - 3 * u}};
    if (here) pen.fill(tab, look.card, Corner::control * u);
    pen.text(TextRole::caption, here ? Face::bold : Face::ui, caption, tab.centre(), Align::middle,
             here ? look.ink : look.muted, std::string(context.words(names[i])));
    pen.target(tab, SceneAction::measure, static_cast<Index>(i));
    x += widths[i];
  }
  return total + 6 * u;
}

}  // namespace headlight
