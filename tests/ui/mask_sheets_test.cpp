#include "tests/allocations.h"
#include "tests/catch.h"
#include "tests/ui/headless.h"

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
  CHECK(window.painter.quads[2].values.at({5, 0}) == 1);
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
  CHECK(quad.mask.at({5, 2}) == 1);  // three steps of one token
  CHECK(quad.mask.at({5, 1}) == 0);
  CHECK(quad.values.at({5, 4}) == 3);  // after the first of three layers: the strongest
  CHECK(quad.values.at({5, 2}) == 1);
}
