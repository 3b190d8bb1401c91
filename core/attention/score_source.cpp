#include "core/attention/score_source.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/attention/projection.h"
#include "core/attention/softmax.h"

namespace headlight {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr Index tile_rows = 24;
constexpr Index leaf = depth_a_block;  // keys; a multiple of every kernel's panel

}  // namespace

/// K and V of one key/value head as the kernels read them.
struct ScoreSource::Head {
  PackedMatrix keys, values;
};

/// Some rows of a head, not always neighbours, over the keys that matter to them.
struct ScoreSource::Tile {
  Index b = 0, h = 0, count = 0, stride = 0;
  std::array<Index, tile_rows> q{};
  std::array<bool, tile_rows> live{};
  std::vector<Segment> segments;
  Buffer queries, numbers, row;
  std::unique_ptr<MaskReader> mask;
  float* at(Index row_of_tile, const Segment& s) { return numbers.data() + row_of_tile * stride + s.at; }
};

/// What a thread goes through a band of rows with.
struct ScoreSource::Room {
  Tile tile;
  Buffer low, high, nan;  // by key
  bool clean = false;
};

ScoreSource::ScoreSource(ScoreSteps steps, Shape shape, std::shared_ptr<const MaskRule> rule, int threads)
    : steps_(std::move(steps)), shape_(std::move(shape)), rule_(std::move(rule)), threads_(threads) {
  group_ = shape_[1] / steps_.keys.size(1);
  heads_.resize(static_cast<std::size_t>(shape_[0] * steps_.keys.size(1)));
  if (steps_.bias.defined()) bias_ = steps_.bias.expand(shape_);
}

ScoreSource::~ScoreSource() = default;

const ScoreSource::Head& ScoreSource::head(Index b, Index g) const {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Head>& found = heads_[static_cast<std::size_t>(b * steps_.keys.size(1) + g)];
  if (found) return *found;
  auto made = std::make_unique<Head>();
  const MatrixView keys = transposed(steps_.keys.matrix(b, g)), values = steps_.values.matrix(b, g);
  made->keys = PackedMatrix(keys.rows, keys.cols);
  made->values = PackedMatrix(values.rows, values.cols);
  Workers workers;
  workers.threads = threads_;
  const Index panels = made->keys.panels();
  workers.run(panels, 4 * static_cast<double>(keys.rows * keys.cols), [&](Index panel) { made->keys.pack_panel(keys, panel); });
  for (Index panel = 0; panel < made->values.panels(); ++panel) made->values.pack_panel(values, panel);
  found = std::move(made);
  return *found;
}

BlockVerdict ScoreSource::verdict(Index b, Index h, Index q0, Index q1, Index k0, Index k1) const {
  return rule_ ? block_verdict(rule_->expression, rule_->context, b, h, q0, q1, k0, k1) : BlockVerdict::all;
}

void ScoreSource::add_segments(Tile& tile, Index k0, Index k1, bool mask) const {
  const auto [first, last] = std::minmax_element(tile.q.begin(), tile.q.begin() + tile.count);
  const BlockVerdict all = mask ? verdict(tile.b, tile.h, *first, *last + 1, k0, k1) : BlockVerdict::all;
  if (all == BlockVerdict::none) return;
  const bool masked = all == BlockVerdict::unknown;
  if (masked && k1 - k0 > leaf) {
    const Index middle = k0 + (k1 - k0) / 2 / leaf * leaf;
    const Index cut = middle > k0 ? middle : k0 + leaf;
    add_segments(tile, k0, cut, mask);
    return add_segments(tile, cut, k1, mask);
  }
  const Index at = tile.segments.empty() ? 0 : tile.segments.back().at + (tile.segments.back().end - tile.segments.back().first + 15) / 16 * 16;
  if (!masked && !tile.segments.empty() && !tile.segments.back().masked && tile.segments.back().end == k0) {
    tile.segments.back().end = k1;
  } else {
    tile.segments.push_back({k0, k1, at, masked});
  }
}

