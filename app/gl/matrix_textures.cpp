#include "app/gl/matrix_textures.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <new>
#include <stop_token>

#include "core/base/parallel/worker.h"
#include "core/base/tensor/error.h"
#include "core/figures/figure/colormap.h"
#include "core/rules/stage/pool.h"

namespace headlight {
namespace {

// An entry keeps its tensors alive, and with them a whole stage of a trace, so it must be freed soon.
constexpr std::uint64_t frames_kept = 2;
constexpr std::size_t levels_kept = 6;

/// The matrix of the key and its masks, as views. An expanded mask is a new tensor that must live as long as its view.
struct Source {
  explicit Source(const MatrixKey& key) : matrix(key.values.matrix(key.batch, key.head)) {
    masks.show_leaks = key.show_leaks;
    if (key.mask.defined()) {
      mask = key.mask.expand(key.values.shape());
      masks.allowed = mask.matrix(key.batch, key.head);
    }
    if (key.kept.defined()) {
      kept = key.kept.expand(key.values.shape());
      masks.kept = kept.matrix(key.batch, key.head);
    }
    if (key.row_ranges) {
      scaled = normalise_rows(matrix, masks, key.kind);
      matrix = {scaled.data(), matrix.rows, matrix.cols, matrix.cols, 1};
    }
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  MatrixView matrix;
  CellMasks masks;
  Tensor mask, kept;
  Buffer scaled;
};

}  // namespace

/// Cells in the format of the texture, and which kinds there are.
struct Texels {
  std::vector<std::uint32_t> bits;
  bool hatched = false, marked = false;

  static Texels blank(Index rows, Index cols) {
    Texels out(rows * cols);
    for (Index i = 0; i < rows * cols; ++i) out.add(0, CellKind::masked);
    return out;
  }
  explicit Texels(Index count) { bits.reserve(static_cast<std::size_t>(count)); }
  void add(float value, CellKind kind) {
    const bool hatch = kind == CellKind::masked || kind == CellKind::neg_inf;
    hatched |= hatch;
    marked |= !hatch && kind != CellKind::value;
    bits.push_back(kind == CellKind::value ? std::bit_cast<std::uint32_t>(value)
                                           : 0x7FC00000u | static_cast<std::uint32_t>(kind));
  }
};

namespace {

Texels texels_of(const MatrixView& matrix, const CellMasks& masks) {
  Texels out(matrix.rows * matrix.cols);
  for (Index row = 0; row < matrix.rows; ++row) {
    for (Index col = 0; col < matrix.cols; ++col) out.add(matrix(row, col), classify(matrix, masks, row, col));
  }
  return out;
}

Texels texels_of(const PooledMatrix& cells) {
  Texels out(cells.rows * cells.cols);
  for (std::size_t at = 0; at < cells.values.size(); ++at) out.add(cells.values[at], cells.kinds[at]);
  return out;
}

/// The length of an axis of `cells` for `pixels`: halved as long as there is at least one cell for each pixel.
int level_length(Index cells, int pixels, int largest) {
  while (cells >= 2 * Index{pixels} || cells > largest) cells = (cells + 1) / 2;
  return static_cast<int>(cells);
}

bool same_row(const MatrixView& a, const MatrixView& b, Index row) {
  if (a.col_stride == 1 && b.col_stride == 1) {
    return std::memcmp(a.data + row * a.row_stride, b.data + row * b.row_stride,
                       static_cast<std::size_t>(a.cols) * sizeof(float)) == 0;
  }
  for (Index col = 0; col < a.cols; ++col) {
    if (std::memcmp(&a.data[row * a.row_stride + col * a.col_stride], &b.data[row * b.row_stride + col * b.col_stride],
                    sizeof(float)) != 0) {
      return false;
    }
  }
  return true;
}

/// Whether only the values differ, and have the same shape.
bool differs_in_values_only(const MatrixKey& a, const MatrixKey& b) {
  return a.values.shape() == b.values.shape() && a.batch == b.batch && a.head == b.head && !a.values.source() &&
         !b.values.source() && !a.row_ranges && !b.row_ranges && !a.mask.defined() && !b.mask.defined() &&
         !a.kept.defined() && !b.kept.defined();
}

// The rows of a computed matrix that a frame may wait for.
constexpr Index rows_looked_at = 256;

Texels texels_of(const MatrixKey& key, int rows, int cols, float centre, const std::stop_token& stop = {}) {
  const Source source(key);
  if (rows == source.matrix.rows && cols == source.matrix.cols) return texels_of(source.matrix, source.masks);
  return texels_of(key.means ? pool_means(source.matrix, rows, cols)
                             : pool(source.matrix, source.masks, rows, cols, centre, rows_looked_at, stop));
}

}  // namespace

/// Makes the textures that frames request, one matrix after another. Requests that no frame repeats are dropped.
class MatrixTextures::Background {
 public:
  Background() : worker_([this] { return make_one(); }) {}
  ~Background() {
    const std::lock_guard lock(mutex_);
    jobs_.clear();
    stop_.request_stop();
  }

