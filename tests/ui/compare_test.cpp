#include <algorithm>

#include "core/compute/run/difference.h"
#include "tests/catch.h"
#include "tests/ui/headless.h"
#include "ui/base/frame/pictures.h"
#include "ui/views/compare/compare_picture.h"

using namespace headlight;
using namespace headlight::test;

namespace {

Document comparing() {
  Document document = sentence();
  document.view.kind = ViewKind::compare;
  return document;
}

}  // namespace

TEST_CASE("the compare view shows the pinned result, the present one and their difference") {
  HeadlessWindow window(comparing());
  CHECK(window.painter.quads.empty());  // nothing is pinned yet
  window.click(window.find("canvas", {"pin"}));
  const auto a = window.document().pinned;
  REQUIRE(a != nullptr);
  REQUIRE(window.document().difference != nullptr);
  CHECK(window.document().difference->first() == nullptr);

  window.click(window.find("controls", {"none"}));  // removes the mask
  const auto b = window.document().trace;
  REQUIRE(b != a);
  CHECK(window.document().pinned == a);
  CHECK(window.document().difference->first()->stage == Stage::mask);
  REQUIRE(window.painter.quads.size() > 3);
  CHECK(identical(window.painter.quads[0].values, (*a)[Stage::weights]));
  CHECK(identical(window.painter.quads[1].values, (*b)[Stage::weights]));
  CHECK(identical(window.painter.quads[2].values, window.document().difference->find(Stage::weights)->values));
  CHECK(window.painter.quads[0].range == window.painter.quads[1].range);
  CHECK(window.painter.quads[2].range.lo == -window.painter.quads[2].range.hi);

  const auto* picture = window.session.pictures().find<ComparePicture>();
  REQUIRE(picture);
  const auto heats = std::ranges::count_if(
      picture->scene.items, [](const SceneItem& item) { return std::holds_alternative<SceneHeat>(item); });
  CHECK(static_cast<std::size_t>(heats) == window.painter.quads.size());
  for (const StageDifference& stage : window.document().difference->stages) {
    const bool tile = std::ranges::any_of(picture->scene.targets, [&](const SceneTarget& target) {
      return target.action == SceneAction::stage && target.cell.stage == stage.stage && target.id == name(stage.stage);
    });
    CHECK(tile == (stage.kind != StageDifference::Kind::same));
  }

  window.click(window.find("canvas", {"output"}));  // a click on a tile shows it large and selects its largest change
  CHECK(window.document().view.compared == Stage::output);
  CHECK(window.document().view.selected == window.document().difference->find(Stage::output)->at);

  window.click(window.find("canvas", {"compare.back"}));
  CHECK(window.document().scenario == a->scenario);
  CHECK(window.document().difference->first() == nullptr);
  window.press('z', true);  // one step of undo
  window.settle();
  CHECK(window.document().scenario == b->scenario);
  window.click(window.find("canvas", {"compare.unpin"}));
  CHECK(window.document().pinned == nullptr);
  CHECK(window.document().difference == nullptr);
}

TEST_CASE(
    "results of other sizes are not subtracted but stand beside each other, and pointing at A's takes no cell of B's") {
  HeadlessWindow window(comparing());
  window.click(window.find("canvas", {"pin"}));
  window.session.open("lesson:query-key-value");
  window.settle();
  REQUIRE(window.document().difference != nullptr);
  CHECK(window.document().difference->find(Stage::weights)->kind == StageDifference::Kind::other_shape);
  CHECK(window.document().error.empty());
  REQUIRE(window.painter.quads.size() == 2);
  const Trace &a = *window.document().pinned, &b = *window.document().trace;
  const MatrixQuad &left = window.painter.quads[0], &right = window.painter.quads[1];
  CHECK(identical(left.values, a[Stage::weights]));
  CHECK(identical(right.values, b[Stage::weights]));
  CHECK(left.range.hi == right.range.hi);
  const auto last_cell = [](const MatrixQuad& quad) { return ImVec2{quad.max.x - 3, quad.max.y - 3}; };
  window.move(last_cell(left));
  window.settle();
  CHECK_FALSE(window.document().view.pointed.cell);
  window.move(last_cell(right));
  window.settle();
  REQUIRE(window.document().view.pointed.cell);
  CHECK(window.document().view.pointed.cell->row == b[Stage::weights].matrix().rows - 1);
}

TEST_CASE("the key A pins the shown result") {
  HeadlessWindow window(sentence());
  window.press('a');
  window.settle();
  REQUIRE(window.document().pinned != nullptr);
  CHECK(window.document().pinned->scenario == window.document().scenario);
}

TEST_CASE("a what-if question pins the result and makes its change") {
  HeadlessWindow window(comparing());
  const auto before = window.document().trace;
  window.click(window.find("canvas", {"compare.what_if.no_scale"}));
  window.settle();
  CHECK(window.document().pinned == before);
  CHECK(window.document().scenario.scale == 1.0f);
  REQUIRE(window.document().difference != nullptr);
  CHECK(window.document().difference->first()->stage == Stage::scaled_scores);
}