void ScoreSource::open(Tile& tile, Stage stage) const {
  tile.segments.clear();
  tile.live.fill(false);
  add_segments(tile, 0, shape_[3], is_after_mask(stage));
  const Index width = tile.segments.empty() ? 0 : tile.segments.back().at + tile.segments.back().end - tile.segments.back().first;
  tile.stride = (width + 15) / 16 * 16 + 16;
  const auto size = static_cast<std::size_t>(tile.stride * tile.count);
  if (tile.numbers.size() < size) tile.numbers = Buffer(size);
  const Index d = steps_.queries.size(3);
  tile.queries.resize(static_cast<std::size_t>(tile_rows * d));
  const MatrixView queries = steps_.queries.matrix(tile.b, tile.h);
  for (Index i = 0; i < tile.count; ++i) {
    const Index q = tile.q[static_cast<std::size_t>(i)];
    for (Index j = 0; j < d; ++j) tile.queries[static_cast<std::size_t>(i * d + j)] = queries(q, j);
  }
  if (rule_ && !tile.mask) tile.mask = std::make_unique<MaskReader>(rule_->expression, rule_->context);
}

void ScoreSource::add_steps(Stage stage, float* x, Index h, Index q, Index k0, Index count, const float* bias) const {
  const Kernels& use = kernels();
  if (stage >= Stage::scaled_scores) use.scale(x, count, steps_.scale);
  if (stage >= Stage::capped_scores && steps_.cap) use.cap(x, count, *steps_.cap);
  if (stage < Stage::biased_scores) return;
  const Index n_q = shape_[2], n_k = shape_[3];
  for (const Tensor& table : steps_.by_distance) use.add(x, table.matrix().data + h * (n_q + n_k - 1) + n_q - 1 - q + k0, count);
  if (bias) use.add(x, bias, count);
}

// The tile's rows as `stage` has them, at most masked_scores.
void ScoreSource::score(Tile& tile, Stage stage) const {
  const Head& head = this->head(tile.b, tile.h / group_);
  const Index d = steps_.queries.size(3);
  const MatrixView queries{tile.queries.data(), tile.count, d, d, 1};
  for (const Segment& s : tile.segments) {
    head.keys.multiply(queries, s.first / kernels().panel, {tile.at(0, s), tile.count, s.end - s.first, tile.stride});
    for (Index i = 0; i < tile.count; ++i) {
      const auto row = static_cast<std::size_t>(i);
      const Index count = s.end - s.first;
      float* const x = tile.at(i, s);
      const float* bias = nullptr;
      if (bias_.defined() && stage >= Stage::biased_scores) {
        const MatrixView m = bias_.matrix(tile.b, tile.h);
        tile.row.resize(static_cast<std::size_t>(count));
        for (Index k = 0; k < count; ++k) tile.row[static_cast<std::size_t>(k)] = m(tile.q[row], s.first + k);
        bias = tile.row.data();
      }
      add_steps(stage, x, tile.h, tile.q[row], s.first, count, bias);
      if (!s.masked) {
        tile.live[row] = true;
      } else {
        tile.row.resize(static_cast<std::size_t>(leaf));
        tile.mask->read(tile.b, tile.h, tile.q[row], s.first, count, tile.row.data());
        Index first = 0, end = 0;
        kernels().bounds(tile.row.data(), count, &first, &end);
        tile.live[row] = tile.live[row] || first != end;
        kernels().mask(x, tile.row.data(), count, steps_.fill);
      }
    }
  }
}

float ScoreSource::dead_weight() const {
  if (steps_.dead_row != DeadRow::from_fill) return headlight::dead_weight(steps_.dead_row, shape_[3]);
  if (std::isfinite(steps_.fill)) return headlight::dead_weight(DeadRow::uniform, shape_[3]);
  return headlight::dead_weight(steps_.sink_logits.defined() ? DeadRow::zero : DeadRow::nan, shape_[3]);
}

