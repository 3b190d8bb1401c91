#include "core/compute/attention/score_source.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/compute/attention/projection.h"
#include "core/compute/attention/workers.h"

namespace headlight {
namespace {

constexpr Index keys_in_cache = 8 * depth_a_block;

/// The smallest and the largest value of some rows, for each key. Each thread has one and keeps it from band to band;
/// end() resets only the keys that the band has touched.
class Folds {
 public:
  void begin(Index keys) {
    if (clean_ && low_.size() == static_cast<std::size_t>(keys)) {
      clean_ = false;
      return;
    }
    low_.assign(static_cast<std::size_t>(keys), infinity);
    high_.assign(static_cast<std::size_t>(keys), -infinity);
    nan_.assign(static_cast<std::size_t>(keys), 0);
    clean_ = false;  // false until end()
    first_ = keys;
    end_ = 0;
  }
  void add(const float* x, Index key, Index count) {
    touch(key, count);
    kernels().fold(x, count, low_.data() + key, high_.data() + key, nan_.data() + key);
  }
  void add_all(float value, Index key, Index count) {
    touch(key, count);
    for (Index k = key; k < key + count; ++k) {
      float &low = low_[static_cast<std::size_t>(k)], &high = high_[static_cast<std::size_t>(k)];
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  /// Extends the cell's extremes with those of keys [k0, k1).
  void join(Index k0, Index k1, BlockExtremes& cell) {
    const Kernels& use = kernels();
    k0 = std::max(k0, first_);
    k1 = std::min(k1, end_);
    if (k0 >= k1) return;
    cell.high = use.largest(high_.data() + k0, k1 - k0, cell.high);
    cell.nan = cell.nan || use.largest(nan_.data() + k0, k1 - k0, 0) != 0;
    use.scale(low_.data() + k0, k1 - k0, -1);
    cell.low = -use.largest(low_.data() + k0, k1 - k0, -cell.low);
  }
  void end() {
    if (first_ < end_) {
      std::fill(low_.begin() + first_, low_.begin() + end_, infinity);
      std::fill(high_.begin() + first_, high_.begin() + end_, -infinity);
      std::fill(nan_.begin() + first_, nan_.begin() + end_, 0.0F);
    }
    first_ = static_cast<Index>(low_.size());
    end_ = 0;
    clean_ = true;
  }

 private:
  void touch(Index key, Index count) {
    first_ = std::min(first_, key);
    end_ = std::max(end_, key + count);
  }
  Buffer low_, high_, nan_;
  Index first_ = 0, end_ = 0;  // the touched keys
  bool clean_ = false;
};

// Adds the mask of a tile's rows: 0 and 1, and 0 for keys that are skipped.
void fold_mask(ScoreTile& tile, Folds& folds, Index keys) {
  Index next = 0;
  for (const ScoreTile::Segment& s : tile.segments) {
    folds.add_all(0, next, s.first - next);
    next = s.end;
    if (!s.masked) folds.add_all(1, s.first, s.count());
    for (Index i = 0; s.masked && i < tile.count; ++i) folds.add(tile.read_mask(i, s), s.first, s.count());
  }
  folds.add_all(0, next, keys - next);
}

/// The buffers of a thread for bands of rows, kept from band to band.
struct BandBuffers {
  Folds folds;
  ScoreTile tile;
  std::vector<ScoreTile::Segment> segments;
};

/// Adds the tile's rows of a stage to the extremes of each key. Returns whether one of the rows may attend to no key.
bool fold_tile(const ScoreRows& rows, Stage stage, BandBuffers& buffers) {
  const Index n_k = rows.shape()[3];
  Folds& folds = buffers.folds;
  ScoreTile& tile = buffers.tile;
  if (stage == Stage::mask) {
    if (!tile.mask) tile.mask = rows.reader();
    tile.segments.clear();
    rows.add_segments(tile, 0, n_k, true);
    fold_mask(tile, folds, n_k);
    return false;
  }
  const bool after_mask = rows.is_after_mask(stage);
  rows.open(tile, stage);
  const auto add_all_rows = [&] {
    for (const ScoreTile::Segment& s : tile.segments) {
      for (Index i = 0; i < tile.count; ++i) {
        if (after_mask && !tile.is_live(i)) continue;
        float* const x = tile.at(i, s);
        if (s.masked) kernels().mask(x, tile.read_mask(i, s), s.count(), -infinity);
        folds.add(x, s.first, s.count());
      }
    }
  };
  if (stage == Stage::weights) {
    rows.score(tile, Stage::masked_scores);
    rows.weigh(tile);
    add_all_rows();
    bool has_dead_row = false;
    for (Index i = 0; i < tile.count; ++i) has_dead_row = has_dead_row || (after_mask && !tile.is_live(i));
    return has_dead_row;
  }
  // Before the softmax the keys are independent: some keys at a time, so that they stay in the cache.
  buffers.segments.swap(tile.segments);
  for (const ScoreTile::Segment& s : buffers.segments) {
    for (Index k = s.first; k < s.end; k += keys_in_cache) {
      tile.segments.assign(1, {k, std::min(k + keys_in_cache, s.end), 0, s.masked});
      rows.score(tile, stage);
      add_all_rows();
    }
  }
  return false;
}

Index allowed_in(const float* mask, Index count) { return static_cast<Index>(std::count(mask, mask + count, 1.0F)); }

}  // namespace

ScoreSource::ScoreSource(ScoreSteps steps, Shape shape, std::shared_ptr<const ReadableMask> rule, int threads)
    : rows_(std::move(steps), std::move(shape), std::move(rule), threads) {
  counted_.resize(static_cast<std::size_t>(this->shape()[0] * this->shape()[1]));
}

void ScoreSource::row(Stage stage, Index b, Index h, Index q, Index k0, Index count, float* to) const {
  if (stage == Stage::mask) return rows_.reader()->read(b, h, q, k0, count, to);
  static thread_local ScoreTile tile;
  tile.look_at(b, h);
  tile.count = 1;
  tile.q[0] = q;
  if (stage == Stage::weights) {
    rows_.open(tile, stage);
    rows_.score(tile, Stage::masked_scores);
    rows_.weigh(tile);
    std::fill_n(to, count, tile.is_live(0) ? 0.0F : rows_.dead_weight());
    for (const ScoreTile::Segment& s : tile.segments) {
      const Index first = std::max(s.first, k0), end = std::min(s.end, k0 + count);
      if (first < end) kernels().copy(tile.at(0, s) + first - s.first, to + first - k0, end - first);
    }
    return;
  }
  rows_.open(tile, Stage::scores);  // no key is skipped
  const Index begin = k0 / depth_a_block * depth_a_block;
  tile.segments = {{begin, k0 + count, 0, false}};
  rows_.score(tile, stage);
  kernels().copy(tile.numbers.data() + k0 - begin, to, count);
  if (stage != Stage::masked_scores || !rows_.rule()) return;
  kernels().mask(to, tile.read_mask(0, {k0, k0 + count, 0, true}), count, rows_.steps().fill.fill);
}

void ScoreSource::prepare(Index b, Index h, const std::stop_token& stop) const {
  rows_.keys(b, h / rows_.group(), stop);
  rows_.values(b, h / rows_.group(), stop);
}

void ScoreSource::head_outputs(Index b, Index h, Index q, Index count, float* to, Index stride) const {
  const PackedMatrix& packed = rows_.values(b, h / rows_.group());
  const Index d = rows_.steps().values.size(3);
  static thread_local ScoreTile tile;
  tile.look_at(b, h);
  for (Index done = 0; done < count; done += tile.count) {
    tile.count = std::min(ScoreTile::most_rows, count - done);
    for (Index i = 0; i < tile.count; ++i) tile.q[static_cast<std::size_t>(i)] = q + done + i;
    rows_.open(tile, Stage::weights);
    rows_.score(tile, Stage::masked_scores);
    rows_.weigh(tile);
    float* const rows = to + done * stride;
    for (Index i = 0; i < tile.count; ++i) {
      float* const row = rows + i * stride;
      const float weight = tile.is_live(i) ? 0.0F : rows_.dead_weight();
      std::fill_n(row, d, weight * 0.0F);  // NaN if the weights are NaN
      if (tile.is_live(i)) continue;
      if (weight > 0) {
        const MatrixView values = rows_.plain_values(b, h / rows_.group());
        for (Index k = 0; k < values.rows; ++k) {
          for (Index j = 0; j < d; ++j) row[j] += weight * values(k, j);
        }
      }
      // The output of a dead row is already complete.
      for (const ScoreTile::Segment& s : tile.segments) std::fill_n(tile.at(i, s), s.count(), 0.0F);
    }
    for (const ScoreTile::Segment& s : tile.segments) {
      packed.add_part({tile.at(0, s), tile.count, s.count(), tile.stride, 1}, s.first, {rows, tile.count, d, stride});
    }
  }
}

std::vector<BlockExtremes> ScoreSource::extremes(Stage stage, Index b, Index h, std::span<const Index> row_cuts,
                                                 std::span<const Index> col_cuts, Index rows_a_band,
                                                 const std::stop_token& stop) const {
  const Index bands = static_cast<Index>(row_cuts.size()) - 1, cols = static_cast<Index>(col_cuts.size()) - 1;
  std::vector<BlockExtremes> result(static_cast<std::size_t>(bands * cols),
                                    BlockExtremes{infinity, -infinity, false, rows_.is_after_mask(stage)});
  if (stage != Stage::mask) rows_.keys(b, h / rows_.group(), stop);
  Workers workers;
  workers.stop = stop;
  workers.threads = rows_.threads();
  workers.run(bands, 1e9, [&](Index band) {
    static thread_local BandBuffers buffers;
    Folds& folds = buffers.folds;
    ScoreTile& tile = buffers.tile;
    folds.begin(shape()[3]);
    tile.look_at(b, h);
    const Index first = row_cuts[static_cast<std::size_t>(band)], end = row_cuts[static_cast<std::size_t>(band + 1)];
    const Index wanted = rows_a_band > 0 ? std::min(rows_a_band, end - first) : end - first;
    bool has_dead_row = false;
    for (Index done = 0; done < wanted; done += tile.count) {
      tile.count = std::min(ScoreTile::most_rows, wanted - done);
      for (Index i = 0; i < tile.count; ++i)
        tile.q[static_cast<std::size_t>(i)] = first + (2 * (done + i) + 1) * (end - first) / (2 * wanted);
      has_dead_row = fold_tile(rows_, stage, buffers) || has_dead_row;
    }
    const float dead = has_dead_row && stage == Stage::weights ? rows_.dead_weight() : 0;
    for (Index col = 0; col < cols; ++col) {
      BlockExtremes& cell = result[static_cast<std::size_t>(band * cols + col)];
      folds.join(col_cuts[static_cast<std::size_t>(col)], col_cuts[static_cast<std::size_t>(col + 1)], cell);
      cell.nan = cell.nan || std::isnan(dead);
      if (!(dead > 0)) continue;
      cell.low = std::min(cell.low, dead);
      cell.high = std::max(cell.high, dead);
    }
    folds.end();
    tile.mask.reset();
  });
  return result;
}

ScoreSource::MaskCounts ScoreSource::mask_counts(Index b, Index h, const std::stop_token& stop) const {
  // Stored once for each different matrix of the mask: most masks are the same for every head.
  const std::unique_ptr<MaskReader> reader = rows_.reader();
  std::optional<MaskCounts>& kept =
      counted_[static_cast<std::size_t>((reader->by_batch() ? b * shape()[1] : 0) + (reader->by_head() ? h : 0))];
  {
    const std::lock_guard lock(mutex_);
    if (kept) return *kept;
  }
  const Index n_q = shape()[2], n_k = shape()[3], tiles = (n_q + ScoreTile::most_rows - 1) / ScoreTile::most_rows;
  constexpr Index tiles_a_block = 16;
  std::atomic<Index> allowed{0}, dead_rows{0};
  Workers workers;
  workers.stop = stop;
  workers.threads = rows_.threads();
  workers.run((tiles + tiles_a_block - 1) / tiles_a_block, 1e9, [&](Index block) {
    ScoreTile tile(b, h);
    tile.mask = rows_.reader();
    for (Index t = block * tiles_a_block; t < std::min(tiles, (block + 1) * tiles_a_block); ++t) {
      const Index first = t * ScoreTile::most_rows;
      tile.count = std::min(ScoreTile::most_rows, n_q - first);
      for (Index i = 0; i < tile.count; ++i) tile.q[static_cast<std::size_t>(i)] = first + i;
      tile.segments.clear();
      rows_.add_segments(tile, 0, n_k, true);
      std::array<Index, ScoreTile::most_rows> allowed_in_row{};
      // Reading a segment for all rows is faster than reading row by row.
      for (const ScoreTile::Segment& s : tile.segments) {
        for (Index i = 0; i < tile.count; ++i) {
          allowed_in_row[static_cast<std::size_t>(i)] +=
              s.masked ? allowed_in(tile.read_mask(i, s), s.count()) : s.count();
        }
      }
      for (Index i = 0; i < tile.count; ++i) {
        allowed += allowed_in_row[static_cast<std::size_t>(i)];
        dead_rows += allowed_in_row[static_cast<std::size_t>(i)] == 0 ? 1 : 0;
      }
    }
  });
  const std::lock_guard lock(mutex_);
  kept = MaskCounts{allowed, dead_rows * n_k};
  return *kept;
}

KindCounts ScoreSource::kinds(Stage stage, Index b, Index h, const std::stop_token& stop) const {
  KindCounts counts{};
  const Index cells = shape()[2] * shape()[3];
  Index& values = counts[static_cast<std::size_t>(CellKind::value)];
  values = cells;
  if (!rows_.is_after_mask(stage)) return counts;
  const MaskCounts mask = mask_counts(b, h, stop);
  const float dead = stage == Stage::weights ? rows_.dead_weight() : 0;
  Index& nan = counts[static_cast<std::size_t>(CellKind::nan)];
  if (std::isnan(dead)) nan = mask.in_dead_rows;
  values = mask.allowed + (dead > 0 ? mask.in_dead_rows : 0);
  counts[static_cast<std::size_t>(CellKind::masked)] = cells - values - nan;
  return counts;
}

namespace {

// A block has at least this many numbers: each block of head outputs reads all keys, and rows can be short.
constexpr Index least_at_once = 1024;

class StageSource : public MatrixSource {
 public:
  StageSource(std::shared_ptr<const ScoreSource> scores, Stage stage)
      : MatrixSource(scores->shape()[2], scores->shape()[3]), scores_(std::move(scores)), stage_(stage) {}

