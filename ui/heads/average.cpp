#include "ui/heads/average.h"

#include <algorithm>

namespace headlight {

void HeadsAverage::want(const Tensor& values, const Tensor& mask, Index batch, const std::vector<Index>& heads) {
  if (values_.defined() && identical(values, values_) && identical(mask, mask_) && batch == batch_ && heads == heads_)
    return;
  const MatrixView shape = values.matrix();
  values_ = values;
  mask_ = mask;
  batch_ = batch;
  heads_ = heads;
  sums_.assign(static_cast<std::size_t>(shape.rows * shape.cols), 0);
  any_.assign(mask.defined() ? sums_.size() : 0, 0);
  next_row_ = 0;
  rows_ = shape.rows;
  mean_ = allowed_ = {};
}

void HeadsAverage::drop() { *this = {}; }

void HeadsAverage::advance(Index numbers) {
  if (!busy()) return;
  const Index cols = values_.size(-1);
  const Index a_row = std::max<Index>(cols * static_cast<Index>(heads_.size()), 1);
  const Index last = std::min(rows_, next_row_ + std::max<Index>(numbers / a_row, 1));
  for (; next_row_ < last; ++next_row_) add_row(next_row_);
  if (next_row_ < rows_) return;
  mean_ = Tensor({1, 1, rows_, cols}, std::move(sums_));
  if (mask_.defined()) allowed_ = Tensor({1, 1, rows_, cols}, std::move(any_));
}

void HeadsAverage::add_row(Index row) {
  const Index cols = values_.size(-1);
  float* sums = sums_.data() + row * cols;
  for (const Index head : heads_) {
    const MatrixView matrix = values_.matrix(batch_, head);
    for (Index col = 0; col < cols; ++col) sums[col] += matrix(row, col);
  }
  for (Index col = 0; col < cols; ++col) sums[col] /= static_cast<float>(heads_.size());
  if (!mask_.defined()) return;
  float* any = any_.data() + row * cols;
  for (const Index head : heads_) {
    const MatrixView mask = mask_.matrix(batch_, head);
    for (Index col = 0; col < cols; ++col) any[col] = std::max(any[col], mask(row, col));
  }
}

float HeadsAverage::share() const { return rows_ > 0 ? static_cast<float>(next_row_) / static_cast<float>(rows_) : 0; }

}  // namespace headlight