// masked_scores become weights. A fill this far below every score leaves nothing where the mask is false (mask_is_passed_over).
void ScoreSource::weigh(Tile& tile) const {
  const Kernels& use = kernels();
  const float sink = steps_.sink_logits.defined() ? steps_.sink_logits.at({tile.h}) : -infinity;
  for (Index i = 0; i < tile.count; ++i) {
    if (!tile.live[static_cast<std::size_t>(i)]) {
      for (const Segment& s : tile.segments) std::fill_n(tile.at(i, s), s.end - s.first, dead_weight());
      continue;
    }
    float most = sink;
    for (const Segment& s : tile.segments) most = use.largest(tile.at(i, s), s.end - s.first, most);
    double sum = sink_part(sink, most);
    for (const Segment& s : tile.segments) sum += use.exponentials(tile.at(i, s), s.end - s.first, most);
    for (const Segment& s : tile.segments) use.scale(tile.at(i, s), s.end - s.first, static_cast<float>(1 / sum));
  }
}

void ScoreSource::row(Stage stage, Index b, Index h, Index q, Index k0, Index count, float* to) const {
  static thread_local Tile tile;
  Tile& t = tile;
  t.mask.reset();
  t.b = b;
  t.h = h;
  t.count = 1;
  t.q[0] = q;
  if (stage == Stage::mask) {
    MaskReader(rule_->expression, rule_->context).read(b, h, q, k0, count, to);
    return;
  }
  if (stage == Stage::weights) {
    open(t, stage);
    score(t, Stage::masked_scores);
    weigh(t);
    std::fill_n(to, count, t.live[0] ? 0.0F : dead_weight());
    for (const Segment& s : t.segments) {
      const Index first = std::max(s.first, k0), end = std::min(s.end, k0 + count);
      if (first < end) kernels().copy(t.at(0, s) + first - s.first, to + first - k0, end - first);
    }
    return;
  }
  open(t, Stage::scores);  // nothing passed over
  const Index begin = k0 / leaf * leaf, end = k0 + count;
  t.segments = {{begin, end, 0, false}};
  score(t, stage);
  kernels().copy(t.numbers.data() + k0 - begin, to, count);
  if (stage != Stage::masked_scores || !rule_) return;
  t.row.resize(static_cast<std::size_t>(count));
  t.mask->read(b, h, q, k0, count, t.row.data());
  kernels().mask(to, t.row.data(), count, steps_.fill);
}

void ScoreSource::head_outputs(Index b, Index h, Index q, Index count, float* to, Index stride) const {
  const Head& head = this->head(b, h / group_);
  const Index d = steps_.values.size(3);
  static thread_local Tile tile;
  Tile& t = tile;
  t.mask.reset();
  t.b = b;
  t.h = h;
  for (Index done = 0; done < count; done += tile_rows) {
    t.count = std::min(tile_rows, count - done);
    for (Index i = 0; i < t.count; ++i) t.q[static_cast<std::size_t>(i)] = q + done + i;
    open(t, Stage::weights);
    score(t, Stage::masked_scores);
    weigh(t);
    float* const rows = to + done * stride;
    for (Index i = 0; i < t.count; ++i) {
      float* const row = rows + i * stride;
      const float weight = t.live[static_cast<std::size_t>(i)] ? 0.0F : dead_weight();
      std::fill_n(row, d, weight * 0.0F);  // NaN where the weights are
      if (!(weight > 0)) continue;
      const MatrixView values = steps_.values.matrix(b, h / group_);
      for (Index k = 0; k < values.rows; ++k) {
        for (Index j = 0; j < d; ++j) row[j] += weight * values(k, j);
      }
    }
    // A dead row's numbers stand there already.
    for (Index i = 0; i < t.count; ++i) {
      if (t.live[static_cast<std::size_t>(i)]) continue;
      for (const Segment& s : t.segments) std::fill_n(t.at(i, s), s.end - s.first, 0.0F);
    }
    for (const Segment& s : t.segments) head.values.add_part({t.at(0, s), t.count, s.end - s.first, t.stride, 1}, s.first, {rows, t.count, d, stride});
  }
}

