#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/catch.h"
#include "tests/ui/headless.h"
#include "ui/heads/arcs.h"
#include "ui/heads/heads_layout.h"
#include "ui/heads/heads_picture.h"

using namespace headlight;
using namespace headlight::test;

TEST_CASE("arcs are a row's largest weights up to the mass asked for") {
  const Tensor weights = Tensor::of({2, 4}, {0.1f, 0.6f, 0.0f, 0.3f, 0.25f, 0.25f, 0.25f, 0.25f});
  const auto arcs = token_arcs(weights.matrix(), 0, 2, 0.9f);
  REQUIRE(arcs.size() == 6);
  CHECK(arcs[0] == TokenArc{0, 1, 0.6f});
  CHECK(arcs[1] == TokenArc{0, 3, 0.3f});
  CHECK(arcs[2] == TokenArc{1, 0, 0.25f});
  CHECK(token_arcs(weights.matrix(), 0, 1, 1).size() == 3);
  CHECK(token_arcs(weights.matrix(), 0, 2, 0).empty());
}

TEST_CASE("a row that is not a number has no arcs") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor weights = Tensor::of({3, 2}, {nan, nan, 0, 0, 1, 0});
  const auto arcs = token_arcs(weights.matrix(), 0, 3, 1);
  REQUIRE(arcs.size() == 1);
  CHECK(arcs[0] == TokenArc{2, 0, 1});
}

TEST_CASE("head cards stay in their box and apart, from 1 to 65") {
  const Rect box{{10, 20}, {810, 620}};
  for (Index count = 1; count <= 65; ++count) {
    const auto cards = lay_out_heads(count, box, 1, 4, 22);
    REQUIRE(static_cast<Index>(cards.size()) == count);
    for (std::size_t i = 0; i < cards.size(); ++i) {
      CHECK(cards[i].min.x >= box.min.x - 0.01f);
      CHECK(cards[i].max.x <= box.max.x + 0.01f);
      CHECK(cards[i].max.y <= box.max.y + 0.01f);
      for (std::size_t j = 0; j < i; ++j) {
        const bool apart = cards[j].max.x <= cards[i].min.x || cards[j].max.y <= cards[i].min.y;
        CHECK(apart);
      }
    }
  }
}

TEST_CASE("the average is over the heads asked for alone") {
  const Tensor values = Tensor::of({1, 3, 1, 2}, {1, 2, 100, 100, 3, 6});
  const Tensor mean = mean_over_heads(values, 0, {0, 2});
  CHECK(mean.at({0, 0, 0, 0}) == 2);
  CHECK(mean.at({0, 0, 0, 1}) == 4);
}

namespace {

Document heads_document() {
  Document document = sentence();
  document.view.kind = ViewKind::heads;
  return document;
}

ImVec2 middle(const MatrixQuad& quad) { return {(quad.min.x + quad.max.x) / 2, (quad.min.y + quad.max.y) / 2}; }

}  // namespace

TEST_CASE("the heads view shows every head and their average over one range") {
  HeadlessWindow window(heads_document());
  window.settle();
  REQUIRE(window.painter.quads.size() == 5);
  for (const MatrixQuad& quad : window.painter.quads) {
    CHECK(quad.range.lo == window.painter.quads[0].range.lo);
    CHECK(quad.range.hi == window.painter.quads[0].range.hi);
  }
}

TEST_CASE("a double-click shows one head alone, and another all again") {
  HeadlessWindow window(heads_document());
  window.settle();
  const ImVec2 at = middle(window.painter.quads[2]);
  window.click(at);
  window.click(at);
  window.settle();
  CHECK(window.document().view.heads.isolated == Index{2});
  CHECK(window.painter.quads.size() == 1);
}

TEST_CASE("a drag over cards chooses their heads") {
  HeadlessWindow window(heads_document());
  window.settle();
  window.drag(middle(window.painter.quads[0]), middle(window.painter.quads[1]));
  window.settle();
  CHECK(window.document().view.heads.heads == std::vector<Index>{0, 1});
}

TEST_CASE("a click in a head's card selects that head's cell") {
  HeadlessWindow window(heads_document());
  window.settle();
  window.click(middle(window.painter.quads[3]));
  window.settle();
  REQUIRE(window.document().view.selected);
  CHECK(window.document().view.selected->head == 3);
  CHECK(window.document().view.head == 3);
}
