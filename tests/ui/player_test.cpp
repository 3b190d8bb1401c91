#include <algorithm>

#include "core/compute/run/pipeline.h"
#include "tests/catch.h"
#include "tests/ui/headless.h"
#include "ui/base/timeline/timeline.h"

using namespace headlight;
using namespace headlight::test;

namespace {

Document at_start(ProductOrder way) {
  Document document = sentence();
  document.view.step = 0;
  document.view.way = way;
  return document;
}

}  // namespace

TEST_CASE("the timeline shows a stage only after all that it is computed from") {
  const auto trace = compute(sentence().scenario);
  const ProductOrder way = GENERATE(ProductOrder::rows, ProductOrder::columns, ProductOrder::dot, ProductOrder::outer);
  const Timeline timeline(*trace, way);
  const auto whole = [&](Stage stage, int moment) {
    return timeline.shown(stage, moment).rows == Shown::all && timeline.shown(stage, moment).columns == Shown::all;
  };
  for (int moment = 0; moment < timeline.count(); ++moment) {
    if (!timeline.shown(Stage::weights, moment).nothing()) {
      CHECK(whole(Stage::masked_scores, moment));
      CHECK(whole(Stage::Q, moment));
    }
    CHECK(whole(Stage::W_q, moment));
  }
  CHECK_FALSE(whole(Stage::output, timeline.count() - 2));
  CHECK(whole(Stage::output, timeline.count() - 1));
}

TEST_CASE("a product advances by rows, by columns, by numbers or by the terms of its sums") {
  const auto trace = compute(sentence().scenario);  // scores are [6, 6], each of 4 terms
  const auto moments = [&](ProductOrder way) { return Timeline(*trace, way).chapter_of(Stage::scores)->count; };
  CHECK(moments(ProductOrder::rows) == 6);
  CHECK(moments(ProductOrder::columns) == 6);
  CHECK(moments(ProductOrder::dot) == 36);
  CHECK(moments(ProductOrder::outer) == 4 + 1);
  const Timeline dot(*trace, ProductOrder::dot);
  const Shown after_eight = dot.shown(Stage::scores, dot.chapter_of(Stage::scores)->first + 7);
  CHECK(after_eight.has(1, 1));
  CHECK_FALSE(after_eight.has(1, 2));
  CHECK(dot.at(dot.chapter_of(Stage::weights)->first).kind == Moment::Kind::shifted);
}

TEST_CASE("where products are computed number by number, scaling, masking and softmax go cell by cell") {
  const auto trace = compute(sentence().scenario);
  const Timeline rows(*trace, ProductOrder::rows), dot(*trace, ProductOrder::dot);
  for (const Stage stage : {Stage::scaled_scores, Stage::mask, Stage::masked_scores}) {
    CHECK(rows.chapter_of(stage)->count == 1);
    CHECK(dot.chapter_of(stage)->count == 36);
  }
  CHECK(dot.chapter_of(Stage::weights)->count == 3 + 36);
  const Shown first = dot.shown(Stage::masked_scores, dot.chapter_of(Stage::masked_scores)->first);
  CHECK(first.has(0, 0));
  CHECK_FALSE(first.has(0, 1));
}

TEST_CASE(
    "stepping through the whole pipeline forth and back gives the same picture at each step, whichever way products "
    "are computed") {
  HeadlessWindow window(
      at_start(GENERATE(ProductOrder::rows, ProductOrder::columns, ProductOrder::dot, ProductOrder::outer)));
  const int count = Timeline(*window.document().trace, window.document().view.way).count();
  std::vector<std::size_t> pictures;
  for (int moment = 0; moment < count; ++moment) {
    REQUIRE(window.document().view.step == moment);
    window.frame();  // a panel that can scroll knows the height of its contents one frame later
    pictures.push_back(window.drawn());
    if (moment + 1 < count) window.press(compat::Key::right);
  }
  for (int moment = count - 1; moment >= 0; --moment) {
    INFO(moment);
    REQUIRE(window.document().view.step == moment);
    window.frame();
    CHECK(window.drawn() == pictures[static_cast<std::size_t>(moment)]);
    window.press(compat::Key::left);
  }
  std::sort(pictures.begin(), pictures.end());
  CHECK(std::adjacent_find(pictures.begin(), pictures.end()) == pictures.end());  // each moment looks different
}

