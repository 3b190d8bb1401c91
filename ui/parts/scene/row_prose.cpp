#include "ui/parts/scene/row_prose.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/text/in_sentence.h"
#include "core/compute/run/trace.h"
#include "ui/base/frame/colormaps.h"
#include "ui/base/frame/frame.h"
#include "ui/parts/matrix/heat.h"
#include "ui/parts/scene/focus.h"
#include "ui/parts/scene/matrix_numbers.h"

namespace headlight {

RowProse row_prose(const SceneContext& context, Index query) {
  constexpr std::size_t named = 3;
  constexpr const char* with_rest[named] = {"level.row_1", "level.row_2", "level.row_3"};
  constexpr const char* alone[named] = {nullptr, "level.row_all_2", "level.row_all_3"};
  const Cell at = matrix_of(context.trace, context.view, Stage::weights);
  const MatrixView weights = numbers_of(context.trace, context.view, Stage::weights);
  const CellMasks masks = masks_over(context.trace, Stage::weights, at.batch, at.head);
  std::vector<Index> keys;
  for (Index k = 0; k < weights.cols; ++k) {
    const float share = weights(query, k);
    if (std::isnan(share)) return {};
    if (classify(weights, masks, query, k) == CellKind::value) keys.push_back(k);
  }
  if (keys.size() < 2) return {};
  const std::size_t shown = keys.size() <= named ? keys.size() : named;
  std::ranges::partial_sort(keys, keys.begin() + static_cast<std::ptrdiff_t>(shown),
                            [&](Index a, Index b) { return weights(query, a) > weights(query, b); });
  double rest = 0;
  for (std::size_t i = shown; i < keys.size(); ++i) rest += static_cast<double>(weights(query, keys[i]));
  const MatrixNumbers figures(2, true);
  RowProse prose;
  prose.key = shown == keys.size() ? alone[shown - 1] : with_rest[shown - 1];
  for (std::size_t i = 0; i < named; ++i) {
    const bool there = i < shown;
    const auto link = [&](SceneAction action) {
      return there ? std::optional(NamedLink{action, keys[i], {Stage::weights, at.batch, at.head, query, keys[i]}})
                   : std::nullopt;
    };
    // A word that occurs twice gets its position as well, since otherwise a list could have two equal names.
    const auto word = [&](Index key) {
      const std::string name = key_word(context, key);
      if (!has_words(context, Axis::key)) return name;
      return in_sentence(name) + placed_label(context.trace, Axis::key, at.batch, key).substr(name.size());
    };
    prose.values.push_back(
        {there ? word(keys[i]) : std::string(), context.look.ink, true, link(SceneAction::key_word)});
    prose.values.push_back({there ? figures(weights(query, keys[i])) : std::string(),
                            context.look.head_ink(context.view.head), true, link(SceneAction::look_at)});
  }
  prose.values.push_back({std::to_string(keys.size() - shown), context.look.muted, false});
  prose.values.push_back({figures(static_cast<float>(rest)), context.look.muted});
  return prose;
}

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
