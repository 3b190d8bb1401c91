#include <limits>

#include "core/base/tensor/error.h"
#include "core/base/tensor/sampler.h"
#include "core/rules/stage/extent.h"
#include "tests/catch.h"
#include "tests/matchers.h"

using namespace headlight;

namespace {

constexpr float infinity = inf;

/// Random numbers with NaN, infinities and zeros among them.
Tensor odd_numbers(const Shape& shape, const char* stream) {
  const Tensor drawn = Sampler(3, stream).normal(shape);
  Buffer values(drawn.values().begin(), drawn.values().end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % 7 == 3) values[i] = 0;
    if (i % 41 == 5) values[i] = NaN;
    if (i % 43 == 6) values[i] = infinity;
    if (i % 47 == 7) values[i] = -infinity;
  }
  return Tensor(shape, std::move(values));
}

Tensor truths(const Shape& shape, const char* stream) {
  const Tensor drawn = Sampler(5, stream).normal(shape);
  Buffer values;
  for (const float v : drawn.values()) values.push_back(v > -0.5F ? 1.0F : 0.0F);
  return Tensor(shape, std::move(values));
}

Survey cell_by_cell(const MatrixView& m, const CellMasks& masks) {
  Survey all;
  for (Index row = 0; row < m.rows; ++row) {
    for (Index col = 0; col < m.cols; ++col) {
      const CellKind kind = classify(m, masks, row, col);
      ++all.kinds[static_cast<std::size_t>(kind)];
      if (kind != CellKind::value) continue;
      all.low = std::min(all.low, m(row, col));
      all.high = std::max(all.high, m(row, col));
    }
  }
  return all;
}

}  // namespace

TEST_CASE("a survey finds what a loop over cells finds, for any strides and masks") {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{1, 1}, {3, 16}, {5, 37}, {700, 801}}) {
    const Tensor values = odd_numbers({rows, cols}, "values"), allowed = truths({rows, cols}, "allowed"),
                 kept = truths({rows, cols}, "kept"), row = truths({1, cols}, "row");
    const MatrixView upright = values.matrix(), turned{values.matrix().data, cols, rows, 1, cols};
    MatrixView spread = row.matrix();  // all rows are the same memory
    spread.rows = rows;
    spread.row_stride = 0;
    const CellMasks covers[] = {{},
                                {allowed.matrix(), {}},
                                {{}, kept.matrix()},
                                {allowed.matrix(), kept.matrix()},
                                {allowed.matrix(), kept.matrix(), true},
                                {spread, {}, true}};
    for (const CellMasks& masks : covers) {
      CAPTURE(rows, cols, masks.show_leaks, masks.allowed.has_value(), masks.kept.has_value());
      const Survey quick = survey(upright, masks), slow = cell_by_cell(upright, masks);
      CHECK(quick.low == slow.low);
      CHECK(quick.high == slow.high);
      CHECK(quick.kinds == slow.kinds);
    }
    CHECK(survey(turned).kinds == cell_by_cell(turned, {}).kinds);
    CHECK(survey(turned).low == cell_by_cell(turned, {}).low);
  }
}

TEST_CASE("a survey of a large matrix stops when asked to") {
  std::stop_source stop;
  stop.request_stop();
  const Tensor values = Tensor::full({1024, 1024}, 1);
  CHECK_THROWS_AS(survey(values.matrix(), {}, stop.get_token()), Cancelled);
}

TEST_CASE("of equal largest numbers of a row the first is returned, and one column can be left out") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor numbers({2, 4}, {3, 1, 3, 2, nan, nan, nan, nan});
  CHECK(largest_column(numbers.matrix(), 0) == 0);
  CHECK(largest_column(numbers.matrix(), 0, 0) == 2);
  CHECK(largest_column(numbers.matrix(), 0, 2) == 0);
  CHECK(largest_column(numbers.matrix(), 1) == 0);
  CHECK(largest_column(Tensor({1, 1}, {5}).matrix(), 0, 0) == 0);
}
