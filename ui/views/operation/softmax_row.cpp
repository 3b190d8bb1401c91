#include "ui/views/operation/softmax_row.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/compute/attention/softmax.h"
#include "core/rules/stage/extent.h"
#include "ui/views/operation/operation.h"

namespace headlight {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// All scores of a row, with the tried ones, and the shares of the stage.
struct RowNumbers {
  std::vector<float> scores, shares;
  std::vector<bool> masked;
  float sink = minus_infinity;
};

RowNumbers numbers_in_row(const Trace& trace, const View& view, Index query) {
  const Stage source = made_from(trace, Stage::weights);
  const Cell at = matrix_of(trace, view, source);
  const MatrixView scores = numbers_of(trace, view, source), weights = numbers_of(trace, view, Stage::weights);
  const CellMasks masks = masks_over(trace, source, at.batch, at.head);
  const ScoreTrial* trial = trial_of(trace, view, query);
  RowNumbers row;
  for (Index k = 0; k < scores.cols; ++k) {
    const CellKind kind = classify(scores, masks, query, k);
    row.masked.push_back(kind == CellKind::masked || kind == CellKind::neg_inf);
    row.scores.push_back(scores(query, k) + tried_part(trace, trial, k));
    row.shares.push_back(weights(query, k));
  }
  if (trace.sink_logits.defined()) {
    row.sink = trace.sink_logits.at({std::min(view.head, trace.sink_logits.size(0) - 1)}) +
               tried_part(trace, trial, scores.cols);
  }
  return row;
}

/// Σ e^(score − largest), with the sink's.
double sum_of_powers(const std::vector<float>& scores, float largest, float sink) {
  double sum = sink_part(sink, largest);
  for (const float score : scores) sum += std::exp(static_cast<double>(score) - static_cast<double>(largest));
  return sum;
}

/// The keys that have parts of their own, in ascending order.
std::vector<Index> own_parts(const RowNumbers& row, Index key, Index most) {
  const auto count = static_cast<Index>(row.scores.size());
  std::vector<Index> keys(static_cast<std::size_t>(count));
  std::iota(keys.begin(), keys.end(), Index{0});
  if (count <= most) return keys;
  const auto kept = static_cast<std::ptrdiff_t>(std::max<Index>(most - 1, 1));  // one part is for all other keys
  // The chosen key, then NaN, which torch.topk takes as the largest too, then the larger scores.
  const auto rank = [&](Index k) {
    const auto i = static_cast<std::size_t>(k);
    if (k == key) return std::pair(2, 0.0f);
    if (row.masked[i]) return std::pair(0, minus_infinity);
    return std::isnan(row.scores[i]) ? std::pair(1, 0.0f) : std::pair(0, row.scores[i]);
  };
  std::ranges::partial_sort(keys, keys.begin() + kept, [&](Index a, Index b) {
    const auto x = rank(a), y = rank(b);
    return x > y || (x == y && a < b);
  });
  keys.resize(static_cast<std::size_t>(kept));
  std::ranges::sort(keys);
  return keys;
}

/// The sink's share.
SoftmaxPart sink_of(const RowNumbers& numbers, const SoftmaxRow& row) {
  SoftmaxPart sink{.kind = SoftmaxPart::Kind::sink, .key = static_cast<Index>(numbers.scores.size()), .words = 0};
  sink.score = numbers.sink;
  sink.shifted = sink.score - row.largest;
  sink.power = sink_part(numbers.sink, row.largest);
  sink.share = sink.power / row.sum;
  double given = 0;
  for (const float share : numbers.shares) given += static_cast<double>(share);
  sink.before = row.tried ? 1 - given : sink.share;
  return sink;
}

}  // namespace

const SoftmaxPart* SoftmaxRow::find(Index key) const {
  const auto part = std::ranges::find_if(
      parts, [&](const SoftmaxPart& p) { return p.kind != SoftmaxPart::Kind::others && p.key == key; });
  return part == parts.end() ? nullptr : &*part;
}

