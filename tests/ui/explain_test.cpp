#include "core/teaching/explain/explain.h"

#include <algorithm>
#include <cmath>

#include "core/compute/run/pipeline.h"
#include "tests/catch.h"
#include "tests/ui/headless.h"
#include "ui/base/document/view.h"

using namespace headlight;
using namespace headlight::test;

namespace {

/// Clicks the link with this name in the inspector.
void click_link(HeadlessWindow& window, const char* link) {
  const ImVec2 at = window.find("inspector", {link});
  INFO(link);
  REQUIRE(at.x > 0);
  window.click(at);
  window.move({-100, -100});
  window.settle();
}

Cell selected(const HeadlessWindow& window) { return window.document().view.selected.value(); }

bool is_source(const HeadlessWindow& window, const Cell& of, const Cell& source) {
  const Explanation e = explain(*window.document().trace, of);
  return std::ranges::any_of(e.terms, [&](const Term& term) { return term.cell == source; });
}

}  // namespace

TEST_CASE("from an output number back to the inputs in eight clicks, every one to a source") {
  Document document = sentence();
  document.view.selected = Cell{Stage::output, 0, 0, 4, 6};
  HeadlessWindow window(document);
  window.settle();
  const Index d_head = window.document().trace->dims().d_head;

  click_link(window, "left5");
  CHECK(selected(window) == Cell{Stage::concat, 0, 0, 4, 5});
  click_link(window, "source0");
  CHECK(selected(window) == Cell{Stage::head_outputs, 0, 5 / d_head, 4, 5 % d_head});
  CHECK(window.document().view.head == 5 / d_head);
  click_link(window, "left2");
  CHECK(selected(window) == Cell{Stage::weights, 0, 5 / d_head, 4, 2});
  click_link(window, "right1");  // the score's dot product
  CHECK(selected(window) == Cell{Stage::K_heads, 0, 5 / d_head, 2, 1});
  click_link(window, "source0");
  CHECK(selected(window) == Cell{Stage::K, 0, 0, 2, 5 / d_head * d_head + 1});
  const Cell before = selected(window);
  click_link(window, "left3");
  CHECK(selected(window) == Cell{Stage::key, 0, 0, 2, 3});
  CHECK(is_source(window, before, selected(window)));
  CHECK(window.document().view.path.size() == 7);
}

TEST_CASE("each click on a source goes one step back, and a breadcrumb returns to its cell") {
  Document document = sentence();
  document.view.selected = Cell{Stage::weights, 0, 1, 3, 1};
  HeadlessWindow window(document);
  window.settle();
  for (int i = 0; i < 3; ++i) {
    const Cell before = selected(window);
    click_link(window, "source0");
    CHECK(is_source(window, before, selected(window)));
  }
  CHECK(selected(window) == Cell{Stage::scores, 0, 1, 3, 1});
  click_link(window, "crumb0");
  CHECK(selected(window) == Cell{Stage::weights, 0, 1, 3, 1});
  CHECK(window.document().view.path.size() == 1);
}

TEST_CASE("the cell of the link under the pointer is highlighted") {
  Document document = sentence();
  document.view.selected = Cell{Stage::scores, 0, 1, 3, 1};
  HeadlessWindow window(document);
  window.settle();
  window.move(window.find("inspector", {"right2"}));
  window.frame();
  window.frame();
  CHECK(window.document().view.pointed.source == Cell{Stage::K_heads, 0, 1, 1, 2});
  window.move({-100, -100});
  window.frame();
  window.frame();
  CHECK_FALSE(window.document().view.pointed.source);
}

TEST_CASE("a path ends where another cell is selected, and where a new trace has no such cell") {
  Document document = sentence();
  const auto trace = compute(document.scenario);
  View view;
  const Cell weight{Stage::weights, 0, 1, 5, 2}, score{Stage::masked_scores, 0, 1, 5, 2};
  view.selected = weight;
  view = follow(view, *trace, weight, score);
  CHECK(path_of(view, *trace).size() == 2);
  document.scenario.text = "the cat";
  CHECK(path_of(view, *compute(document.scenario)).empty());
  view.selected = weight;
  CHECK(path_of(view, *trace).empty());
}

TEST_CASE("a symbol of a formula under the pointer highlights its matrix until the pointer leaves") {
  Document document = sentence();
  document.view.selected = Cell{Stage::scores, 0, 0, 4, 2};
  HeadlessWindow window(document);
  window.settle();
  const std::size_t before = window.drawn();
  std::vector<Stage> found;  // from left to right through the formula
  for (float y = 130; y < 190 && found.empty(); y += 6) {
    for (float x = 1290; x < 1600; x += 4) {
      window.move({x, y});
      window.frame();
      const std::optional<Stage> stage = window.document().view.pointed.term;
      if (stage && (found.empty() || found.back() != *stage)) {
        found.push_back(*stage);
        window.frame();
        CHECK(window.drawn() != before);
      }
    }
  }
  CHECK(found == std::vector{Stage::scores, Stage::Q_heads, Stage::K_heads});
  window.move({800, 850});
  window.settle();
  CHECK_FALSE(window.document().view.pointed.term);
}