std::vector<BlockExtremes> ScoreSource::extremes(Stage stage, Index b, Index h, std::span<const Index> row_cuts,
                                                 std::span<const Index> col_cuts, Index rows_a_band) const {
  const Kernels& use = kernels();
  const Index bands = static_cast<Index>(row_cuts.size()) - 1, cols = static_cast<Index>(col_cuts.size()) - 1, n_k = shape_[3];
  const bool after_mask = is_after_mask(stage);
  std::vector<BlockExtremes> result(static_cast<std::size_t>(bands * cols), BlockExtremes{infinity, -infinity, false, after_mask});
  if (stage != Stage::mask) head(b, h / group_);
  Workers workers;
  workers.threads = threads_;
  workers.run(bands, 1e9, [&](Index band) {
    const Index first = row_cuts[static_cast<std::size_t>(band)], end = row_cuts[static_cast<std::size_t>(band + 1)];
    const Index wanted = rows_a_band > 0 ? std::min(rows_a_band, end - first) : end - first;
    // Kept from band to band; only what a band touched is gone through and made as it was.
    static thread_local Room room;
    Buffer &low = room.low, &high = room.high, &nan = room.nan;
    if (low.size() != static_cast<std::size_t>(n_k) || !room.clean) {
      low.assign(static_cast<std::size_t>(n_k), infinity);
      high.assign(static_cast<std::size_t>(n_k), -infinity);
      nan.assign(static_cast<std::size_t>(n_k), 0);
    }
    room.clean = false;  // until this band has put all back
    Tile& tile = room.tile;
    tile.mask.reset();
    tile.b = b;
    tile.h = h;
    Index touched = n_k, touched_end = 0;
    const auto touch = [&](Index from, Index until) {
      touched = std::min(touched, from);
      touched_end = std::max(touched_end, until);
    };
    bool dead_nan = false, dead_value = false;
    for (Index done = 0; done < wanted; done += tile_rows) {
      tile.count = std::min(tile_rows, wanted - done);
      for (Index i = 0; i < tile.count; ++i) tile.q[static_cast<std::size_t>(i)] = first + (2 * (done + i) + 1) * (end - first) / (2 * wanted);
      if (stage == Stage::mask) {
        tile.segments.clear();
        if (!tile.mask) tile.mask = std::make_unique<MaskReader>(rule_->expression, rule_->context);
        add_segments(tile, 0, n_k, true);
        tile.row.resize(static_cast<std::size_t>(n_k));
        touch(0, n_k);
        std::fill_n(low.data(), n_k, 0.0F);
        for (const Segment& s : tile.segments) {
          for (Index i = 0; s.masked && i < tile.count; ++i) {
            tile.mask->read(b, h, tile.q[static_cast<std::size_t>(i)], s.first, s.end - s.first, tile.row.data());
            use.fold(tile.row.data(), s.end - s.first, low.data() + s.first, high.data() + s.first, nan.data() + s.first);
          }
          if (!s.masked) std::fill(high.begin() + s.first, high.begin() + s.end, 1.0F);
        }
        for (float& v : high) v = std::max(v, 0.0F);
        continue;
      }
      open(tile, stage);
      score(tile, std::min(stage, Stage::masked_scores));
      if (stage == Stage::weights) weigh(tile);
      for (Index i = 0; i < tile.count; ++i) {
        const bool dead = after_mask && !tile.live[static_cast<std::size_t>(i)];
        if (dead && stage == Stage::weights) {
          dead_nan = dead_nan || std::isnan(dead_weight());
          dead_value = dead_value || dead_weight() > 0;
        }
        if (dead) continue;
        for (const Segment& s : tile.segments) {
          const Index count = s.end - s.first;
          float* const x = tile.at(i, s);
          touch(s.first, s.end);
          if (s.masked) {
            tile.mask->read(b, h, tile.q[static_cast<std::size_t>(i)], s.first, count, tile.row.data());
            use.mask(x, tile.row.data(), count, -infinity);
          }
          use.fold(x, count, low.data() + s.first, high.data() + s.first, nan.data() + s.first);
        }
      }
    }
    for (Index col = 0; col < cols; ++col) {
      BlockExtremes& cell = result[static_cast<std::size_t>(band * cols + col)];
      const Index k0 = std::max(col_cuts[static_cast<std::size_t>(col)], touched), k1 = std::min(col_cuts[static_cast<std::size_t>(col + 1)], touched_end);
      if (k0 < k1) {
        cell.high = use.largest(high.data() + k0, k1 - k0, cell.high);
        cell.nan = use.largest(nan.data() + k0, k1 - k0, 0) != 0;
        use.scale(low.data() + k0, k1 - k0, -1);
        cell.low = -use.largest(low.data() + k0, k1 - k0, -cell.low);
      }
      cell.nan = cell.nan || dead_nan;
      if (dead_value) {
        cell.low = std::min(cell.low, dead_weight());
        cell.high = std::max(cell.high, dead_weight());
      }
    }
    if (touched < touched_end) {
      std::fill(low.begin() + touched, low.begin() + touched_end, infinity);
      std::fill(high.begin() + touched, high.begin() + touched_end, -infinity);
      std::fill(nan.begin() + touched, nan.begin() + touched_end, 0.0F);
    }
    tile.mask.reset();
    room.clean = true;
  });
  return result;
}