SoftmaxRow softmax_row(const Trace& trace, const View& view, const Focus& focus, Index most_parts,
                       const MatrixView& before) {
  const RowNumbers numbers = numbers_in_row(trace, view, focus.query);
  const bool has_sink = numbers.sink > minus_infinity;
  SoftmaxRow row;
  row.tried = trial_of(trace, view, focus.query) != nullptr;
  row.changed = !row.tried && before.data && focus.query < before.rows &&
                before.cols == static_cast<Index>(numbers.scores.size());
  row.largest = row_maximum(numbers.scores, numbers.sink);
  row.sum = sum_of_powers(numbers.scores, row.largest, numbers.sink);
  const bool is_hidden = std::ranges::all_of(numbers.masked, [](bool masked) { return masked; });
  const bool by_policy = is_hidden && trace.scenario.dead_row != DeadRow::from_fill && trace.has(Stage::mask);
  row.empty = by_policy || (is_hidden && !std::isfinite(row.largest));
  const auto part_of = [&](Index k) {
    const auto i = static_cast<std::size_t>(k);
    SoftmaxPart part{.key = k, .score = numbers.scores[i], .masked = numbers.masked[i]};
    part.shifted = part.score - row.largest;
    part.power = std::exp(static_cast<double>(part.score) - static_cast<double>(row.largest));
    part.before = static_cast<double>(numbers.shares[i]);
    part.share = row.tried && !row.empty ? part.power / row.sum : part.before;
    if (row.changed) part.before = static_cast<double>(before(focus.query, k));
    return part;
  };
  const std::vector<Index> own = own_parts(numbers, focus.key, most_parts - (has_sink ? 1 : 0));
  SoftmaxPart others{.kind = SoftmaxPart::Kind::others, .key = -1, .words = 0, .score = minus_infinity, .masked = true};
  std::size_t next = 0;
  for (Index k = 0; k < static_cast<Index>(numbers.scores.size()); ++k) {
    SoftmaxPart part = part_of(k);
    row.visible += !part.is_out();
    if (next < own.size() && own[next] == k) {
      row.parts.push_back(part);
      ++next;
      continue;
    }
    ++others.words;
    others.score = std::max(others.score, part.score);
    others.power += part.power;
    others.share += part.share;
    others.before += part.before;
    others.masked = others.masked && part.masked;
  }
  others.shifted = others.score - row.largest;
  if (others.words > 0) row.parts.push_back(others);
  if (has_sink) row.parts.push_back(sink_of(numbers, row));
  if (has_sink && row.changed) {
    row.parts.back().before = 1;
    for (std::size_t i = 0; i + 1 < row.parts.size(); ++i) row.parts.back().before -= row.parts[i].before;
  }
  return row;
}

const ScoreTrial* trial_of(const Trace& trace, const View& view, Index query) {
  const auto& trial = view.levels.trial;
  if (!trial || trial->added.empty() || !std::isfinite(trace.scale) || trace.scale == 0) return nullptr;
  return trial->batch == view.batch && trial->head == view.head && trial->query == query ? &*trial : nullptr;
}

float tried_part(const Trace& trace, const ScoreTrial* trial, Index key) {
  if (!trial) return 0;
  const auto found = std::ranges::find(trial->added, key, &std::pair<Index, float>::first);
  return found == trial->added.end() ? 0 : found->second * trace.scale;
}

View with_tried_score(View view, const Trace& trace, Index query, Index key, float added) {
  if (!trial_of(trace, view, query)) view.levels.trial = ScoreTrial{view.batch, view.head, query, {}};
  auto& all = view.levels.trial->added;
  const auto found = std::ranges::find(all, key, &std::pair<Index, float>::first);
  if (found == all.end()) all.emplace_back(key, added / trace.scale);
  else found->second = added / trace.scale;
  return view;
}

}  // namespace headlight
