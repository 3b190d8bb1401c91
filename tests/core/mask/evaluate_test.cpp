#include "core/rules/mask/evaluate.h"

#include <chrono>

#include "core/base/tensor/error.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

MaskContext context_of(Index batch, Index heads, Index n_q, Index n_k) {
  MaskContext context;
  context.batch = batch;
  context.heads = heads;
  context.n_q = n_q;
  context.n_k = n_k;
  return context;
}

Tensor run(const std::string& expression, const MaskContext& context) {
  return evaluate(MaskExpression::parse(expression), context);
}

}  // namespace

TEST_CASE("a mask has batch and head axes only where it differs between them") {
  const MaskContext context = context_of(3, 4, 5, 6);
  CHECK(run("causal()", context).shape() == Shape{1, 1, 5, 6});
  CHECK(run("h < 2 ? causal() : full()", context).shape() == Shape{1, 4, 5, 6});
  CHECK(run("k <= q + b", context).shape() == Shape{3, 1, 5, 6});
  CHECK(run("window(h + b + 1)", context).shape() == Shape{3, 4, 5, 6});
  CHECK(run("causal()", context_of(1, 1, 0, 6)).shape() == Shape{1, 1, 0, 6});
  CHECK(run("window(h) && causal()", context_of(1, 2, 4, 0)).shape() == Shape{1, 2, 4, 0});
}

TEST_CASE("each head and each batch entry has its own mask") {
  const Tensor mask = run("h == 0 ? k <= q : abs(q - k) <= b + h", context_of(2, 3, 7, 7));
  for (Index b = 0; b < 2; ++b) {
    for (Index h = 0; h < 3; ++h) {
      for (Index q = 0; q < 7; ++q) {
        for (Index k = 0; k < 7; ++k) {
          CHECK((mask.at({b, h, q, k}) != 0) == (h == 0 ? k <= q : std::abs(q - k) <= b + h));
        }
      }
    }
  }
}

TEST_CASE("padding keeps the valid keys of each batch entry, or of each query") {
  MaskContext context = context_of(2, 3, 4, 5);
  const Tensor by_entry = Tensor::of({2}, {3, 0});
  context.valid_lens = by_entry;
  Tensor mask = run("padding()", context);
  REQUIRE(mask.shape() == Shape{2, 1, 4, 5});
  for (Index k = 0; k < 5; ++k) {
    CHECK(mask.at({0, 0, 3, k}) == (k < 3 ? 1.0f : 0.0f));
    CHECK(mask.at({1, 0, 3, k}) == 0.0f);
  }
  const Tensor by_query = Tensor::of({2, 4}, {1, 2, 3, 4, 5, 4, 3, 2});
  context.valid_lens = by_query;
  mask = run("padding()", context);
  for (Index b = 0; b < 2; ++b) {
    for (Index q = 0; q < 4; ++q) {
      for (Index k = 0; k < 5; ++k) {
        CHECK((mask.at({b, 0, q, k}) != 0) == (static_cast<float>(k) < by_query.at({b, q})));
      }
    }
  }
  const Tensor wrong = Tensor::of({3}, {1, 2, 3});
  context.valid_lens = wrong;
  CHECK_THROWS_AS(run("padding()", context), ExpressionError);
}

TEST_CASE("file() and painted() are broadcast, whatever their strides") {
  MaskContext context = context_of(2, 2, 2, 3);
  const Tensor transposed = Tensor::of({3, 2}, {1, 0, 0, 1, 1, 1}).transpose(0, 1);
  const Tensor by_entry = Tensor::of({2, 1, 1, 3}, {1, 1, 0, 0, 1, 1});
  context.file_mask = transposed;
  context.painted = by_entry;
  CHECK(run("file()", context).shape() == Shape{1, 1, 2, 3});
  const Tensor mask = run("file() && !painted()", context);
  REQUIRE(mask.shape() == Shape{2, 1, 2, 3});
  for (Index b = 0; b < 2; ++b) {
    for (Index q = 0; q < 2; ++q) {
      for (Index k = 0; k < 3; ++k) {
        CHECK((mask.at({b, 0, q, k}) != 0) == (transposed.at({q, k}) != 0 && by_entry.at({b, 0, 0, k}) == 0));
      }
    }
  }
  const Tensor wrong = Tensor::full({4, 3}, 1);
  context.file_mask = wrong;
  CHECK_THROWS_AS(run("file()", context), ExpressionError);
}

TEST_CASE("a long row has the same cells as its parts evaluated alone") {
  const MaskContext context{.batch = 1, .heads = 1, .n_q = 3, .n_k = 201};
  for (const char* text :
       {"causal() && (window(4) || sink(4))", "k % 7 < 3 != (q > 1)", "!(k >= 66) || k == 130 || 190 <= k",
        "(k > 9) == (k < 100) && min(k, 64) * 2 != 40", "random(0.4, 1)", "q < 1 ? k > 60 : abs(k - 100) > 35"}) {
    const MaskExpression expression = MaskExpression::parse(text);
    MaskReader reader(expression, context);
    CAPTURE(text);
    bool same = true;
    for (Index q = 0; q < context.n_q; ++q) {
      std::vector<float> row(static_cast<std::size_t>(context.n_k));
      reader.read(0, 0, q, 0, context.n_k, row.data());
      for (Index k = 0; k < context.n_k; ++k) {
        float cell = -1;
        MaskReader(expression, context).read(0, 0, q, k, 1, &cell);
        same = same && row[static_cast<std::size_t>(k)] == cell;
      }
    }
    CHECK(same);
  }
}

TEST_CASE("evaluation stops when asked to") {
  MaskContext context = context_of(1, 1, 8, 8);
  std::stop_source source;
  context.stop = source.get_token();
  source.request_stop();
  CHECK_THROWS_AS(run("causal()", context), Cancelled);
}

// Hidden: run with "[benchmark]" and a release build.
TEST_CASE("any pattern over 4096 queries and keys takes less than a second", "[.][benchmark]") {
  for (const Pattern& pattern : all_patterns()) {
    if (pattern.name == "padding" || pattern.name == "file" || pattern.name == "painted") continue;
    const auto start = std::chrono::steady_clock::now();
    MaskContext context = context_of(1, 1, 4096, 4096);
    context.grid = {64, 64};
    const Tensor mask = run(std::string(pattern.example), context);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    UNSCOPED_INFO(pattern.example << ": " << seconds << " s");
    CHECK(mask.count() == 4096 * 4096);
    CHECK(seconds < 1);
  }
  const auto start = std::chrono::steady_clock::now();
  run("bigbird(1, 3, 1, 1, 0)", context_of(1, 1, 4096, 4096));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  UNSCOPED_INFO("bigbird of single tokens: " << seconds << " s");
  CHECK(seconds < 1);
}
