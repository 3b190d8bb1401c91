// Transitions between scenes: numbers that both have move, everything else fades.
#include "ui/parts/scene/travel.h"

#include <algorithm>
#include <cmath>

#include "tests/catch.h"
#include "tests/places.h"
#include "tests/ui/studio.h"
#include "ui/dialogs/export/recorder.h"
#include "ui/parts/player/stages.h"

using namespace headlight;
using namespace headlight::test;

namespace {

std::vector<SceneFill> fills_of(const Scene& scene) {
  std::vector<SceneFill> fills;
  for (const SceneItem& item : scene.items) {
    if (const auto* fill = std::get_if<SceneFill>(&item)) fills.push_back(*fill);
  }
  return fills;
}

Document of_network() {
  Document document = sentence();
  document.scenario = {};
  document.scenario.source = Source::file;
  document.scenario.file = places::sentences();
  document.scenario.text = "the cat that chases the dogs";
  return document;
}

/// Draws frames until nothing moves, and returns their number.
int frames_on_the_way(HeadlessWindow& window) {
  int frames = 0;
  for (; !window.session.idle() && frames < 120; ++frames) window.frame();
  return frames;
}

}  // namespace

TEST_CASE("heads are columns of the whole, and scores stay scores, for what travels") {
  const Studio studio(sentence(), {{1600, 900}});
  const Index d_head = studio.trace().dims().d_head;
  const Cell column = same_number(studio.trace(), {Stage::K_heads, 0, 2, 1, 3});
  CHECK(column == Cell{Stage::K, 0, 0, 1, 2 * d_head + 3});
  CHECK(same_number(studio.trace(), {Stage::masked_scores, 0, 1, 2, 3}) == Cell{Stage::scores, 0, 1, 2, 3});
  CHECK(same_number(studio.trace(), {Stage::weights, 0, 1, 2, 3}) == Cell{Stage::weights, 0, 1, 2, 3});
}

TEST_CASE(
    "a number that two scenes have is on its way between its places, whole all the time; at the ends it is there") {
  const Studio studio(sentence(), {{1600, 900}});
  const Scene from = studio.operation(Stage::Q), to = studio.operation(Stage::Q_heads);
  Rect before{}, after{};
  for (const float share : {0.0f, 0.25f, 0.5f, 0.75f, 1.0f}) {
    INFO(share);
    const Scene scene = between(studio.trace(), from, to, share);
    const auto fills = fills_of(scene);
    REQUIRE_FALSE(fills.empty());
    const Rect last = fills.back().rect;  // moving numbers are last
    if (share == 0.0f) before = last;
    if (share == 1.0f) after = last;
    CHECK((fills.back().colour >> IM_COL32_A_SHIFT) > 60);
  }
  const Scene half = between(studio.trace(), from, to, 0.5f);
  const Rect middle = fills_of(half).back().rect;
  CHECK(std::abs(middle.min.x - (before.min.x + after.min.x) / 2) < 0.5f);
  CHECK(std::abs(middle.min.y - (before.min.y + after.min.y) / 2) < 0.5f);
  CHECK(std::hypot(after.min.x - before.min.x, after.min.y - before.min.y) > 20);
}

TEST_CASE("half way between two scenes stands nothing that is only in one of them, and no two titles") {
  const Studio studio(sentence(), {{1600, 900}});
  const Scene from = studio.operation(Stage::scores), to = studio.operation(Stage::weights);
  const Scene half = between(studio.trace(), from, to, 0.5f);
  for (const SceneText* text : texts_of(half)) {
    INFO(text->text);
    const auto has = [&](const Scene& scene) {
      return std::ranges::any_of(texts_of(scene), [&](const SceneText* each) { return each->text == text->text; });
    };
    CHECK((has(from) && has(to)));
    CHECK(text->role != TextRole::prose);
  }
}

TEST_CASE("a step of the clicker moves the picture for less than a second, and its end is the new step's picture") {
  Document document = sentence();
  document.view.levels.level = Level::operation;
  HeadlessWindow window(document);
  window.settle();
  window.press(compat::Key::page_down);
  CHECK_FALSE(window.session.idle());  // the transition is running
  const int frames = frames_on_the_way(window);
  CHECK(frames > 10);
  CHECK(frames < 60);
}

TEST_CASE("what a matrix of the pipeline shows travels number by number; what the mask hides stays") {
  const Studio studio(sentence(), {{1600, 900}});
  const Trace& trace = studio.trace();
  MatrixQuad quad;
  quad.max = {60, 60};
  quad.values = trace[Stage::weights];
  const Colormap colours = colormap("viridis", Theme::light);
  quad.colormap = &colours;
  quad.range = {0, 1};
  Scene scene;
  put_cells(trace, quad, {Stage::weights, 0, 0, 0, 0}, scene);
  const MatrixView weights = trace[Stage::weights].matrix(0, 0);
  const CellMasks masks = masks_over(trace, Stage::weights, 0, 0);
  std::size_t seen = 0;
  for (Index r = 0; r < weights.rows; ++r) {
    for (Index c = 0; c < weights.cols; ++c) seen += classify(weights, masks, r, c) == CellKind::value ? 1u : 0u;
  }
  CHECK(scene.marks.size() == seen);
  CHECK(scene.items.size() == seen);
  REQUIRE(seen > 0);
  CHECK(std::get<SceneFill>(scene.items[0]).rect.min.x == Approx(0));
}

TEST_CASE("from the pipeline into a step and back takes less than a second") {
  Document document = sentence();
  document.view.levels.level = Level::pipeline;
  HeadlessWindow window(document);
  window.settle();
  for (const Level expected : {Level::operation, Level::pipeline}) {
    window.press(expected == Level::operation ? compat::Key::enter : compat::Key::escape);
    window.frame();
    const int frames = frames_on_the_way(window);
    CHECK(frames > 10);
    CHECK(frames < 60);
    CHECK(window.document().view.levels.level == expected);
  }
}

TEST_CASE("with reduced motion a step is there at once") {
  Document document = sentence();
  document.view.calm = true;
  document.view.levels.level = Level::operation;
  HeadlessWindow window(document);
  window.settle();
  window.press(compat::Key::page_down);
  window.frame();
  CHECK(window.session.idle());
}

TEST_CASE("a film goes from the sentence to its next word in 40 to 60 seconds, nothing in it stands for 2.5 seconds") {
  Document document = of_network();
  document.view.presenting = true;
  document.view.levels.level = Level::sentence;
  HeadlessWindow window(document);
  window.settle();
  const Trace& trace = *window.document().trace;
  REQUIRE(says_next(trace));
  const std::vector<FilmFrame> film = film_story(window.document().view, trace, Timeline(trace), {});
  double whole = 0;
  for (std::size_t i = 0; i < film.size(); ++i) {
    whole += film[i].seconds;
    if (i + 1 < film.size()) CHECK(film[i].seconds < 2.5);
  }
  CHECK(whole >= 40);
  CHECK(whole <= 60);
  CHECK(level_shown(film.front().view) == Level::sentence);
  CHECK(film.back().view.levels.facet == Facet::next);
  CHECK(film.back().view.levels.progress == 1.0f);
  for (const FilmFrame& frame : film) CHECK(frame.view.levels.arrival.has_value());  // no clock decides what is seen
}
