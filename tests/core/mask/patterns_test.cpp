// Every pattern is compared with its definition in the manual, written here as a function of a cell.
#include "core/rules/mask/patterns.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "core/rules/mask/evaluate.h"
#include "core/rules/mask/machine.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

using Cell = std::function<bool(Index q, Index k, Index n_q, Index n_k)>;

struct PatternCase {
  std::string expression;
  Cell cell;
};

Index clamped(Index x, Index low, Index high) { return std::min(std::max(x, low), high); }

Index remainder(Index a, Index b) { return ((a % b) + b) % b; }

Index down(Index a, Index b) { return (a - remainder(a, b)) / b; }

Index run_of(Index token, std::vector<Index> lengths) {
  Index run = 0;
  for (Index seen = 0; token >= seen + lengths.front(); ++run) {
    seen += lengths.front();
    if (lengths.size() > 1) lengths.erase(lengths.begin());
  }
  return run;
}

Cell dilated(Index w, Index d) {
  return [=](Index q, Index k, Index, Index) { return std::abs(q - k) <= w && std::abs(q - k) % d == 0; };
}

Cell strided(Index l) {
  return [=](Index q, Index k, Index, Index) { return remainder(q - k, l) == 0; };
}

Cell fixed(Index l, Index c) {
  return [=](Index q, Index k, Index, Index) { return k / l == q / l || k % l >= l - c; };
}

Cell document(std::vector<Index> lengths) {
  return [=](Index q, Index k, Index, Index) { return run_of(q, lengths) == run_of(k, lengths); };
}

Cell neighborhood(Index width, Index height, Index kernel) {
  return [=](Index q, Index k, Index, Index) {
    const Index half = kernel / 2;
    const Index column = clamped(q % width, half, width - 1 - half);
    const Index row = clamped(q / width, half, height - 1 - half);
    return std::abs(k % width - column) <= half && std::abs(k / width - row) <= half;
  };
}

/// Swin's shifted windows: windows of the rolled image, without pairs of tokens that the roll brought together.
Cell swin(Index width, Index size, Index shift) {
  return [=](Index q, Index k, Index, Index) {
    const auto window = [&](Index x) { return down(x - shift, size); };
    return window(q / width) == window(k / width) && window(q % width) == window(k % width);
  };
}

Cell random_cells(double p, std::uint32_t seed) {
  return [=](Index q, Index k, Index, Index) {
    const std::uint32_t hash = mix(hash_prefix(seed, static_cast<std::uint32_t>(q)) + static_cast<std::uint32_t>(k));
    return hash < p * 4294967296.0;
  };
}

Cell bigbird(Index block, Index w, Index g, Index r, std::uint32_t seed) {
  return [=](Index q, Index k, Index, Index n_k) {
    const Index i = q / block, j = k / block;
    if (std::abs(i - j) <= w / 2 || i < g || j < g) return true;
    std::vector<Index> blocks;
    for (Index t = g; t < (n_k + block - 1) / block; ++t) {
      if (std::abs(i - t) > w / 2) blocks.push_back(t);
    }
    const auto hash = [&](Index x) {
      return mix(hash_prefix(seed, static_cast<std::uint32_t>(i)) + static_cast<std::uint32_t>(x));
    };
    std::sort(blocks.begin(), blocks.end(), [&](Index x, Index y) { return hash(x) < hash(y); });
    const auto end = blocks.begin() + std::min(r, static_cast<Index>(blocks.size()));
    return std::find(blocks.begin(), end, j) != end;
  };
}

#define CELL(predicate)                                                                         \
  [](Index q, Index k, Index n_q, Index n_k) {                                                  \
    static_cast<void>(q), static_cast<void>(k), static_cast<void>(n_q), static_cast<void>(n_k); \
    return predicate;                                                                           \
  }

