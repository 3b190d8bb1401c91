#include "core/compute/run/pipeline.h"
#include "tests/catch.h"
#include "ui/parts/matrix/heat.h"
#include "ui/parts/matrix/heatmap.h"

using namespace headlight;

namespace {

HeatPicture labelled(float turned_room) {
  HeatPicture heat;
  heat.rows = heat.cols = 2;
  heat.rect = {{100, 100}, {140, 140}};
  heat.row_labels = {"first row", "second row"};
  heat.col_labels = {"first", "second"};
  heat.label_room = 5;
  heat.turned_room = turned_room;
  return heat;
}

}  // namespace

TEST_CASE("the label under the pointer is found, upright or at 45 degrees") {
  const HeatPicture upright = labelled(0);
  REQUIRE(label_at(upright, upright.rect, {80, 110}, 10));
  CHECK(*label_at(upright, upright.rect, {80, 110}, 10) == "first row");
  CHECK(*label_at(upright, upright.rect, {99, 139}, 10) == "second row");
  CHECK(*label_at(upright, upright.rect, {130, 145}, 10) == "second");
  CHECK(label_at(upright, upright.rect, {130, 160}, 10) == nullptr);
  CHECK(label_at(upright, upright.rect, {110, 110}, 10) == nullptr);
  const HeatPicture turned = labelled(6);
  CHECK(*label_at(turned, turned.rect, {110, 160}, 10) ==
        "second");  // 20 pixels below the end of the label, 15 to its left
  CHECK(*label_at(turned, turned.rect, {110, 141}, 10) == "first");
}

TEST_CASE("a token that occurs twice is labelled with its position, one that occurs once is not") {
  Scenario scenario;
  scenario.text = "the cat saw the dog";
  const auto trace = compute(scenario);
  CHECK(placed_label(*trace, Axis::query, 0, 3) == "the (3)");
  CHECK(placed_label(*trace, Axis::key, 0, 0) == "the (0)");
  CHECK(placed_label(*trace, Axis::key, 0, 1) == "cat");
  CHECK(placed_label(*trace, Axis::query_channel, 0, 3) == "3");
}
