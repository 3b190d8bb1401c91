#include "core/compute/attention/sweep.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <limits>

#include "core/compute/attention/product.h"
#include "core/compute/attention/row_steps.h"
#include "core/compute/attention/softmax.h"
#include "core/rules/stage/extent.h"

namespace headlight {
namespace {

// Six rows are a tile in every kernel. A block of rows fits the second-level cache.
constexpr Index tile_rows = 6, most_rows = 96, numbers_a_block = 48 * 1024;
// If the stages together are larger than this, they are written past the caches, which they would only fill.
constexpr double most_cached_bytes = 16e6;

/// From the scores to the head outputs; the mask is no step.
constexpr auto order = [] {
  std::array<Stage, static_cast<std::size_t>(Stage::head_outputs) - static_cast<std::size_t>(Stage::scores)> stages{};
  std::size_t count = 0;
  for (auto i = static_cast<std::size_t>(Stage::scores); i <= static_cast<std::size_t>(Stage::head_outputs); ++i) {
    if (const auto stage = static_cast<Stage>(i); stage != Stage::mask) stages[count++] = stage;
  }
  return stages;
}();

Index rows_in_cache(Index n_k) {
  return std::clamp(numbers_a_block / std::max<Index>(n_k, 1) / tile_rows * tile_rows, tile_rows, most_rows);
}

/// The buffers of a thread, kept from block to block.
struct SweepBuffers {
  Buffer rows, row;
};

class Sweep {
 public:
  Sweep(const ScoreSteps& steps, Stage first, Stage last, const Tensor& before);
  SweptStages run(const Workers& workers);

 private:
  using Clock = std::chrono::steady_clock;

  bool takes(Stage stage) const {
    return stage >= first_ && stage <= last_ && stage != Stage::mask && steps_.has(stage);
  }
  void pack(const Workers& workers);
  void block(Index index);
  void step(Stage stage, float* x, Index b, Index h, Index q, Buffer& row);
  void gather(const MatrixView& weights, Index b, Index h, Index q);
  void keep(Stage stage, const float* rows, Index b, Index h, Index q, Index count);

