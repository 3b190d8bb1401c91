#include <algorithm>

#include "core/rules/mask/evaluate.h"
#include "tests/catch.h"
#include "ui/views/masklab/reach_picture.h"

using namespace headlight;

namespace {

Tensor mask_of(const char* expression, Index n) {
  MaskContext context;
  context.n_q = context.n_k = n;
  return evaluate(MaskExpression::parse(expression), context);
}

const Rect room{{100, 50}, {600, 450}};

}  // namespace

TEST_CASE("reach diagram: the inputs that are lit are the query's row of the mask's power") {
  for (const char* expression : {"causal() && window(3)", "causal()", "bigbird(2, 1, 1, 1, 0)", "k == q - 1"}) {
    for (const Index n : {6, 24, 200}) {
      for (const bool residual : {false, true}) {
        const Tensor mask = mask_of(expression, n);
        const ReachSettings settings{3, residual};
        const ReachDiagram diagram = make_reach_diagram(mask.matrix(), settings, n - 1, room, 1);
        const Tensor power = reach(mask.matrix(), settings);
        Index wrong = 0;
        for (Index k = 0; k < n; ++k) wrong += diagram.is_lit(0, k) != (power.at({n - 1, k}) != 0);
        INFO(expression << " of " << n);
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("reach diagram: every edge is in the mask or the residual, and a lit one leads on to the query") {
  for (const char* expression : {"causal() && window(3)", "causal()", "random(0.1, 3)", "strided(7)"}) {
    for (const Index n : {6, 24, 200}) {
      for (const bool residual : {false, true}) {
        const Tensor mask = mask_of(expression, n);
        const ReachDiagram diagram = make_reach_diagram(mask.matrix(), {4, residual}, n / 2, room, 1);
        Index strange = 0;
        for (const ReachDiagram::Edge& edge : diagram.edges) {
          const bool there = mask.at({0, 0, edge.query, edge.key}) != 0 || (residual && edge.query == edge.key);
          const bool leads_on = diagram.is_lit(edge.layer, edge.query) && diagram.is_lit(edge.layer - 1, edge.key);
          strange += !there || (edge.lit && !leads_on);
        }
        INFO(expression << " of " << n);
        CHECK(strange == 0);
        CHECK(std::ranges::is_sorted(diagram.edges, {}, &ReachDiagram::Edge::lit));
        CHECK(diagram.edges.size() <= 5000);
      }
    }
  }
}

TEST_CASE(
    "reach diagram: a field that fits is drawn with all of its edges, a wide one with all tokens and fewer edges") {
  const Tensor narrow = mask_of("causal() && window(3)", 500);
  const ReachDiagram field = make_reach_diagram(narrow.matrix(), {3, true}, 300, room, 1);
  CHECK(field.every == 1);
  CHECK_FALSE(field.whole());
  CHECK(field.first <= 294);
  CHECK(field.first + field.count > 300);
  CHECK(std::ranges::count(field.edges, true, &ReachDiagram::Edge::lit) ==
        3 * (1 + 3 + 5));  // three keys for each of 1, 3 and 5 tokens
  const ReachDiagram wide = make_reach_diagram(mask_of("causal()", 500).matrix(), {3, true}, 499, room, 1);
  CHECK(wide.every > 1);
  CHECK(wide.whole());
  CHECK_FALSE(wide.edges.empty());
  CHECK(std::ranges::all_of(wide.edges, &ReachDiagram::Edge::lit));
}

TEST_CASE("reach diagram: dots stand in their columns and rows, inputs at the bottom") {
  const ReachDiagram diagram = make_reach_diagram(mask_of("causal()", 5).matrix(), {2, true}, 4, room, 1);
  for (Index k = 0; k < 5; ++k) CHECK(diagram.token_at(diagram.at(0, k).x) == k);
  CHECK(diagram.at(0, 2).y == room.max.y);
  CHECK(diagram.at(2, 2).y == room.min.y);
  CHECK(diagram.token_at(room.min.x - 20) == -1);
  CHECK(diagram.token_at(room.max.x + 20) == -1);
}
