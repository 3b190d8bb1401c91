#include "core/base/tensor/matrix_source.h"

#include <atomic>

#include "tests/catch.h"

using namespace headlight;

namespace {

/// Two matrices whose cells are their positions. Counts the numbers that it computes.
class Places : public MatrixSource {
 public:
  using MatrixSource::MatrixSource;
  mutable std::atomic<Index> computed{0};

 private:
  void compute(Index matrix, Index row, Index rows, Index col, Index count, float* to) const override {
    computed += rows * count;
    for (Index r = row; r < row + rows; ++r) {
      for (Index c = col; c < col + count; ++c) *to++ = static_cast<float>((matrix * this->rows() + r) * cols() + c);
    }
  }
};

}  // namespace

TEST_CASE("cells, rows and blocks of a matrix on demand are those of its source", "[tensor]") {
  for (const auto& [rows, cols, at_once] : {std::array<Index, 3>{7, 5, 12}, {3, 50, 16}, {40, 3, 4096}, {2, 9, 1}}) {
    CAPTURE(rows, cols, at_once);
    const Tensor made = Tensor::computed_by({2, rows, cols}, std::make_shared<Places>(rows, cols, at_once));
    const Tensor held = made.contiguous();
    CHECK(made.source());
    CHECK_FALSE(held.source());
    Index wrong = 0;
    for (Index i = 0; i < made.count(); ++i)
      wrong += held.values()[static_cast<std::size_t>(i)] != static_cast<float>(i);
    for (Index b = 0; b < 2; ++b) {
      for (const auto& [read, from] : {std::pair{made, held}, {made.transpose(1, 2), held.transpose(1, 2)}}) {
        const MatrixView a = read.matrix(b), all = from.matrix(b);
        const MatrixView part = a.part(1, a.rows - 1, 1, a.cols - 1), same = all.part(1, a.rows - 1, 1, a.cols - 1);
        Buffer room;
        for (Index row = 0; row < part.rows; ++row) {
          const float* const whole = part.whole_row(row, room);
          for (Index col = 0; col < part.cols; ++col) {
            wrong += part(row, col) != same(row, col);
            wrong += whole[col] != same(row, col);
          }
        }
      }
    }
    CHECK(wrong == 0);
    Buffer some(static_cast<std::size_t>(cols + 2));
    made.read(cols - 1, cols + 2, some.data());
    CHECK(some.front() == static_cast<float>(cols - 1));
    CHECK(some.back() == static_cast<float>(2 * cols));
  }
}

TEST_CASE("recently read parts of a matrix are not computed again, and a row is computed once", "[tensor]") {
  constexpr Index cols = 10000;
  const auto source = std::make_shared<Places>(100, cols);
  const Tensor made = Tensor::computed_by({1, 100, cols}, source);
  Buffer room;
  made.matrix().whole_row(3, room);
  CHECK(source->computed == cols);
  CHECK(made.at({0, 3, 9999}) == 39999);
  CHECK(made.at({0, 3, 0}) == 30000);
  CHECK(source->computed == cols);
  CHECK(made.at({0, 4, 0}) == 40000);
  CHECK(source->computed < 2 * cols);
}

TEST_CASE("a matrix is identical only to itself, and views read the right cells of it", "[tensor]") {
  const Tensor made = Tensor::computed_by({2, 6, 4}, std::make_shared<Places>(6, 4)),
               other = Tensor::computed_by({2, 6, 4}, std::make_shared<Places>(6, 4));
  CHECK(identical(made, Tensor(made)));
  CHECK_FALSE(identical(made, other));
  CHECK(made.slice(0, 1, 1).view({6, 4}).source() == made.source());
  CHECK(made.slice(0, 1, 1).view({6, 4}).at({2, 3}) == 35);
}