TEST_CASE("no number is shown before it is computed: not painted, not pointed at, not explained") {
  const ProductOrder way = GENERATE(ProductOrder::rows, ProductOrder::columns, ProductOrder::dot, ProductOrder::outer);
  HeadlessWindow full(sentence());
  const ImVec2 weight = full.cell(Stage::weights, 2, 1);
  const ImVec2 score = full.cell(Stage::scores, 2, 1);
  HeadlessWindow window(at_start(way));
  const Timeline timeline(*window.document().trace, way);
  for (int moment = 0; moment < timeline.count(); ++moment) {
    for (const MatrixQuad& quad : window.painter.quads) {
      for (const Stage stage : all_stages()) {
        if (stage == Stage::query || stage == Stage::value ||
            !identical(quad.values, (*window.document().trace)[stage]))
          continue;
        const MatrixView matrix = quad.values.matrix(quad.batch, quad.head);
        const Shown shown = timeline.shown(stage, moment);
        INFO(name(stage) << " at " << moment);
        CHECK_FALSE(shown.nothing());
        if (shown.rows < matrix.rows) CHECK(quad.revealed == shown.rows * matrix.cols + shown.cells);
      }
    }
    for (const auto& [stage, at] : {std::pair(Stage::weights, weight), std::pair(Stage::scores, score)}) {
      window.move(at);
      window.frame();
      window.frame();
      INFO(name(stage) << " at " << moment);
      CHECK(window.document().view.pointed.cell.has_value() == timeline.shown(stage, moment).has(2, 1));
    }
    window.move({-100, -100});
    window.frame();
    window.press(compat::Key::right);
  }
}

TEST_CASE("changing how products are computed keeps the stage") {
  Document document = at_start(ProductOrder::rows);
  HeadlessWindow window(document);
  const Timeline rows(*window.document().trace);
  while (rows.at(*window.document().view.step).stage != Stage::scores) window.press(compat::Key::right);
  window.click(window.find("player_bar", {"way"}));
  CHECK(window.document().view.way == ProductOrder::columns);
  const Timeline columns(*window.document().trace, ProductOrder::columns);
  CHECK(columns.at(*window.document().view.step).stage == Stage::scores);
}

TEST_CASE("escape leaves the step player, and all is shown again") {
  Document document = sentence();
  document.view.step = 3;
  HeadlessWindow window(document);
  CHECK(window.cell(Stage::output, 0, 0).x == 0);
  window.press(compat::Key::escape);
  window.settle();
  CHECK_FALSE(window.document().view.step);
  CHECK(window.cell(Stage::output, 0, 0).x > 0);
}

TEST_CASE("one press stops the player or goes elsewhere, whatever the player is about to do in the same frame") {
  for (const Level level : {Level::pipeline, Level::operation}) {
    Document document = sentence();
    document.view.levels.level = level;
    document.view.calm = true;
    HeadlessWindow window(document);
    window.settle();
    const View before = window.document().view;
    for (const compat::Key key : {compat::Key::space, compat::Key::escape, compat::Key::page_down}) {
      if (key == compat::Key::page_down && level == Level::pipeline) continue;          // it goes on while it plays
      for (int frames = 1; frames < 60; frames += level == Level::pipeline ? 1 : 11) {  // the next moment is due in one
        INFO(static_cast<int>(level) << " " << frames);
        window.press(compat::Key::space);
        REQUIRE(window.document().view.playing);
        for (int i = 0; i < frames; ++i) window.frame();
        window.press(key);
        CHECK_FALSE(window.document().view.playing);
        if (key == compat::Key::escape) CHECK_FALSE(window.document().view.step);
        window.session.perform(EditView{[&](View& v) { v = before; }});
      }
    }
  }
}