  bool knows_blocks() const override { return true; }
  std::vector<BlockExtremes> extremes(Index matrix, std::span<const Index> row_cuts, std::span<const Index> col_cuts,
                                      Index rows_a_band, const std::stop_token& stop) const override {
    return scores_->extremes(stage_, matrix / heads(), matrix % heads(), row_cuts, col_cuts, rows_a_band, stop);
  }
  KindCounts kinds(Index matrix, const std::stop_token& stop) const override {
    return scores_->kinds(stage_, matrix / heads(), matrix % heads(), stop);
  }

 private:
  Index heads() const { return scores_->shape()[1]; }
  void compute(Index matrix, Index row, Index rows, Index col, Index cols, float* to) const override {
    for (Index i = 0; i < rows; ++i, to += cols)
      scores_->row(stage_, matrix / heads(), matrix % heads(), row + i, col, cols, to);
  }
  std::shared_ptr<const ScoreSource> scores_;
  Stage stage_;
};

class HeadRows : public MatrixSource {
 public:
  HeadRows(std::shared_ptr<const ScoreSource> scores, Index d)
      : MatrixSource(scores->shape()[2], d, std::max(least_at_once, rows_at_once * d)), scores_(std::move(scores)) {}
  void prepare(Index at, const std::stop_token& stop) const override {
    const Index matrix = at / (rows() * cols());
    scores_->prepare(matrix / heads(), matrix % heads(), stop);
  }