  /// Null until the texels are made. They must be requested in every frame, or they are dropped.
  std::shared_ptr<const Texels> find(const MatrixKey& key, int rows, int cols, float centre) {
    const std::lock_guard lock(mutex_);
    for (Job& job : jobs_) {
      if (job.rows != rows || job.cols != cols || job.centre != centre || !job.key.matches(key)) continue;
      job.wanted = true;
      return job.made;
    }
    jobs_.push_back({key, rows, cols, centre, ++last_number_, true, nullptr});
    worker_.call();
    return nullptr;
  }

  void begin_frame() {
    const std::lock_guard lock(mutex_);
    std::erase_if(jobs_, [this](const Job& job) {
      if (!job.wanted && job.number == under_way_) stop_.request_stop();
      return !job.wanted;
    });
    for (Job& job : jobs_) job.wanted = false;
  }

 private:
  struct Job {
    MatrixKey key;
    int rows, cols;
    float centre;
    std::uint64_t number;
    bool wanted;
    std::shared_ptr<const Texels> made;
  };

  bool make_one() {
    std::unique_lock lock(mutex_);
    const auto next = std::ranges::find(jobs_, nullptr, &Job::made);
    if (next == jobs_.end()) return false;
    const Job job = *next;
    under_way_ = job.number;
    stop_ = std::stop_source();
    const std::stop_token stop = stop_.get_token();
    lock.unlock();
    std::shared_ptr<const Texels> made;
    try {
      made = std::make_shared<const Texels>(texels_of(job.key, job.rows, job.cols, job.centre, stop));
    } catch (const Cancelled&) { return true; } catch (const std::bad_alloc&) {
      made = std::make_shared<const Texels>(Texels::blank(job.rows, job.cols));
    }
    lock.lock();
    const auto job_in_list = std::ranges::find(jobs_, job.number, &Job::number);
    if (job_in_list != jobs_.end()) job_in_list->made = std::move(made);
    return true;
  }