KindCounts ScoreSource::kinds(Stage stage, Index b, Index h) const {
  KindCounts counts{};
  const Index n_q = shape_[2], n_k = shape_[3];
  auto& values = counts[static_cast<std::size_t>(CellKind::value)];
  auto& masked = counts[static_cast<std::size_t>(CellKind::masked)];
  auto& nan = counts[static_cast<std::size_t>(CellKind::nan)];
  values = n_q * n_k;
  if (!is_after_mask(stage)) return counts;
  // Kept by rows of the mask that differ: most masks are the same for every head.
  const MaskReader reader(rule_->expression, rule_->context);
  const Index place = (reader.by_batch() ? b * shape_[1] : 0) + (reader.by_head() ? h : 0);
  {
    const std::lock_guard lock(mutex_);
    if (counted_.empty()) counted_.resize(static_cast<std::size_t>(shape_[0] * shape_[1]));
    counts = counted_[static_cast<std::size_t>(place)];
  }
  if (values + masked + nan == 0) {
    std::atomic<Index> live{0}, dead{0};
    Workers workers;
    workers.threads = threads_;
    const Index tiles = (n_q + tile_rows - 1) / tile_rows;
    workers.run((tiles + 15) / 16, 1e9, [&](Index block) {
      Tile tile;
      tile.b = b;
      tile.h = h;
      tile.mask = std::make_unique<MaskReader>(rule_->expression, rule_->context);
      tile.row.resize(static_cast<std::size_t>(leaf));
      for (Index t = block * 16; t < std::min(tiles, block * 16 + 16); ++t) {
        tile.count = std::min(tile_rows, n_q - t * tile_rows);
        for (Index i = 0; i < tile.count; ++i) tile.q[static_cast<std::size_t>(i)] = t * tile_rows + i;
        tile.segments.clear();
        add_segments(tile, 0, n_k, true);
        for (Index i = 0; i < tile.count; ++i) {
          Index here = 0;
          for (const Segment& s : tile.segments) {
            if (!s.masked) {
              here += s.end - s.first;
              continue;
            }
            tile.mask->read(b, h, tile.q[static_cast<std::size_t>(i)], s.first, s.end - s.first, tile.row.data());
            here += static_cast<Index>(std::count(tile.row.begin(), tile.row.begin() + (s.end - s.first), 1.0F));
          }
          live += here;
          dead += here == 0 ? 1 : 0;
        }
      }
    });
    values = live;
    nan = dead * n_k;  // for now: cells of dead rows
    masked = n_q * n_k - values - nan;
    const std::lock_guard lock(mutex_);
    counted_[static_cast<std::size_t>(place)] = counts;
  }
  const Index of_dead_rows = nan;
  nan = 0;
  if (stage == Stage::weights && std::isnan(dead_weight())) nan = of_dead_rows;
  else if (stage == Stage::weights && dead_weight() > 0) values += of_dead_rows;
  else masked += of_dead_rows;
  return counts;
}

namespace {

class StageSource : public DemandMatrices {
 public:
  StageSource(std::shared_ptr<const ScoreSource> scores, Stage stage)
      : DemandMatrices(scores->shape()[2], scores->shape()[3]), scores_(std::move(scores)), stage_(stage) {}

