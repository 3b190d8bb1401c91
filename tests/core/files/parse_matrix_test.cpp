#include "core/base/arrays/parse_matrix.h"

#include <cmath>

#include "core/base/tensor/error.h"
#include "tests/core/files/samples.h"
#include "tests/matchers.h"

using namespace headlight;
using namespace headlight::samples;

namespace {

std::string refused(std::string_view text) {
  try {
    parse_matrix(text);
  } catch (const InputError& error) { return error.what(); }
  return "taken";
}

}  // namespace

TEST_CASE("a matrix is read from CSV, from a spreadsheet's tabs, and from blanks") {
  const Tensor expected = Tensor::of({2, 3}, {1, -2.5f, 3e4f, 0.25f, 5, 6});
  for (const char* text : {"1,-2.5,3e4\n0.25,5,6", "1\t-2.5\t3e4\r\n0.25\t5\t6\r\n", "  1 -2.5 +3e4\n\n .25 5. 6 \n",
                           "1; -2.5; 3E+4\n0.25; 5; 6", "\"1\",\"-2.5\",\"3e4\"\n0.25,5,6"}) {
    INFO(text);
    CHECK_THAT(parse_matrix(text), agrees_with(expected));
  }
}

TEST_CASE("a matrix is read as Python, NumPy and PyTorch print it") {
  const Tensor expected = Tensor::of({2, 2}, {1, 2, 3, 4});
  for (const char* text :
       {"[[1, 2], [3, 4]]", "[[1. 2.]\n [3. 4.]]", "array([[1., 2.],\n       [3., 4.]], dtype=float32)",
        "np.array([[1, 2], [3, 4]])", "tensor([[1., 2.],\n        [3., 4.]], device='cuda:0', grad_fn=<AddBackward0>)",
        "tensor([[[1., 2.],\n         [3., 4.]]])", "x = [[1, 2], [3, 4]]", "[[1, 2,], [3, 4,],]"}) {
    INFO(text);
    CHECK_THAT(parse_matrix(text), agrees_with(expected));
  }
  CHECK_THAT(parse_matrix("[1, 2, 3]"), agrees_with(Tensor::of({1, 3}, {1, 2, 3})));
  CHECK_THAT(parse_matrix("tensor([-0.5])"), agrees_with(Tensor::of({1, 1}, {-0.5f})));
}

TEST_CASE("True, False, nan and the infinities are numbers") {
  CHECK_THAT(parse_matrix("[[True, False], [False, True]]"), agrees_with(Tensor::of({2, 2}, {1, 0, 0, 1})));
  CHECK_THAT(parse_matrix("tensor([[0., -inf], [nan, inf]])"), agrees_with(Tensor::of({2, 2}, {0, -inf, NAN, inf})));
  CHECK_THAT(parse_matrix("NaN,-Infinity\n1e400,-1e-400"), agrees_with(Tensor::of({2, 2}, {NAN, -inf, inf, 0})));
}

TEST_CASE("text that is no matrix is refused with the fault and its place") {
  CHECK(has(refused("1,2\n3,4,5"), "row 2 holds 3 numbers; expected 2, as in row 1"));
  CHECK(has(refused("[[1, 2], [3]]"), "row 2 holds 1 number; expected 2"));
  CHECK(has(refused("[[1. 2. ... 9.]]"), "shortened by \"...\"; expected every number: np.set_printoptions"));
  CHECK(has(refused("1,2\nthree,4"), "row 2 holds \"three\", which is no number"));
  CHECK(has(refused(""), "no number"));
  CHECK(has(refused("[]"), "no number"));
  CHECK(has(refused("[[1, 2], [3, 4]"), "not closed"));
  CHECK(has(refused("[[[1, 2]], [[3, 4]]]"), "holds 2 matrices"));
  CHECK(has(refused("[1, [2, 3], 4]"), "beside a row in brackets"));
  CHECK(has(refused("1] 2"), "\"]\" before any \"[\""));
  CHECK(has(refused("{\"a\": [1, 2]}"), "before the first \"[\""));
  CHECK(has(refused("hello, world"), "\"hello\", which is no number"));
}