 private:
  static constexpr Index rows_at_once = 16;
  Index heads() const { return scores_->shape()[1]; }
  void compute(Index matrix, Index row, Index rows, Index, Index, float* to) const override {
    scores_->head_outputs(matrix / heads(), matrix % heads(), row, rows, to, cols());
  }
  std::shared_ptr<const ScoreSource> scores_;
};

class ConcatRows : public MatrixSource {
 public:
  ConcatRows(std::shared_ptr<const ScoreSource> scores, Index d, Index width, Tensor weight, Tensor bias)
      : MatrixSource(scores->shape()[2], width, std::max(least_at_once, width)),
        scores_(std::move(scores)),
        d_(d),
        weight_(std::move(weight)),
        bias_(std::move(bias)) {}
  void prepare(Index at, const std::stop_token& stop) const override {
    for (Index h = 0; h < heads(); ++h) scores_->prepare(at / (rows() * cols()), h, stop);
  }

 private:
  Index heads() const { return scores_->shape()[1]; }
  void compute(Index b, Index row, Index rows, Index, Index, float* to) const override {
    const Index channels = heads() * d_;
    Buffer concat(static_cast<std::size_t>(rows * channels));
    for (Index h = 0; h < heads(); ++h) scores_->head_outputs(b, h, row, rows, concat.data() + h * d_, channels);
    const Tensor output = project(Tensor({1, rows, channels}, std::move(concat)), weight_, bias_, {});
    std::ranges::copy(output.values(), to);
  }
  std::shared_ptr<const ScoreSource> scores_;
  Index d_;
  Tensor weight_, bias_;
};

}  // namespace

Tensor stage_on_demand(std::shared_ptr<const ScoreSource> source, Stage stage) {
  const Shape shape = source->shape();
  return Tensor::computed_by(shape, std::make_shared<StageSource>(std::move(source), stage));
}

Tensor head_outputs_on_demand(std::shared_ptr<const ScoreSource> source, Index d_head) {
  const Shape s = source->shape();
  return Tensor::computed_by({s[0], s[1], s[2], d_head}, std::make_shared<HeadRows>(std::move(source), d_head));
}

Tensor concat_on_demand(std::shared_ptr<const ScoreSource> source, Index d_head, const Tensor& weight,
                        const Tensor& bias) {
  const Shape s = source->shape();
  const Index width = weight.defined() ? weight.size(0) : s[1] * d_head;
  return Tensor::computed_by({s[0], s[2], width},
                             std::make_shared<ConcatRows>(std::move(source), d_head, width, weight, bias));
}

}  // namespace headlight