  void fill(Index first, Index count, float* to) const override {
    const Index heads = scores_->shape()[1];
    while (count > 0) {
      const Index row = first / cols(), col = first % cols(), part = std::min(count, cols() - col);
      scores_->row(stage_, row / rows() / heads, row / rows() % heads, row % rows(), col, part, to);
      first += part;
      count -= part;
      to += part;
    }
  }
  std::vector<BlockExtremes> extremes(Index matrix, std::span<const Index> row_cuts, std::span<const Index> col_cuts,
                                      Index rows_a_band) const override {
    const Index heads = scores_->shape()[1];
    return scores_->extremes(stage_, matrix / heads, matrix % heads, row_cuts, col_cuts, rows_a_band);
  }
  KindCounts kinds(Index matrix) const override {
    const Index heads = scores_->shape()[1];
    return scores_->kinds(stage_, matrix / heads, matrix % heads);
  }

 private:
  std::shared_ptr<const ScoreSource> scores_;
  Stage stage_;
};

/// Whole rows of what the heads gather, for as many as a tile touches.
class RowSource : public DemandSource {
 public:
  explicit RowSource(Index width) : width_(width) {}
  void fill(Index first, Index count, float* to) const override {
    const Index row = first / width_, rows = (first + count + width_ - 1) / width_ - row;
    Buffer numbers(static_cast<std::size_t>(rows * width_));
    fill_rows(row, rows, numbers.data());
    std::copy_n(numbers.begin() + (first - row * width_), count, to);
  }

 protected:
  virtual void fill_rows(Index row, Index rows, float* to) const = 0;
  Index width() const { return width_; }

 private:
  Index width_;
};

class HeadRows : public RowSource {
 public:
  HeadRows(std::shared_ptr<const ScoreSource> scores, Index d) : RowSource(d), scores_(std::move(scores)) {}

 private:
  void fill_rows(Index row, Index rows, float* to) const override {
    const Index n_q = scores_->shape()[2], heads = scores_->shape()[1];
    while (rows > 0) {
      const Index matrix = row / n_q, q = row % n_q, part = std::min(rows, n_q - q);
      scores_->head_outputs(matrix / heads, matrix % heads, q, part, to, width());
      row += part;
      rows -= part;
      to += part * width();
    }
  }
  std::shared_ptr<const ScoreSource> scores_;
};

class ConcatRows : public RowSource {
 public:
  ConcatRows(std::shared_ptr<const ScoreSource> scores, Index d, Tensor weight, Tensor bias)
      : RowSource(weight.defined() ? weight.size(0) : scores->shape()[1] * d), scores_(std::move(scores)), d_(d), weight_(std::move(weight)), bias_(std::move(bias)) {}

 private:
  void fill_rows(Index row, Index rows, float* to) const override {
    const Index n_q = scores_->shape()[2], heads = scores_->shape()[1], channels = heads * d_;
    Buffer concat(static_cast<std::size_t>(rows * channels));
    for (Index done = 0; done < rows;) {
      const Index b = (row + done) / n_q, q = (row + done) % n_q, part = std::min(rows - done, n_q - q);
      for (Index h = 0; h < heads; ++h) scores_->head_outputs(b, h, q, part, concat.data() + done * channels + h * d_, channels);
      done += part;
    }
    const Tensor made = project(Tensor({1, rows, channels}, std::move(concat)), weight_, bias_, {});
    std::ranges::copy(made.values(), to);
  }
  std::shared_ptr<const ScoreSource> scores_;
  Index d_;
  Tensor weight_, bias_;
};

}  // namespace

Tensor stage_on_demand(std::shared_ptr<const ScoreSource> source, Stage stage) {
  const Shape shape = source->shape();
  return demand_tensor(shape, std::make_shared<StageSource>(std::move(source), stage));
}

Tensor head_outputs_on_demand(std::shared_ptr<const ScoreSource> source, Index d_head) {
  const Shape s = source->shape();
  return demand_tensor({s[0], s[1], s[2], d_head}, std::make_shared<HeadRows>(std::move(source), d_head), 16 * d_head);
}

Tensor concat_on_demand(std::shared_ptr<const ScoreSource> source, Index d_head, const Tensor& weight, const Tensor& bias) {
  const Shape s = source->shape();
  const Index width = weight.defined() ? weight.size(0) : s[1] * d_head;
  return demand_tensor({s[0], s[2], width}, std::make_shared<ConcatRows>(std::move(source), d_head, weight, bias), width);
}

}  // namespace headlight
