#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/catch.h"
#include "tests/ui/headless.h"
#include "ui/base/frame/pictures.h"
#include "ui/base/look/fonts.h"
#include "ui/base/look/words.h"
#include "ui/views/heads/heads_picture.h"

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

TEST_CASE("from 1 to 65 head cards stay in their box and do not overlap") {
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

TEST_CASE("the average is over the chosen heads only") {
  const Tensor values = Tensor::of({1, 3, 1, 2}, {1, 2, 100, 100, 3, 6});
  HeadsAverage average;
  average.want(values, {}, 0, {0, 2});
  CHECK(average.busy());
  average.advance(1);
  REQUIRE_FALSE(average.busy());
  CHECK(average.mean().at({0, 0, 0, 0}) == 2);
  CHECK(average.mean().at({0, 0, 0, 1}) == 4);
}

TEST_CASE("an average is masked where none of its heads may attend") {
  const Tensor values = Tensor::of({1, 3, 1, 3}, {1, 0, 0, 1, 0, 0, 0.5f, 0, 0.5f});
  const Tensor mask = Tensor::of({1, 3, 1, 3}, {1, 0, 0, 1, 1, 0, 1, 0, 1});
  HeadsAverage average;
  average.want(values, mask, 0, {0, 2});
  average.advance(1);
  REQUIRE_FALSE(average.busy());
  CHECK(average.allowed().at({0, 0, 0, 0}) == 1);
  CHECK(average.allowed().at({0, 0, 0, 1}) == 0);
  CHECK(average.allowed().at({0, 0, 0, 2}) == 1);
}

TEST_CASE("an average is computed in parts over several frames, and not again for the same heads") {
  const Tensor values = Tensor::full({2, 4, 10, 5}, 3);
  HeadsAverage average;
  average.want(values, {}, 1, {0, 1, 3});
  for (int frame = 0; frame < 5; ++frame) {
    CHECK(average.busy());
    average.want(values, {}, 1, {0, 1, 3});
    average.advance(2 * 3 * 5);  // enough for two rows
  }
  REQUIRE_FALSE(average.busy());
  CHECK(average.share() == 1);
  CHECK(average.mean().at({0, 0, 9, 4}) == 3);
  const Tensor mean = average.mean();
  average.want(values, {}, 1, {0, 1, 3});
  CHECK(identical(average.mean(), mean));
  average.want(values, {}, 0, {0, 1, 3});
  CHECK(average.busy());
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

TEST_CASE("the heads view has a target for each card, with its matrix and name on it") {
  HeadlessWindow window(heads_document());
  window.settle();
  const auto* picture = window.session.pictures().find<HeadsPicture>();
  REQUIRE(picture);
  const Scene& scene = picture->cards;
  REQUIRE(scene.targets.size() == 5);
  for (Index head = 0; head < 5; ++head) {
    const SceneTarget& card = scene.targets[static_cast<std::size_t>(head)];
    CHECK(card.action == SceneAction::head);
    CHECK(card.index == (head < 4 ? 1 : 0));  // the card of the mean has index 0
    const SceneHeat* heat = heat_at(scene, card.rect.centre());
    REQUIRE(heat);
    CHECK((heat->heat == picture->average) == (head == 4));
    if (head < 4) CHECK(heat->heat->head == head);
    CHECK(std::ranges::any_of(scene.items, [&](const SceneItem& item) {
      const auto* text = std::get_if<SceneText>(&item);
      return text && card.rect.contains(text->rect.min) &&
             text->text == (head < 4 ? "head " + std::to_string(head) : picture->average_title);
    }));
  }
}

TEST_CASE("the colour bar below the heads has the range that the view gives their colours") {
  Document document = heads_document();
  document.scenario.source = Source::random;
  const auto said = [&] {
    HeadlessWindow window(document);
    window.settle();
    Record record;
    ImGui::GetIO().UserData = &record;
    window.painter.quads.clear();
    window.frame();
    ImGui::GetIO().UserData = nullptr;
    const std::vector<MatrixQuad>& quads = window.painter.quads;
    const auto at =
        std::ranges::find_if(record.texts, [](const RecordedText& t) { return t.text.starts_with("colours"); });
    REQUIRE(at + 2 < record.texts.end());
    if (at->text == "colours") {
      CHECK((at + 1)->text == bound_text(quads[0].range.lo));
      CHECK((at + 2)->text == bound_text(quads[0].range.hi));
    }
    for (const MatrixQuad& quad : quads)
      CHECK(quad.range.hi <= quads.back().range.hi);  // the last card, the mean, has the widest range
    return at->text;
  };
  CHECK(said() == "colours");
  document.view.norm = Norm::log;
  CHECK(said() == "colours · log");
  document.view.norm.reset();
  document.view.heads.stage = Stage::scores;
  CHECK(said() == "colours");
  document.view.range.mode = RangeMode::head;
  CHECK(said().starts_with("colours: each head"));
  document.view.range.mode = RangeMode::row;
  CHECK(said().starts_with("colours: each row"));
}

TEST_CASE("a double-click shows one head alone, and another all again") {
  Document document = heads_document();
  document.view.heads.heads = {1, 2};
  HeadlessWindow window(document);
  window.double_click(middle(window.painter.quads[2]));
  CHECK(window.document().view.heads.isolated == Index{2});
  CHECK(window.document().view.head == 2);
  REQUIRE(window.painter.quads.size() == 1);
  CHECK(window.painter.quads[0].head == 2);
  window.double_click(middle(window.painter.quads[0]));
  CHECK_FALSE(window.document().view.heads.isolated);
  CHECK(window.document().view.heads.heads.empty());
  CHECK(window.painter.quads.size() == 5);
}

TEST_CASE("Ctrl and a click add a head to the chosen ones or remove it, and the average follows") {
  HeadlessWindow window(heads_document());
  const ImVec2 first = middle(window.painter.quads[0]), last = middle(window.painter.quads[3]);
  window.ctrl_click(last);
  window.ctrl_click(first);
  CHECK(window.document().view.heads.heads == std::vector<Index>{0, 3});
  const Tensor& weights = (*window.document().trace)[Stage::weights];
  REQUIRE(window.painter.quads.size() == 5);
  CHECK(window.painter.quads[4].values.at({0, 0, 4, 1}) == (weights.at({0, 0, 4, 1}) + weights.at({0, 3, 4, 1})) / 2);
  window.ctrl_click(last);
  CHECK(window.document().view.heads.heads == std::vector<Index>{0});
  CHECK(window.painter.quads.size() == 4);  // a single head has no average
}

TEST_CASE("the average of large heads is complete when the window has settled") {
  Document document = random_document(1100, 8, 8);
  document.view.kind = ViewKind::heads;
  HeadlessWindow window(document);
  window.settle();
  CHECK(window.session.idle());
  REQUIRE(window.painter.quads.size() == 9);
  const Tensor& weights = (*window.document().trace)[Stage::weights];
  float sum = 0;
  for (Index h = 0; h < 8; ++h) sum += weights.at({0, h, 1099, 700});
  CHECK(window.painter.quads[8].values.at({0, 0, 1099, 700}) == sum / 8);
}

TEST_CASE("cells that the player has not computed are blank, cannot be pointed at, and have no arcs") {
  Document document = heads_document();
  HeadlessWindow whole(document);
  const Timeline timeline(*whole.document().trace);
  for (const Timeline::Chapter& chapter : timeline.chapters()) {
    if (chapter.stage == Stage::weights) document.view.step = chapter.first + 4;
  }
  REQUIRE(document.view.step);
  HeadlessWindow window(document);
  const Index shown = timeline.shown(Stage::weights, *document.view.step).rows;
  REQUIRE(shown > 0);
  REQUIRE(shown < 6);
  REQUIRE(window.painter.quads.size() == 5);
  for (const MatrixQuad& quad : window.painter.quads) CHECK(quad.revealed == shown * 6);
  const MatrixQuad& quad = window.painter.quads[1];
  window.move({quad.min.x + 3, quad.max.y - 3});
  window.frame();
  window.frame();
  CHECK_FALSE(window.document().view.pointed.cell);
  window.move({quad.min.x + 3, quad.min.y + 3});
  window.frame();
  window.frame();
  CHECK(window.document().view.pointed.cell == Cell{Stage::weights, 0, 1, 0, 0});
}

TEST_CASE("stages of key/value heads have a card for each of these, shared by its query heads") {
  Document document = sentence();
  document.scenario.kv_heads = 2;
  document.view.kind = ViewKind::heads;
  document.view.heads.stage = Stage::K_heads;
  HeadlessWindow window(document);
  REQUIRE(window.painter.quads.size() == 3);  // two heads and their average
  CHECK(window.painter.quads[1].head == 1);
  const ImVec2 second = middle(window.painter.quads[1]);
  window.click(second);
  REQUIRE(window.document().view.selected);
  CHECK(window.document().view.selected->stage == Stage::K_heads);
  CHECK(window.document().view.selected->head == 1);
  CHECK(window.document().view.head == 2);  // the first query head that uses it
  window.ctrl_click(second);
  CHECK(window.document().view.heads.heads == std::vector<Index>{2, 3});
  window.ctrl_click(second);
  CHECK(window.document().view.heads.heads.empty());
  window.double_click(second);
  REQUIRE(window.painter.quads.size() == 1);
  CHECK(window.painter.quads[0].head == 1);
}

TEST_CASE("the arc nearest to the pointer is found, with its weight") {
  HeadsPicture picture;
  picture.n_q = picture.n_k = 4;
  picture.arcs = {{100, 0}, {300, 400}};
  const std::vector<HeadArcs> heads{{1, 0, {{0, 0, 0.7f}, {0, 2, 0.3f}}}, {3, 0, {{2, 3, 1.0f}}}};
  CHECK(picture.arc_at(heads, {299, 51}, 5) == Cell{Stage::weights, 0, 1, 0, 0});
  CHECK(picture.arc_at(heads, {299, 249}, 5) == Cell{Stage::weights, 0, 1, 0, 2});
  CHECK(picture.arc_at(heads, {200, 148}, 5) == Cell{Stage::weights, 0, 1, 0, 2});
  CHECK(picture.arc_at(heads, {101, 249}, 5) == Cell{Stage::weights, 0, 3, 2, 3});
  CHECK_FALSE(picture.arc_at(heads, {200, 350}, 5));
  CHECK_FALSE(picture.arc_at(heads, {99, 51}, 5));
}

TEST_CASE("pointing at an arc highlights a weight of a chosen head") {
  Document document = heads_document();
  document.view.heads.heads = {1, 3};
  document.view.heads.mass = 1;
  HeadlessWindow window(document);
  const Tensor& weights = (*window.document().trace)[Stage::weights];
  int met = 0;
  for (float y = 200; y < 800; y += 7) {
    window.move({1080, y});  // this is among the arcs
    window.frame();
    window.frame();
    const std::optional<Cell> cell = window.document().view.pointed.cell;
    if (!cell) continue;
    ++met;
    CHECK(cell->stage == Stage::weights);
    CHECK((cell->head == 1 || cell->head == 3));
    CHECK(weights.at({0, cell->head, cell->row, cell->col}) > 0);
  }
  CHECK(met > 5);
}

TEST_CASE("a slider sets the mass of the arcs from 0 to 1") {
  HeadlessWindow window(heads_document());
  const ImVec2 at = window.find("canvas/mass", {"slider", "##track"});
  REQUIRE(at.x > 0);
  window.drag(at, {at.x - 2000, at.y});
  CHECK(window.document().view.heads.mass == 0);
  CHECK(window.document().view.heads.heads.empty());  // the drag chose no heads
  window.drag(window.find("canvas/mass", {"slider", "##track"}), {2000, at.y});
  CHECK(window.document().view.heads.mass == 1);
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
