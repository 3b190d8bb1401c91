#include "ui/heads/average.h"

#include <algorithm>

namespace headlight {

void HeadsAverage::want(const Tensor& values, Index batch, const std::vector<Index>& heads) {
  if (values_.defined() && identical(values, values_) && batch == batch_ && heads == heads_) return;
  const MatrixView shape = values.matrix();
  values_ = values;
  batch_ = batch;
  heads_ = heads;
  sums_.assign(static_cast<std::size_t>(shape.rows * shape.cols), 0);
  next_row_ = 0;
  rows_ = shape.rows;
  mean_ = {};
}

void HeadsAverage::drop() { *this = {}; }

void HeadsAverage::advance(Index numbers) {
  if (!busy()) return;
  const Index cols = values_.size(-1);
  const Index a_row = std::max<Index>(cols * static_cast<Index>(heads_.size()), 1);
  const Index last = std::min(rows_, next_row_ + std::max<Index>(numbers / a_row, 1));
  for (; next_row_ < last; ++next_row_) add_row(next_row_);
  if (next_row_ == rows_) mean_ = Tensor({1, 1, rows_, cols}, std::move(sums_));
}

void HeadsAverage::add_row(Index row) {
  const Index cols = values_.size(-1);
  float* sums = sums_.data() + row * cols;
  for (const Index head : heads_) {
    const MatrixView matrix = values_.matrix(batch_, head);
    for (Index col = 0; col < cols; ++col) sums[col] += matrix(row, col);
  }
  for (Index col = 0; col < cols; ++col) sums[col] /= static_cast<float>(heads_.size());
}

float HeadsAverage::share() const {
  return rows_ > 0 ? static_cast<float>(next_row_) / static_cast<float>(rows_) : 0;
}

}  // namespace headlight