std::vector<PatternCase> pattern_cases() {
  return {
      {"full()", CELL(true)},
      {"causal()", CELL(k <= q)},
      {"causal_bottom_right()", CELL(k <= q + (n_k - n_q))},
      {"diagonal()", CELL(k == q)},
      {"window(1)", CELL(std::abs(q - k) < 1)},
      {"window(5)", CELL(std::abs(q - k) < 5)},
      {"window_inclusive(0)", CELL(std::abs(q - k) <= 0)},
      {"window_inclusive(5)", CELL(std::abs(q - k) <= 5)},
      {"dilated(9, 3)", dilated(9, 3)},
      {"dilated(4, 1)", dilated(4, 1)},
      {"strided(4)", strided(4)},
      {"strided(7)", strided(7)},
      {"fixed(5, 2)", fixed(5, 2)},
      {"fixed(3, 4)", fixed(3, 4)},
      {"chunked(6)", CELL(q / 6 == k / 6)},
      {"prefix(5)", CELL(k < 5)},
      {"global(3)", CELL(q < 3 || k < 3)},
      {"sink(2)", CELL(k < 2)},
      {"bigbird(4, 3, 1, 2, 7)", bigbird(4, 3, 1, 2, 7)},
      {"bigbird(5, 0, 0, 1, 0)", bigbird(5, 0, 0, 1, 0)},
      {"bigbird(1, 2, 2, 3, 99)", bigbird(1, 2, 2, 3, 99)},
      {"bigbird(3, 1, 0, 1000, 1)", bigbird(3, 1, 0, 1000, 1)},
      {"random(0.3, 7)", random_cells(0.3, 7)},
      {"random(0, 1)", CELL(false)},
      {"random(1, 1)", CELL(true)},
      {"document(37)", document({37})},
      {"document(4)", document({4})},
      {"document(3, 1, 8, 5)", document({3, 1, 8, 5})},
      {"valid(11)", CELL(k < 11)},
      {"neighborhood(6, 6, 3)", neighborhood(6, 6, 3)},
      {"neighborhood(8, 5, 5)", neighborhood(8, 5, 5)},
      {"neighborhood(7, 4, 2)", neighborhood(7, 4, 2)},
      {"neighborhood(4, 4, 7)", neighborhood(4, 4, 7)},
      {"axial(6)", CELL(q / 6 == k / 6 || q % 6 == k % 6)},
      {"swin(8, 4, 0)", swin(8, 4, 0)},
      {"swin(8, 4, 2)", swin(8, 4, 2)},
      {"swin(6, 3, 1)", swin(6, 3, 1)},
      {"not_self()", CELL(k != q)},
  };
}

Tensor run(const std::string& expression, Index n_q, Index n_k) {
  MaskContext context;
  context.n_q = n_q;
  context.n_k = n_k;
  return evaluate(MaskExpression::parse(expression), context);
}

}  // namespace

