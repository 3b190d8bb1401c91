#include "core/compute/attention/workers.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <exception>
#include <mutex>

#include "core/base/parallel/jobs.h"
#include "core/base/tensor/error.h"

namespace headlight {
namespace {

// With fewer operations than this, the work is done before another thread has started.
constexpr double least_thread_cost = 2e5;

// The state that the threads of one run share.
class Blocks {
 public:
  Blocks(const Workers& workers, Index count, const std::function<void(Index)>& body)
      : workers_(workers), count_(count), body_(body) {}

  // The caller takes blocks from the front, helpers from the back. So a thread gets blocks near those of its last run,
  // which its cache may still hold.
  void work(bool caller) {
    try {
      while (taken_++ < count_ && !failed_) {
        if (workers_.stop.stop_requested()) throw Cancelled();
        body_(caller ? front_++ : count_ - ++back_);
        const Index done = ++done_;
        if (caller) breathe();
        if (caller && workers_.progress) workers_.progress(static_cast<double>(done) / static_cast<double>(count_));
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      failed_ = true;
    }
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  const Workers& workers_;
  const Index count_;
  const std::function<void(Index)>& body_;
  std::atomic<Index> taken_ = 0, front_ = 0, back_ = 0, done_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

void Workers::run(Index blocks, double cost, const std::function<void(Index)>& body) const {
  Blocks shared(*this, blocks, body);
  const auto wanted = std::min({static_cast<Index>(threads), blocks, static_cast<Index>(cost / least_thread_cost)});
  work_together(static_cast<int>(wanted) - 1, [&shared](bool caller) { shared.work(caller); });
  shared.rethrow();
  if (progress) progress(1);
}

Tensor by_rows(const Shape& shape, double cost_per_cell, const Workers& workers,
               const std::function<void(Index, Index, Index, std::span<float>)>& write) {
  assert(shape.size() == 4);
  const Index heads = shape[1], n_q = shape[2], length = shape[3];
  const Index rows = shape[0] * heads * n_q;
  Buffer values(static_cast<std::size_t>(rows * length));
  const Index rows_a_block = std::max<Index>(1, 16384 / std::max<Index>(1, length));
  const Index blocks = (rows + rows_a_block - 1) / rows_a_block;
  workers.run(blocks, cost_per_cell * static_cast<double>(values.size()), [&](Index block) {
    const Index end = std::min(rows, (block + 1) * rows_a_block);
    for (Index row = block * rows_a_block; row < end; ++row) {
      write(row / (heads * n_q), row / n_q % heads, row % n_q,
            std::span(values.data() + row * length, static_cast<std::size_t>(length)));
    }
  });
  return Tensor(shape, std::move(values));
}

std::span<const float> row_of(const Tensor& tensor, Index b, Index h, Index q) {
  const MatrixView m = tensor.matrix(b, h);
  assert(m.data && (m.col_stride == 1 || m.cols == 1));
  return {m.data + q * m.row_stride, static_cast<std::size_t>(m.cols)};
}

}  // namespace headlight
