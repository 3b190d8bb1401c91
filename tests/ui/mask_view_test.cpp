#include "tests/catch.h"
#include "tests/ui/headless.h"

using namespace headlight;
using namespace headlight::test;

namespace {

Document masked_by(const std::string& mask) {
  Document document = sentence();
  document.scenario.mask = mask;
  document.view.kind = ViewKind::mask;
  return document;
}

}  // namespace

TEST_CASE("a click on a pattern makes it the mask, and the weights follow") {
  HeadlessWindow window(masked_by("causal()"), {1600, 1700});
  const ImVec2 tile = window.find("canvas/palette", {"not_self()"});
  REQUIRE(tile.x > 0);
  window.click(tile);
  CHECK(window.document().scenario.mask == "not_self()");
  CHECK((*window.document().trace)[Stage::weights].at({0, 0, 2, 2}) == 0);
  CHECK(window.document().error.empty());
}

TEST_CASE("the padding pattern brings lengths where there are none, and no word of a text is padding") {
  HeadlessWindow window(masked_by("causal()"), {1600, 1700});
  window.click(window.find("canvas/palette", {"padding()"}));
  CHECK(window.document().error.empty());
  CHECK(window.document().scenario.valid_lens == std::vector<std::vector<Index>>{{6}});
}

TEST_CASE("a mask that does not parse is kept as it is typed, and the last good one stays") {
  HeadlessWindow window(masked_by("causal()"));
  const auto before = window.document().trace;
  const ImVec2 field = window.find("controls", {"##mask"});
  REQUIRE(field.x > 0);
  window.click(field);
  window.type_and_enter(" && windwo(3)");
  REQUIRE(window.document().view.mask_draft);
  CHECK(window.document().view.mask_draft->find("windwo(3)") != std::string::npos);
  CHECK(window.document().scenario.mask == "causal()");
  CHECK(window.document().trace == before);
}

TEST_CASE("a slider writes its number into the expression") {
  HeadlessWindow window(masked_by("causal() && window(2)"), {1600, 1300});
  const ImVec2 track = window.find("controls", {"argument 1 0", "##track"});
  REQUIRE(track.x > 0);
  window.drag(track, {2000, track.y});
  CHECK(window.document().scenario.mask == "causal() && window(6)");
  CHECK(window.document().undo.size() == 1);
}
