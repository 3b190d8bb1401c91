#include "tests/allocations.h"
#include "tests/catch.h"
#include "tests/ui/headless.h"
#include "ui/views/masklab/sheet.h"

using namespace headlight;
using namespace headlight::test;

namespace {

Document sheet(MaskTab tab, const std::string& mask = "causal() && window(3)") {
  Document document = sentence();
  document.view.kind = ViewKind::mask;
  document.view.mask_lab.tab = tab;
  document.scenario.mask = mask;
  return document;
}

}  // namespace

TEST_CASE("every sheet of the mask view draws, with a mask and without, and allocates nothing while nothing changes") {
  for (const MaskTab tab : {MaskTab::conventions, MaskTab::reach, MaskTab::cost, MaskTab::side_by_side}) {
    for (const char* mask : {"causal() && window(3)", ""}) {
      HeadlessWindow window(sheet(tab, mask));
      INFO(static_cast<int>(tab) << " " << mask);
      CHECK(window.document().error.empty());
      for (int i = 0; i < 4; ++i) window.frame();
      const std::size_t before = allocations_of_this_thread();
      for (int i = 0; i < 5; ++i) window.frame();
      CHECK(allocations_of_this_thread() == before);
    }
  }
}

TEST_CASE("a click on a convention pins the run and shows what the other choice changes") {
  HeadlessWindow window(sheet(MaskTab::conventions));
  const ImVec2 at = window.find("canvas", {"window"});
  REQUIRE(at.x > 0);
  window.click(at);
  CHECK(window.document().scenario.mask == "causal() && window_inclusive(3)");
  CHECK(window.document().view.kind == ViewKind::compare);
  REQUIRE(window.document().difference != nullptr);
  CHECK(window.document().difference->first()->stage == Stage::mask);
}

TEST_CASE("side by side: the two masks and where they differ, as B is typed") {
  Document document = sheet(MaskTab::side_by_side, "causal()");
  document.view.mask_lab.other = "causal() && window(2)";
  HeadlessWindow window(document);
  REQUIRE(window.painter.quads.size() == 3);
  CHECK(window.painter.quads[0].values.at({5, 0}) == 1);
  CHECK(window.painter.quads[1].values.at({5, 0}) == 0);
  CHECK(window.painter.quads[2].values.at({5, 0}) == -1);  // B − A is -1, because only A allows the cell
  CHECK(window.painter.quads[2].values.at({5, 5}) == 0);
  window.click(window.find("canvas", {"use"}));
  CHECK(window.document().scenario.mask == "causal() && window(2)");
}

TEST_CASE("side by side: a second mask that does not parse says why in its sheet, and nothing else is disturbed") {
  Document document = sheet(MaskTab::side_by_side, "causal()");
  document.view.mask_lab.other = "causal( &&";
  HeadlessWindow window(document);
  CHECK(window.painter.quads.empty());
  CHECK(window.document().error.empty());
  CHECK(window.document().scenario.mask == "causal()");
}

TEST_CASE("reach: the layer after which a query may know of a token") {
  Document document = sheet(MaskTab::reach, "causal() && window(2)");
  document.view.mask_lab.layers = 3;
  HeadlessWindow window(document);
  REQUIRE(window.painter.quads.size() == 1);
  const MatrixQuad& quad = window.painter.quads[0];
  CHECK(quad.mask.at({5, 2}) == 1);  // reached in three steps of one token
  CHECK(quad.mask.at({5, 1}) == 0);
  CHECK(quad.values.at({5, 4}) == 3);  // reached after the first of three layers, so strongest
  CHECK(quad.values.at({5, 2}) == 1);
}

