#include "ui/level/measured.h"

#include <numeric>

#include "core/run/trace.h"
#include "ui/document/action.h"
#include "ui/frame/colormaps.h"
#include "ui/frame/frame.h"
#include "ui/level/focus.h"
#include "ui/level/matrix_numbers.h"

namespace headlight {

ContributionRow contribution_row(const Trace& trace, const View& view, Index query) {
  const MatrixView lengths = numbers_of(trace, view, Stage::contribution_norms);
  ContributionRow row;
  for (Index k = 0; k < lengths.cols; ++k) row.lengths.push_back(lengths(query, k));
  row.sum = std::accumulate(row.lengths.begin(), row.lengths.end(), 0.0f);
  for (const float length : row.lengths) row.shares.push_back(row.sum > 0 ? length / row.sum : 0);
  row.most = stage_range(trace, Stage::contribution_norms, ColormapKind::sequential).hi;
  return row;
}

std::string length_text(float length) { return MatrixNumbers(length >= 100 ? 0 : length >= 10 ? 1 : 2, true)(length); }

float put_measures(Pen& pen, Rect room) {
  const SceneContext& context = pen.context();
  if (!can_be_measured(context.trace)) return 0;
  return pen.tabs(room, Align::left, measure_keys, static_cast<std::size_t>(measure_shown(context.trace, context.view)),
                  SceneAction::measure);
}

}  // namespace headlight
