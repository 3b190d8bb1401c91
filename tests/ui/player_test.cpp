#include <algorithm>

#include "core/attention/pipeline.h"
#include "tests/catch.h"
#include "tests/ui/headless.h"
#include "ui/player/timeline.h"

using namespace headlight;
using namespace headlight::test;

TEST_CASE("the timeline shows a stage only after all that it is computed from") {
  const auto trace = compute(sentence().scenario);
  const Timeline timeline(*trace);
  for (int moment = 0; moment < timeline.count(); ++moment) {
    if (timeline.rows_shown(Stage::weights, moment) > 0) {
      CHECK(timeline.rows_shown(Stage::masked_scores, moment) >= 6);
      CHECK(timeline.rows_shown(Stage::Q, moment) >= 6);
    }
    CHECK(timeline.rows_shown(Stage::W_q, moment) >= 16);
  }
  CHECK(timeline.rows_shown(Stage::output, timeline.count() - 2) < 6);
  CHECK(timeline.rows_shown(Stage::output, timeline.count() - 1) >= 6);
}

TEST_CASE("stepping through the whole pipeline forth and back gives the same picture at each step") {
  Document document = sentence();
  document.view.step = 0;
  HeadlessWindow window(document);
  const int count = Timeline(*window.document().trace).count();
  std::vector<std::size_t> pictures;
  for (int moment = 0; moment < count; ++moment) {
    REQUIRE(window.document().view.step == moment);
    pictures.push_back(window.drawn());
    if (moment + 1 < count) window.press(compat::Key::right);
  }
  for (int moment = count - 1; moment >= 0; --moment) {
    INFO(moment);
    REQUIRE(window.document().view.step == moment);
    CHECK(window.drawn() == pictures[static_cast<std::size_t>(moment)]);
    window.press(compat::Key::left);
  }
  std::sort(pictures.begin(), pictures.end());
  CHECK(std::adjacent_find(pictures.begin(), pictures.end()) == pictures.end());  // each moment looks different
}

TEST_CASE("no number is shown before it is computed: not painted, not pointed at, not explained") {
  Document document = sentence();
  document.view.step = 0;
  HeadlessWindow full(sentence());
  const ImVec2 weight = full.cell(Stage::weights, 2, 1);
  HeadlessWindow window(document);
  const Timeline timeline(*window.document().trace);
  for (int moment = 0; moment < timeline.count(); ++moment) {
    for (const MatrixQuad& quad : window.painter.quads) {
      for (const Stage stage : all_stages()) {
        if (stage == Stage::query || stage == Stage::value || !identical(quad.values, (*window.document().trace)[stage])) continue;
        const MatrixView matrix = quad.values.matrix(quad.batch, quad.head);
        const Index rows = timeline.rows_shown(stage, moment);
        INFO(name(stage) << " at " << moment);
        CHECK(rows > 0);
        if (rows < matrix.rows) CHECK(quad.revealed == rows * matrix.cols);
      }
    }
    window.move(weight);
    window.frame();
    window.frame();
    const bool pointed = window.document().view.hovered.has_value();
    CHECK(pointed == (timeline.rows_shown(Stage::weights, moment) > 2));
    window.move({-100, -100});
    window.frame();
    window.press(compat::Key::right);
  }
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
