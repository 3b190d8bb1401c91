#include <algorithm>
#include <cmath>

#include "core/base/parallel/jobs.h"
#include "core/compute/attention/projection.h"
#include "core/compute/attention/score_source.h"
#include "core/compute/attention/softmax.h"
#include "core/compute/attention/workers.h"

namespace headlight {
namespace {

constexpr Index leaf = depth_a_block;  // keys; a multiple of every kernel's panel
constexpr Index line = 16;             // float32 numbers in a cache line

constexpr Index whole_lines(Index count) { return (count + line - 1) / line * line; }

PackedMatrix packed(const MatrixView& m, int threads, const std::stop_token& stop = {}) {
  PackedMatrix result(m.rows, m.cols);
  Workers workers;
  workers.threads = threads;
  workers.stop = stop;
  constexpr Index rows_a_part = 8192;  // V is a single panel, however long it is
  const Index parts = (m.rows + rows_a_part - 1) / rows_a_part;
  workers.run(result.panels() * parts, 4 * static_cast<double>(m.rows * m.cols), [&](Index part) {
    const Index first = part % parts * rows_a_part;
    result.pack_part(m, part / parts, first, std::min(rows_a_part, m.rows - first));
  });
  return result;
}

}  // namespace

void ScoreTile::look_at(Index batch, Index head) {
  mask.reset();
  b = batch;
  h = head;
}

const float* ScoreTile::read_mask(Index row_of_tile, const Segment& s) {
  if (row.size() < static_cast<std::size_t>(s.count())) row.resize(static_cast<std::size_t>(s.count()));
  mask->read(b, h, query(row_of_tile), s.first, s.count(), row.data());
  return row.data();
}

ScoreRows::ScoreRows(ScoreSteps steps, Shape shape, std::shared_ptr<const ReadableMask> rule, int threads)
    : steps_(std::move(steps)),
      shape_(std::move(shape)),
      rule_(std::move(rule)),
      threads_(threads),
      group_(shape_[1] / steps_.keys.size(1)),
      row_steps_(steps_, shape_),
      groups_(static_cast<std::size_t>(shape_[0] * steps_.keys.size(1))) {}

const PackedMatrix& ScoreRows::keys(Index b, Index g, const std::stop_token& stop) const {
  Group& group = at(b, g);
  std::call_once(group.has_keys, [&] {
    const Uninterrupted guard;
    const Tensor head = head_of(steps_.keys, b, g, stop);
    group.keys = packed(transposed(head.matrix()), threads_, stop);
  });
  return group.keys;
}

const PackedMatrix& ScoreRows::values(Index b, Index g, const std::stop_token& stop) const {
  Group& group = at(b, g);
  std::call_once(group.has_values, [&] {
    const Uninterrupted guard;
    const Tensor head = head_of(steps_.values, b, g, stop);
    group.values = packed(head.matrix(), threads_, stop);
  });
  return group.values;
}

MatrixView ScoreRows::plain_values(Index b, Index g) const {
  Group& group = at(b, g);
  std::call_once(group.has_plain_values, [&] { group.plain_values = head_of(steps_.values, b, g); });
  return group.plain_values.matrix();
}

void ScoreRows::add_segments(ScoreTile& tile, Index k0, Index k1, bool mask) const {
  const auto [first, last] = std::minmax_element(tile.q.begin(), tile.q.begin() + tile.count);
  const BlockVerdict verdict =
      mask && rule_ ? block_verdict(rule_->expression, rule_->context, tile.b, tile.h, *first, *last + 1, k0, k1)
                    : BlockVerdict::all;
  if (verdict == BlockVerdict::none) return;
  const bool masked = verdict == BlockVerdict::unknown;
  if (masked && k1 - k0 > leaf) {
    const Index middle = k0 + (k1 - k0) / 2 / leaf * leaf;
    const Index cut = middle > k0 ? middle : k0 + leaf;
    add_segments(tile, k0, cut, mask);
    return add_segments(tile, cut, k1, mask);
  }
  std::vector<ScoreTile::Segment>& segments = tile.segments;
  if (!masked && !segments.empty() && !segments.back().masked && segments.back().end == k0) {
    segments.back().end = k1;
  } else {
    segments.push_back(
        {k0, k1, segments.empty() ? 0 : segments.back().at + whole_lines(segments.back().count()), masked});
  }
}

void ScoreRows::open(ScoreTile& tile, Stage stage) const {
  tile.segments.clear();
  tile.live.fill(false);
  add_segments(tile, 0, shape_[3], is_after_mask(stage));
  const Index width = tile.segments.empty() ? 0 : tile.segments.back().at + tile.segments.back().count();
  tile.stride = whole_lines(width) + line;
  const auto size = static_cast<std::size_t>(tile.stride * tile.count);
  if (tile.numbers.size() < size) tile.numbers = Buffer(size);
  take_queries(tile);
  if (rule_ && !tile.mask) tile.mask = reader();
}

void ScoreRows::take_queries(ScoreTile& tile) const {
  const Index d = steps_.queries.size(3);
  tile.queries.resize(static_cast<std::size_t>(ScoreTile::most_rows * d));
  if (const ProjectedHeads* source = projected_heads(steps_.queries)) {
    for (Index i = 0, end; i < tile.count; i = end) {  // neighbouring rows are projected together
      for (end = i + 1; end < tile.count && tile.query(end) == tile.query(end - 1) + 1;) ++end;
      source->project_rows(tile.b, tile.h, tile.query(i), {tile.queries.data() + i * d, end - i, d, d});
    }
    return;
  }
  const MatrixView queries = steps_.queries.matrix(tile.b, tile.h);
  for (Index i = 0; i < tile.count; ++i) {
    for (Index j = 0; j < d; ++j) tile.queries[static_cast<std::size_t>(i * d + j)] = queries(tile.query(i), j);
  }
}

void ScoreRows::score(ScoreTile& tile, Stage stage) const {
  const PackedMatrix& keys = this->keys(tile.b, tile.h / group_);
  const Index d = steps_.queries.size(3);
  const MatrixView queries{tile.queries.data(), tile.count, d, d, 1};
  for (const ScoreTile::Segment& s : tile.segments) {
    const Index count = s.count();
    keys.multiply(queries, s.first / kernels().panel, {tile.at(0, s), tile.count, count, tile.stride});
    for (Index i = 0; i < tile.count; ++i) {
      float* const x = tile.at(i, s);
      for (const Stage step : stages_before_mask) {
        if (step <= stage && steps_.has(step))
          row_steps_.take(step, x, {tile.b, tile.h, tile.query(i), s.first, count}, tile.row);
      }
      bool& live = tile.live[static_cast<std::size_t>(i)];
      if (!s.masked) {
        live = true;
        continue;
      }
      const float* const mask = tile.read_mask(i, s);
      Index first = 0, end = 0;
      kernels().bounds(mask, count, &first, &end);
      live = live || first != end;
      kernels().mask(x, mask, count, steps_.fill.fill);
    }
  }
}

float ScoreRows::dead_weight() const {
  const float fill = steps_.fill.fill;
  if (steps_.softmax.dead_row != DeadRow::from_fill) return headlight::dead_weight(steps_.softmax.dead_row, shape_[3]);
  if (std::isfinite(fill)) return headlight::dead_weight(DeadRow::uniform, shape_[3]);
  return headlight::dead_weight(steps_.softmax.sink_logits.defined() ? DeadRow::zero : DeadRow::nan, shape_[3]);
}

// The fill is so far below every score that masked keys get no weight.
void ScoreRows::weigh(ScoreTile& tile) const {
  const Kernels& use = kernels();
  const float sink = steps_.softmax.sink_logits.defined() ? steps_.softmax.sink_logits.at({tile.h}) : -infinity;
  for (Index i = 0; i < tile.count; ++i) {
    if (!tile.is_live(i)) {
      for (const ScoreTile::Segment& s : tile.segments) std::fill_n(tile.at(i, s), s.count(), dead_weight());
      continue;
    }
    float most = sink;
    for (const ScoreTile::Segment& s : tile.segments) most = use.largest(tile.at(i, s), s.count(), most);
    double sum = sink_part(sink, most);
    for (const ScoreTile::Segment& s : tile.segments) sum += use.exponentials(tile.at(i, s), s.count(), most);
    for (const ScoreTile::Segment& s : tile.segments) use.scale(tile.at(i, s), s.count(), static_cast<float>(1 / sum));
  }
}

}  // namespace headlight