  const ScoreSteps& steps_;
  const Stage first_, last_;
  const Tensor& before_;
  Tensor queries_;  // with contiguous rows
  Shape shape_;
  Index group_ = 1, stride_ = 0, height_ = 0, row_blocks_ = 0;
  bool past_caches_ = false;
  std::vector<PackedMatrix> keys_, values_;  // index b · G + g
  std::vector<std::uint8_t> finite_;         // whether values_[i] is finite
  std::optional<RowSteps> row_steps_;
  std::array<Buffer, stage_count> kept_;
  std::array<std::atomic<std::int64_t>, stage_count> nanoseconds_{};
};

Sweep::Sweep(const ScoreSteps& steps, Stage first, Stage last, const Tensor& before)
    : steps_(steps), first_(first), last_(last), before_(before) {
  if (first == Stage::scores) {
    shape_ = {steps.queries.size(0), steps.queries.size(1), steps.queries.size(2), steps.keys.size(2)};
    const bool in_rows = steps.queries.strides().back() == 1 || steps.queries.size(3) == 1;
    queries_ = in_rows && !steps.queries.source() ? steps.queries : steps.queries.contiguous();
    assert(steps.keys.size(0) == shape_[0] && steps.queries.size(3) == steps.keys.size(3));
  } else {
    shape_ = before.shape();
  }
  const Tensor& grouped = takes(Stage::head_outputs) ? steps.values : steps.keys;
  if (grouped.defined()) group_ = shape_[1] / grouped.size(1);
  assert(!grouped.defined() || (shape_[1] % grouped.size(1) == 0 && shape_[3] == grouped.size(2)));
  stride_ =
      (shape_[3] + 15) / 16 * 16 + 16;  // never a power of two: six such rows would share one set of the first cache
  height_ = rows_in_cache(shape_[3]);
  row_blocks_ = (shape_[2] + height_ - 1) / height_;
  row_steps_.emplace(steps, shape_);
  double bytes = 0;
  for (const Stage stage : order) {
    if (!takes(stage) || !steps.stores(stage)) continue;
    const bool gathered = stage == Stage::head_outputs;
    const Index count = shape_[0] * shape_[1] * shape_[2] * (gathered ? steps.values.size(3) : shape_[3]);
    kept_[static_cast<std::size_t>(stage)] = Buffer(static_cast<std::size_t>(count));
    if (!gathered) bytes += 4 * static_cast<double>(count);
  }
  past_caches_ = bytes > most_cached_bytes;
}

void Sweep::pack(const Workers& workers) {
  const bool both[] = {takes(Stage::scores), takes(Stage::head_outputs)};
  const Tensor* const sources[] = {&steps_.keys, &steps_.values};
  std::vector<PackedMatrix>* const packed[] = {&keys_, &values_};
  for (int side = 0; side < 2; ++side) {
    if (!both[side]) continue;
    const Tensor from = sources[side]->source() ? sources[side]->contiguous() : *sources[side];
    const Index groups = from.size(1), matrices = from.size(0) * groups;
    const bool transpose = side == 0;  // scores multiply by Kᵀ
    for (Index i = 0; i < matrices; ++i) {
      packed[side]->emplace_back(transpose ? from.size(3) : from.size(2), transpose ? from.size(2) : from.size(3));
    }
    if (matrices == 0) continue;
    const Index panels = packed[side]->front().panels();
    std::vector<std::atomic<bool>> not_finite(static_cast<std::size_t>(matrices));
    workers.run(matrices * panels, 4 * static_cast<double>(from.count()), [&](Index block) {
      const Index i = block / panels, panel = block % panels;
      const MatrixView m = from.matrix(i / groups, i % groups);
      PackedMatrix& to = (*packed[side])[static_cast<std::size_t>(i)];
      to.pack_panel(transpose ? transposed(m) : m, panel);
      if (!transpose && !to.panel_is_finite(panel)) not_finite[static_cast<std::size_t>(i)] = true;
    });
    if (transpose) continue;
    for (const std::atomic<bool>& flag : not_finite) finite_.push_back(flag ? 0 : 1);
  }
}

void Sweep::keep(Stage stage, const float* rows, Index b, Index h, Index q, Index count) {
  const Index n_k = shape_[3];
  float* to = kept_[static_cast<std::size_t>(stage)].data() + ((b * shape_[1] + h) * shape_[2] + q) * n_k;
  const auto write = past_caches_ ? kernels().stream : kernels().copy;
  for (Index row = 0; row < count; ++row) write(rows + row * stride_, to + row * n_k, n_k);
}

void Sweep::step(Stage stage, float* x, Index b, Index h, Index q, Buffer& row) {
  const Kernels& use = kernels();
  const Index n_k = shape_[3];
  switch (stage) {
    case Stage::masked_scores:
      return (steps_.fill.mode == MaskMode::add ? use.mask_by_sum : use.mask)(
          x, steps_.mask.matrix(b, h).whole_row(q, row), n_k, steps_.fill.fill);
    case Stage::weights:
      if (steps_.softmax.dead_row != DeadRow::from_fill && steps_.mask.defined()) {
        Index first = 0, end = 0;
        use.bounds(steps_.mask.matrix(b, h).whole_row(q, row), n_k, &first, &end);
        if (first == end) return void(std::fill_n(x, n_k, dead_weight(steps_.softmax.dead_row, n_k)));
      }
      return use.softmax(x, n_k,
                         steps_.softmax.sink_logits.defined() ? steps_.softmax.sink_logits.at({h})
                                                              : -std::numeric_limits<float>::infinity());
    case Stage::dropped_weights:
      return use.times(x, steps_.dropout->keep.matrix(b, h).whole_row(q, row), n_k,
                       steps_.dropout->p < 1 ? 1 / (1 - steps_.dropout->p) : 0);
    default: row_steps_->take(stage, x, {b, h, q, 0, n_k}, row);
  }
}

// A causal mask or a window leaves zeros at both ends of the rows: those columns are not multiplied.
void Sweep::gather(const MatrixView& weights, Index b, Index h, Index q) {
  const Index heads = shape_[1], n_q = shape_[2], d = steps_.values.size(3);
  const auto matrix = static_cast<std::size_t>(b * steps_.values.size(1) + h / group_);
  float* const to = kept_[static_cast<std::size_t>(Stage::head_outputs)].data();
  for (Index row = 0; row < weights.rows; row += tile_rows) {
    const MatrixView tile = row_block(weights, row, std::min(tile_rows, weights.rows - row));
    Index first = tile.cols, end = 0;
    for (Index i = 0; i < tile.rows; ++i) {
      Index from = 0, to_end = 0;
      kernels().bounds(tile.data + i * tile.row_stride, tile.cols, &from, &to_end);
      if (from == to_end) continue;
      first = std::min(first, from);
      end = std::max(end, to_end);
    }
    if (finite_[matrix] == 0) first = 0, end = tile.cols;
    values_[matrix].multiply(tile, 0, std::min(first, end), end,
                             {to + ((b * n_q + q + row) * heads + h) * d, tile.rows, d, heads * d});
  }
}

void Sweep::block(Index index) {
  const Index heads = shape_[1], n_q = shape_[2], n_k = shape_[3];
  const Index b = index / (heads * row_blocks_), h = index / row_blocks_ % heads;
  const Index q = index % row_blocks_ * height_, count = std::min(height_, n_q - q);
  static thread_local SweepBuffers buffers;
  const auto size = static_cast<std::size_t>(height_ * stride_);
  if (buffers.rows.size() < size || buffers.rows.size() > size + (std::size_t{1} << 20)) buffers.rows = Buffer(size);
  const MatrixView rows{buffers.rows.data(), count, n_k, stride_, 1};

  std::array<std::int64_t, stage_count> spent{};
  Clock::time_point before = Clock::now();
  const auto count_time = [&](Stage stage) {
    const Clock::time_point now = Clock::now();
    spent[static_cast<std::size_t>(stage)] += std::chrono::nanoseconds(now - before).count();
    before = now;
  };
  if (first_ == Stage::scores) {
    const MatrixView queries = row_block(queries_.matrix(b, h), q, count);
    keys_[static_cast<std::size_t>(b * steps_.keys.size(1) + h / (heads / steps_.keys.size(1)))].multiply(
        queries, 0, {buffers.rows.data(), count, n_k, stride_});
    count_time(Stage::scores);
  } else {
    const MatrixView from = before_.matrix(b, h);
    for (Index row = 0; row < count; ++row) {
      kernels().copy(from.whole_row(q + row, buffers.row), buffers.rows.data() + row * stride_, n_k);
    }
  }
  // A few rows at a time go through all steps, so that they stay in the first-level cache.
  const Index slice = std::max<Index>(1, 4096 / stride_);
  for (Index first = 0; first < count; first += slice) {
    const Index height = std::min(slice, count - first);
    float* const x = buffers.rows.data() + first * stride_;
    for (const Stage stage : order) {
      if (stage == Stage::head_outputs || !takes(stage)) continue;
      if (stage != Stage::scores) {
        for (Index row = 0; row < height; ++row) step(stage, x + row * stride_, b, h, q + first + row, buffers.row);
      }
      if (steps_.stores(stage)) keep(stage, x, b, h, q + first, height);
      count_time(stage);
    }
  }
  if (takes(Stage::head_outputs)) {
    gather(rows, b, h, q);
    count_time(Stage::head_outputs);
  }
  if (past_caches_) kernels().end_stream();
  for (std::size_t i = 0; i < stage_count; ++i) nanoseconds_[i] += spent[i];
}

SweptStages Sweep::run(const Workers& workers) {
  const auto start = Clock::now();
  Workers without_progress = workers;
  without_progress.progress = {};
  pack(without_progress);
  const double cells = static_cast<double>(element_count(shape_));
  double cost = 0;
  for (const Stage stage : order) {
    if (!takes(stage)) continue;
    if (stage == Stage::scores) cost += 2 * cells * static_cast<double>(steps_.queries.size(3));
    else if (stage == Stage::head_outputs) cost += 2 * cells * static_cast<double>(steps_.values.size(3));
    else cost += (stage == Stage::weights || stage == Stage::capped_scores ? 40 : 4) * cells;
  }
  workers.run(shape_[0] * shape_[1] * row_blocks_, cost, [this](Index index) { block(index); });

  const double wall_time = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  double all = 1;
  for (const auto& spent : nanoseconds_) all += static_cast<double>(spent);
  SweptStages result;
  for (const Stage stage : order) {
    if (!takes(stage) || !steps_.stores(stage)) continue;
    const auto i = static_cast<std::size_t>(stage);
    result.milliseconds[i] = wall_time * static_cast<double>(nanoseconds_[i]) / all;
    result.tensors[i] =
        stage == Stage::head_outputs
            ? Tensor({shape_[0], shape_[2], shape_[1], steps_.values.size(3)}, std::move(kept_[i])).transpose(1, 2)
            : Tensor(shape_, std::move(kept_[i]));
  }
  return result;
}

}  // namespace

bool ScoreSteps::has(Stage stage) const {
  switch (stage) {
    case Stage::scores:
    case Stage::weights: return true;
    case Stage::scaled_scores: return scale.has_value();
    case Stage::capped_scores: return cap.has_value();
    case Stage::biased_scores: return added && !added->terms.empty();
    case Stage::masked_scores: return mask.defined();
    case Stage::dropped_weights: return dropout.has_value();
    case Stage::head_outputs: return values.defined();
    default: return false;
  }
}

bool ScoreSteps::stores(Stage stage) const { return !stored || std::ranges::find(*stored, stage) != stored->end(); }

SweptStages sweep(const ScoreSteps& steps, Stage first, Stage last, const Tensor& before, const Workers& workers) {
  return Sweep(steps, first, last, before).run(workers);
}

namespace {

Tensor one_step(const ScoreSteps& steps, Stage stage, const Tensor& before, const Workers& workers) {
  return sweep(steps, stage, stage, before, workers)[stage];
}

}  // namespace

Tensor scale_scores(const Tensor& scores, const ScaleParameters& parameters, const Workers& workers) {
  ScoreSteps steps;
  steps.take(parameters);
  return one_step(steps, Stage::scaled_scores, scores, workers);
}

Tensor apply_mask(const Tensor& scores, const Tensor& mask, const FillParameters& parameters, const Workers& workers) {
  assert(scores.shape() == mask.shape());
  ScoreSteps steps;
  steps.mask = mask;
  steps.take(parameters);
  return one_step(steps, Stage::masked_scores, scores, workers);
}

}  // namespace headlight