TEST_CASE("reach: the query is the row under the pointer, else the selected one") {
  Document document = sheet(MaskTab::reach, "causal() && window(2)");
  document.view.selected = Cell{Stage::mask, 0, 0, 4, 1};
  HeadlessWindow window(document);
  const std::size_t selected = window.drawn();
  const MatrixQuad quad = window.painter.quads.at(0);
  const auto row = [&](Index r) {
    return ImVec2{(quad.min.x + quad.max.x) / 2,
                  quad.min.y + (static_cast<float>(r) + 0.5f) * (quad.max.y - quad.min.y) / 6};
  };
  window.move(row(2));
  for (int i = 0; i < 3; ++i) window.frame();
  REQUIRE(window.document().view.pointed.cell);
  CHECK(window.document().view.pointed.cell->row == 2);
  CHECK(window.drawn() != selected);
  CHECK(identical(window.painter.quads.at(0).values, quad.values));  // the matrix was not made again
  window.click(row(3));
  CHECK(window.document().view.selected->row == 3);
}

TEST_CASE("cost: blocks follow the number of tokens until one is chosen, and cells say what becomes of them") {
  Document document = random_document(48, 16, 4);
  document.view.kind = ViewKind::mask;
  document.view.mask_lab.tab = MaskTab::cost;
  document.scenario.mask = "causal()";
  HeadlessWindow window(document);
  const MatrixQuad& usual = window.painter.quads.at(0);  // the default blocks have 16 cells
  CHECK(usual.mask.at({0, 16}) == 0);
  CHECK(usual.values.at({0, 15}) == 1);
  CHECK(usual.values.at({16, 0}) == 3);
  CHECK_FALSE(window.document().view.mask_lab.block);
  Document chosen = document;
  chosen.view.mask_lab.block = 4;
  HeadlessWindow other(chosen);
  CHECK(other.painter.quads.at(0).values.at({0, 3}) == 1);
  CHECK(other.painter.quads.at(0).mask.at({0, 4}) == 0);
}

TEST_CASE("conventions: the run as it is comes first, then what changes something") {
  HeadlessWindow window(sheet(MaskTab::conventions));
  window.settle();
  const Trace& trace = *window.document().trace;
  REQUIRE(window.painter.quads.size() == 4);  // the fills change nothing and are only named
  const auto changes = [&](const MatrixQuad& quad) {
    for (Index q = 0; q < 6; ++q) {
      for (Index k = 0; k < 6; ++k) {
        if (quad.values.at({0, 0, q, k}) != trace[Stage::weights].at({0, 0, q, k})) return true;
      }
    }
    return false;
  };
  CHECK_FALSE(changes(window.painter.quads[0]));
  for (std::size_t i = 1; i < 4; ++i)
    CHECK(changes(window.painter.quads[i]));  // polarity, window, mask after the softmax
}

TEST_CASE("what a convention changes is said in whole words, and that it changes nothing") {
  const Words words("en");
  CHECK(effect_words(words, {}) == std::vector<std::string>{"no change here"});
  ConventionEffect effect;
  effect.cells = 144;
  effect.weights_change = 1;
  effect.output_change = 11.63f;
  CHECK(effect_words(words, effect) ==
        std::vector<std::string>{"144 mask cells differ", "weights by up to 1.000", "output by up to 11.6"});
}

TEST_CASE("counts are of the matrix that is shown, and have their thousands apart") {
  const Words words("en");
  ConventionEffect effect;
  effect.cells = 1234567;
  CHECK(effect_words(words, effect).front() == "1,234,567 mask cells differ");
  ConventionBoard board;
  Document document = sheet(MaskTab::conventions);
  HeadlessWindow window(document);
  board.want(window.document().trace, 0, 1);
  while (board.advance()) {}
  for (const ConventionBoard::Entry& entry : board.done()) {
    if (entry.choice.id == "polarity") CHECK(entry.effect.cells == 36);  // of one head; all four have 144
  }
}

TEST_CASE("reach between other queries and keys is the row of the mask, once") {
  Document document = sheet(MaskTab::reach, "k < 3");
  document.scenario.source = Source::random;
  document.scenario.queries = 4;
  document.scenario.keys = 7;
  HeadlessWindow window(document);
  REQUIRE(window.painter.quads.size() == 1);
  CHECK(window.painter.quads[0].mask.at({3, 2}) != 0);
  CHECK(window.painter.quads[0].mask.at({3, 3}) == 0);
}