TEST_CASE("every pattern is its definition, cell by cell, in square and other shapes") {
  const std::pair<Index, Index> shapes[] = {{37, 37}, {5, 37}, {37, 5}, {1, 9}, {9, 1}, {16, 40}};
  for (const PatternCase& pattern : pattern_cases()) {
    for (const auto& [n_q, n_k] : shapes) {
      const Tensor mask = run(pattern.expression, n_q, n_k);
      Index wrong = 0;
      for (Index q = 0; q < n_q; ++q) {
        for (Index k = 0; k < n_k; ++k) wrong += (mask.at({0, 0, q, k}) != 0) != pattern.cell(q, k, n_q, n_k);
      }
      INFO(pattern.expression << " at n_q = " << n_q << ", n_k = " << n_k);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("every pattern is its definition up to the last key, for any size of the last window") {
  for (const PatternCase& pattern : pattern_cases()) {
    for (const Index n : {1, 2, 127, 128, 129, 2047, 2048, 2049, 2050}) {
      for (const auto& [n_q, n_k] : {std::pair<Index, Index>{2, n}, {n, 2}}) {
        const Tensor mask = run(pattern.expression, n_q, n_k);
        Index wrong = 0;
        for (Index q = 0; q < n_q; q += q + 3 < n_q && q > 2 ? 61 : 1) {
          for (Index k = 0; k < n_k; k += k + 3 < n_k && k > 2 ? 61 : 1)
            wrong += (mask.at({0, 0, q, k}) != 0) != pattern.cell(q, k, n_q, n_k);
          wrong += (mask.at({0, 0, q, n_k - 1}) != 0) != pattern.cell(q, n_k - 1, n_q, n_k);
        }
        INFO(pattern.expression << " at n_q = " << n_q << ", n_k = " << n_k);
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("every pattern of the table has a case here, or a test with the tensor that it needs") {
  // Two patterns may have the same name, and differ in their parameters.
  std::set<std::string> covered = {"padding()", "file()", "painted()", "neighborhood(r)"};
  for (const PatternCase& pattern : pattern_cases()) {
    for (const PatternCall& call : MaskExpression::parse(pattern.expression).pattern_calls()) {
      covered.insert(signature(*call.pattern));
    }
  }
  for (const Pattern& pattern : all_patterns()) {
    INFO(signature(pattern));
    CHECK(covered.count(signature(pattern)) == 1);
  }
}

TEST_CASE("every pattern's example parses and its sliders start inside their range") {
  for (const Pattern& pattern : all_patterns()) {
    INFO(pattern.name);
    CHECK(MaskExpression::parse(pattern.example).calls(pattern.name));
    for (const Parameter& p : pattern.parameters) {
      CHECK(p.initial >= p.minimum);
      CHECK(p.initial <= p.maximum);
    }
  }
}

TEST_CASE("a causal row never looks right") {
  const Tensor mask = run("causal() && (strided(3) || random(0.5, 4))", 20, 26);
  for (Index q = 0; q < 20; ++q) {
    for (Index k = q + 1; k < 26; ++k) CHECK(mask.at({0, 0, q, k}) == 0);
  }
}

TEST_CASE("a causal window keeps exactly w keys, an inclusive one w + 1") {
  for (Index w : {1, 4, 9}) {
    const Tensor exact = run("causal() && window(" + std::to_string(w) + ")", 30, 30);
    const Tensor inclusive = run("causal() && window_inclusive(" + std::to_string(w) + ")", 30, 30);
    for (Index q = w; q < 30; ++q) {
      float kept = 0, kept_inclusive = 0;
      for (Index k = 0; k < 30; ++k) {
        kept += exact.at({0, 0, q, k});
        kept_inclusive += inclusive.at({0, 0, q, k});
      }
      CHECK(kept == static_cast<float>(w));
      CHECK(kept_inclusive == static_cast<float>(w + 1));
    }
  }
}

TEST_CASE("a query of BigBird sees r random blocks besides the window and the global ones, or all that are left") {
  for (const Index w : {0, 1, 3, 5}) {
    for (const Index g : {0, 1, 2}) {
      for (const Index r : {0, 1, 3, 8}) {
        const std::string numbers = std::to_string(w) + ", " + std::to_string(g) + ", ";
        const Tensor whole = run("bigbird(4, " + numbers + std::to_string(r) + ", 5)", 40, 40),
                     fixed = run("bigbird(4, " + numbers + "0, 5)", 40, 40);
        for (Index q = 4 * g; q < 40; q += 4) {
          Index drawn = 0, left = 0;
          for (Index k = 0; k < 40; k += 4) {
            const bool free = fixed.at({0, 0, q, k}) == 0;
            drawn += free && whole.at({0, 0, q, k}) != 0, left += free;
          }
          CAPTURE(w, g, r, q);
          CHECK(drawn == std::min(r, left));
        }
      }
    }
  }
}

TEST_CASE("beside causal_bottom_right() every pattern that compares places counts from the same corner") {
  // One query at the end of ten keys sees what the last of ten queries sees.
  for (const Pattern& pattern : all_patterns()) {
    if (pattern.name == "file" || pattern.name == "painted" || pattern.name == "padding" || pattern.name == "causal" ||
        pattern.name == "random" || (pattern.name == "neighborhood" && pattern.parameters.size() == 1))
      continue;
    std::string call(pattern.name);
    call += "(";
    const std::size_t count = pattern.repeats ? 2 : pattern.parameters.size();
    for (std::size_t i = 0; i < count; ++i)
      call += (i ? ", " : "") + std::to_string(static_cast<int>(parameter(pattern, i).initial));
    call += ")";
    INFO(call << (pattern.moves ? " has" : " has not") << " `moves`, which says that it compares places");
    const Tensor square = run(call + " && causal_bottom_right()", 10, 10);
    for (const Index queries : {1, 4}) {
      const Tensor last = run("causal_bottom_right() && " + call, queries, 10);
      Index wrong = 0;
      for (Index q = 0; q < queries; ++q) {
        for (Index k = 0; k < 10; ++k) wrong += last.at({0, 0, q, k}) != square.at({0, 0, q + 10 - queries, k});
      }
      CHECK(wrong == 0);
    }
  }
  for (Index k = 0; k < 10; ++k) {
    CHECK((run("causal_bottom_right() && window(4)", 1, 10).at({0, 0, 0, k}) != 0) == (k >= 6));
    CHECK((run("causal_bottom_right() && causal()", 1, 10).at({0, 0, 0, k}) != 0) == (k == 0));  // top-left by its name
    CHECK((run("window(4)", 1, 10).at({0, 0, 0, k}) != 0) == (k < 4));
  }
}

TEST_CASE("random(p) allows about a share of p, with equal cells for equal seeds only") {
  const Tensor a = run("random(0.3, 1)", 200, 200), b = run("random(0.3, 1)", 200, 200),
               c = run("random(0.3, 2)", 200, 200);
  const auto share = [](const Tensor& t) {
    return std::accumulate(t.values().begin(), t.values().end(), 0.0) / static_cast<double>(t.count());
  };
  CHECK(std::abs(share(a) - 0.3) < 0.01);
  CHECK(std::equal(a.values().begin(), a.values().end(), b.values().begin()));
  CHECK_FALSE(std::equal(a.values().begin(), a.values().end(), c.values().begin()));
}

TEST_CASE("the hash of random cells is the documented one") {
  const auto hash = [](std::uint32_t seed, std::uint32_t i, std::uint32_t j) { return mix(hash_prefix(seed, i) + j); };
  CHECK(mix(1) == 824515495u);
  CHECK(hash(0, 0, 0) == 2199399949u);
  CHECK(hash(7, 3, 11) == 1707524231u);
}
