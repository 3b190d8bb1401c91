#include "core/models/architecture/linear_spec.h"

#include "tests/catch.h"

using namespace headlight;

namespace {

/// 0, 1, 2 … in this shape.
Tensor counted(const Shape& shape) {
  Buffer numbers(static_cast<std::size_t>(element_count(shape)));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  return Tensor(shape, std::move(numbers));
}

float at(const Tensor& matrix, Index row, Index column) { return matrix.matrix()(row, column); }

}  // namespace

TEST_CASE("a weight is [out, in] whatever its layout") {
  const Index H = 2, in = 3, d_head = 4;
  const Tensor by_head = counted({H, in, d_head});
  const Tensor W = to_out_in(by_head, WeightLayout::head_in_out);
  REQUIRE(W.shape() == Shape{H * d_head, in});
  CHECK(at(W, 1 * d_head + 2, 1) == by_head.matrix(1)(1, 2));

  const Tensor heads_inside = counted({in, H, d_head});
  const Tensor V = to_out_in(heads_inside, WeightLayout::in_head_out);
  REQUIRE(V.shape() == Shape{H * d_head, in});
  CHECK(at(V, 1 * d_head + 2, 1) == heads_inside.matrix(1)(1, 2));

  const Tensor concat = counted({H, d_head, in});
  const Tensor O = to_out_in(concat, WeightLayout::head_inner_out);
  REQUIRE(O.shape() == Shape{in, H * d_head});
  CHECK(at(O, 1, 1 * d_head + 2) == concat.matrix(1)(2, 1));

  const Tensor conv = counted({in, d_head});
  CHECK(at(to_out_in(conv, WeightLayout::in_out), 2, 1) == conv.matrix()(1, 2));
  CHECK(identical(to_out_in(conv, WeightLayout::out_in), conv));
}

TEST_CASE("the sizes of a stored weight are those of its [out, in]") {
  for (const WeightLayout layout : {WeightLayout::out_in, WeightLayout::in_out, WeightLayout::head_in_out,
                                    WeightLayout::in_head_out, WeightLayout::head_inner_out}) {
    const Tensor stored = counted(layout <= WeightLayout::in_out ? Shape{6, 5} : Shape{2, 3, 5});
    const LinearSize size = linear_size(stored.shape(), layout);
    CHECK(to_out_in(stored, layout).shape() == Shape{size.out, size.in});
  }
}

TEST_CASE("the rows of a packed matrix go to queries, keys and values, each row once") {
  const Tensor packed = counted({12, 1});
  const auto rows = [&](Index groups, Index query_rows, Index key_rows) {
    Projections parts;
    split_packed({"W"}, groups, query_rows, key_rows, parts);
    std::vector<float> all;
    for (const LinearSpec* part : {&parts.q, &parts.k, &parts.v}) {
      const Tensor own = rows_of(packed, part->rows).contiguous();
      all.insert(all.end(), own.values().begin(), own.values().end());
    }
    return all;
  };
  CHECK(rows(1, 4, 4) == std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  CHECK(rows(2, 4, 1) == std::vector<float>{0, 1, 2, 3, 6, 7, 8, 9, 4, 10, 5, 11});
}
