#include "core/attention/score_stages.h"

#include <algorithm>

#include "core/attention/projection.h"

namespace headlight {
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
                                      Index rows_a_band, const std::stop_token& stop) const override {
    const Index heads = scores_->shape()[1];
    return scores_->extremes(stage_, matrix / heads, matrix % heads, row_cuts, col_cuts, rows_a_band, stop);
  }
  KindCounts kinds(Index matrix, const std::stop_token& stop) const override {
    const Index heads = scores_->shape()[1];
    return scores_->kinds(stage_, matrix / heads, matrix % heads, stop);
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
  void prepare(Index index, const std::stop_token& stop) const override {
    const Index matrix = index / (scores_->shape()[2] * width()), heads = scores_->shape()[1];
    scores_->prepare(matrix / heads, matrix % heads, stop);
  }

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
      : RowSource(weight.defined() ? weight.size(0) : scores->shape()[1] * d),
        scores_(std::move(scores)),
        d_(d),
        weight_(std::move(weight)),
        bias_(std::move(bias)) {}
  void prepare(Index index, const std::stop_token& stop) const override {
    for (Index h = 0; h < scores_->shape()[1]; ++h) scores_->prepare(index / (scores_->shape()[2] * width()), h, stop);
  }

 private:
  void fill_rows(Index row, Index rows, float* to) const override {
    const Index n_q = scores_->shape()[2], heads = scores_->shape()[1], channels = heads * d_;
    Buffer concat(static_cast<std::size_t>(rows * channels));
    for (Index done = 0; done < rows;) {
      const Index b = (row + done) / n_q, q = (row + done) % n_q, part = std::min(rows - done, n_q - q);
      for (Index h = 0; h < heads; ++h)
        scores_->head_outputs(b, h, q, part, concat.data() + done * channels + h * d_, channels);
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

Tensor concat_on_demand(std::shared_ptr<const ScoreSource> source, Index d_head, const Tensor& weight,
                        const Tensor& bias) {
  const Shape s = source->shape();
  const Index width = weight.defined() ? weight.size(0) : s[1] * d_head;
  return demand_tensor({s[0], s[2], width}, std::make_shared<ConcatRows>(std::move(source), d_head, weight, bias),
                       width);
}

}  // namespace headlight