  std::mutex mutex_;
  std::vector<Job> jobs_;
  std::uint64_t last_number_ = 0, under_way_ = 0;
  std::stop_source stop_;
  Worker worker_;
};

MatrixKey::MatrixKey(const MatrixQuad& quad)
    : values(quad.values),
      mask(quad.mask),
      kept(quad.kept),
      batch(quad.batch),
      head(quad.head),
      show_leaks(quad.show_leaks),
      row_ranges(quad.row_ranges),
      means(quad.means),
      kind(quad.colormap->kind()) {}

template <typename Matrix>
bool MatrixKey::matches(const Matrix& other, ColormapKind other_kind) const {
  return batch == other.batch && head == other.head && show_leaks == other.show_leaks &&
         row_ranges == other.row_ranges && means == other.means && (!row_ranges || kind == other_kind) &&
         identical(values, other.values) && identical(mask, other.mask) && identical(kept, other.kept);
}

bool MatrixKey::matches(const MatrixQuad& quad) const { return matches(quad, quad.colormap->kind()); }
bool MatrixKey::matches(const MatrixKey& other) const { return matches(other, other.kind); }

MatrixTextures::MatrixTextures() : largest_(max_texture_size()) {}
MatrixTextures::~MatrixTextures() = default;

void MatrixTextures::make_in_background() { background_ = std::make_unique<Background>(); }

void MatrixTextures::begin_frame() {
  ++frame_;
  next_ = place_ = 0;
  spent_ = {};
  lacks_ = false;
  if (background_) background_->begin_frame();
  std::erase_if(entries_, [this](const Entry& entry) { return entry.last_used + frames_kept < frame_; });
}

const MatrixLevel* MatrixTextures::find(const MatrixQuad& quad, int width, int height, float centre) {
  Entry& entry = entry_of(quad);
  entry.last_used = frame_;
  entry.place = place_++;
  const MatrixView matrix = quad.values.matrix(quad.batch, quad.head);
  int rows = level_length(matrix.rows, height, largest_), cols = level_length(matrix.cols, width, largest_);
  if ((rows > height || cols > width) && (quad.means || stays(entry, width, height))) {
    rows = std::min(rows, height);
    cols = std::min(cols, width);
  }
  const bool pooled = rows != matrix.rows || cols != matrix.cols;
  for (MatrixLevel& level : entry.levels) {
    if (level.rows == rows && level.cols == cols && (!pooled || level.centre == centre)) {
      level.last_used = frame_;
      return &level;
    }
  }
  if (spent_.count() > 0 && spent_ >= budget_) {
    lacks_ = true;
    return nullptr;
  }
  std::shared_ptr<const Texels> made;
  if (background_ && quad.values.source()) {
    made = background_->find(entry.key, rows, cols, centre);
    lacks_ |= !made;
    if (!made) return entry.levels.empty() ? nullptr : &entry.levels.back();
  }
  const auto start = std::chrono::steady_clock::now();
  MatrixLevel& level = add_level(entry, rows, cols, centre);
  level.pooled = pooled;
  const Texels texels = made ? *made : texels_of(entry.key, rows, cols, centre);
  level.cells = make_texture(TexelFormat::r32ui, cols, rows, texels.bits.data(), cols);
  level.hatched = texels.hatched;
  level.marked = texels.marked;
  ++uploads_;
  uploaded_texels_ += static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols);
  spent_ += std::chrono::steady_clock::now() - start;
  return &level;
}

MatrixLevel& MatrixTextures::add_level(Entry& entry, int rows, int cols, float centre) {
  if (entry.levels.size() >= levels_kept) {
    std::erase_if(entry.levels, [this](const MatrixLevel& each) { return each.last_used < frame_; });
  }
  MatrixLevel& level = entry.levels.emplace_back();
  level.rows = rows;
  level.cols = cols;
  level.centre = centre;
  level.last_used = frame_;
  return level;
}

/// Whether this size was drawn in the last frame, or already in this one.
bool MatrixTextures::stays(Entry& entry, int width, int height) {
  std::erase_if(entry.sizes, [this](const Size& size) { return size.last_used + 1 < frame_; });
  for (Size& size : entry.sizes) {
    if (size.width != width || size.height != height) continue;
    size.last_used = frame_;
    return true;
  }
  entry.sizes.push_back({width, height, frame_});
  return false;
}

MatrixTextures::Entry& MatrixTextures::entry_of(const MatrixQuad& quad) {
  for (std::size_t step = 0; step < entries_.size(); ++step) {
    const std::size_t at = (next_ + step) % entries_.size();
    if (entries_[at].key.matches(quad)) {
      next_ = at + 1;
      return entries_[at];
    }
  }
  const MatrixKey key(quad);
  if (Entry* old = replaceable(key)) {
    replace_rows(*old, key);
    return *old;
  }
  next_ = entries_.size() + 1;
  return entries_.emplace_back(Entry{key, {}, {}, frame_, place_});
}

/// The plain matrix that the last frame drew at the same place in the order and this frame has not drawn yet.
MatrixTextures::Entry* MatrixTextures::replaceable(const MatrixKey& key) {
  for (Entry& entry : entries_) {
    if (entry.place == place_ && entry.last_used + 1 == frame_ && differs_in_values_only(entry.key, key)) return &entry;
  }
  return nullptr;
}

/// Changes the entry to the new key: uploads the rows from the first changed one to the last.
void MatrixTextures::replace_rows(Entry& entry, const MatrixKey& key) {
  const MatrixView before = entry.key.values.matrix(key.batch, key.head);
  const MatrixView after = key.values.matrix(key.batch, key.head);
  Index first = 0, last = after.rows;
  while (first < last && same_row(before, after, first)) ++first;
  while (last > first && same_row(before, after, last - 1)) --last;
  std::erase_if(entry.levels, [](const MatrixLevel& level) { return level.pooled || level.hatched || level.marked; });
  const MatrixView changed = after.part(first, last - first, 0, after.cols);
  const Texels texels = texels_of(changed, {});
  if (texels.hatched || texels.marked) entry.levels.clear();
  entry.key = key;
  if (changed.rows == 0) return;
  for (MatrixLevel& level : entry.levels) {
    update_texture(level.cells, TexelFormat::r32ui, level.cols, static_cast<int>(first), static_cast<int>(changed.rows),
                   texels.bits.data(), level.cols);
    ++uploads_;
    uploaded_texels_ += static_cast<std::uint64_t>(changed.rows * changed.cols);
  }
}

}  // namespace headlight
