// The map: positions of cells at every zoom, painted tiles of long matrices, mouse and keys.
#include <cmath>

#include "core/base/tensor/error.h"
#include "tests/catch.h"
#include "tests/ui/headless.h"
#include "ui/base/document/view.h"
#include "ui/views/map/map_picture.h"

using namespace headlight;
using namespace headlight::test;

namespace {

const Rect view{{300, 100}, {1100, 700}};
constexpr Index many = 131072;

Document on_map(Index queries) {
  Document document = random_document(queries, 16, 2);
  document.view.kind = ViewKind::map;
  return document;
}

/// The centre of the map, where tests drag and turn the wheel.
const ImVec2 centre{620, 350};

}  // namespace

TEST_CASE("the whole matrix is in sight where nothing else is said, and never less than the view beside it") {
  const MapCamera whole = map_camera({}, view, many, many, 76);
  CHECK(whole.shows_all());
  CHECK(whole.rows_seen() == std::pair<Index, Index>{0, many});
  CHECK(whole.cols_seen() == std::pair<Index, Index>{0, many});
  CHECK_FALSE(whole.region());
  const MapCamera corner = moved(zoomed(whole, 50, view.centre()), {1e9f, -1e9f});
  CHECK(corner.cols_seen().first == 0);
  CHECK(corner.rows_seen().second == many);
  CHECK(corner.x(0) == view.min.x);
  CHECK(corner.y(static_cast<double>(many)) == Approx(view.max.y));
}

TEST_CASE("zooming keeps the cell under the pointer in place, down to single cells of 131,072") {
  MapCamera camera = map_camera({}, view, many, many, 76);
  const ImVec2 point{707, 401};
  for (int turn = 0; turn < 80; ++turn) {
    const double key = camera.key(point.x), query = camera.query(point.y);
    camera = zoomed(camera, 1.25, point);
    if (camera.left <= 0 || camera.top <= 0) continue;  // the camera is limited by an edge
    CHECK(std::abs(camera.key(point.x) - key) < 1e-6 * static_cast<double>(many) / camera.scale);
    CHECK(std::abs(camera.query(point.y) - query) < 1e-6 * static_cast<double>(many) / camera.scale);
  }
  CHECK(camera.scale == 76);
  const auto [row, col] = *camera.at(point);
  CHECK(camera.x(static_cast<double>(col + 1)) - camera.x(static_cast<double>(col)) == Approx(76).margin(0.001));
  CHECK(camera.x(static_cast<double>(col)) <= point.x);
  CHECK(camera.y(static_cast<double>(row + 1)) > point.y);
}

TEST_CASE("what is in sight comes back from its region, and from its text to whole cells") {
  const MapCamera camera = centred(map_camera({}, view, many, many, 76), 70000.5, 69000.5, 5);
  const MapCamera again = map_camera(camera.region(), view, many, many, 76);
  CHECK(again.scale == Approx(camera.scale));
  CHECK(again.left == Approx(camera.left));
  CHECK(again.top == Approx(camera.top));
  View shown;
  shown.kind = ViewKind::map;
  shown.map.stage = Stage::masked_scores;
  shown.map.region = camera.region();
  const std::string address = view_address(shown);
  CHECK(address == "map:masked_scores:69941:70061,68921:69081");
  CHECK(view_text(parse_view("--view", address)) == address);
  shown.map.region = MapRegion{99999.7, 200000, 0.2, 1000000};
  CHECK(view_address(shown) == "map:masked_scores:100000:200000,0:1000000");
  shown.map.region = camera.region();
  const View back = with_saved_view({}, saved_view(shown));
  CHECK(back.kind == ViewKind::map);
  CHECK(back.map.stage == Stage::masked_scores);
  CHECK(back.map.region == MapRegion{69941, 70061, 68921, 69081});
  for (const char* wrong :
       {"nothing", "Q", "weights:", "weights:1:2", "weights:5:5,0:3", "weights:0:3,0:x", "weights:0:3,0:3,4"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_map("--view", wrong), SettingError);
  }
}

TEST_CASE("a cell of a tile is at most a pixel, and more than half of one, until cells are larger themselves") {
  for (double scale = 0.0047; scale < 76; scale *= 1.3) {
    const MapCamera camera = centred(map_camera({}, view, many, many, 76), 60000, 60000, scale);
    const double pixels = camera.scale * static_cast<double>(Index{1} << camera.level());
    CAPTURE(scale, camera.level());
    CHECK((camera.scale >= 1 ? camera.level() == 0 : pixels <= 1.000001 && pixels > 0.5));
    const TileRange tiles = camera.tiles();
    CHECK((tiles.row1 - tiles.row0) * (tiles.col1 - tiles.col0) <= 9 * 7);
  }
}

TEST_CASE("a place is a query and a key, or one number for both") {
  CHECK(parse_place("70, 30", 100, 50) == std::pair<Index, Index>{70, 30});
  CHECK(parse_place("(70; 30)", 100, 50) == std::pair<Index, Index>{70, 30});
  CHECK(parse_place("12", 100, 50) == std::pair<Index, Index>{12, 12});
  for (const char* wrong : {"", "70", "100 3", "-1 3", "1 2 3", "q 3", "99999999999999999999 1"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_place(wrong, 100, 50), InputError);
  }
}

TEST_CASE("the map paints only visible tiles") {
  HeadlessWindow window(on_map(600));
  REQUIRE(window.painter.quads.size() > 1);
  for (const MatrixQuad& quad : window.painter.quads) {
    CHECK(quad.values.size(2) <= tile_side);
    CHECK(quad.values.size(3) <= tile_side);
  }
  const std::size_t whole = window.painter.quads.size();
  window.move(centre);
  for (int turn = 0; turn < 12; ++turn) window.wheel(1);
  window.settle();
  CHECK(window.document().view.map.region);
  CHECK(window.painter.quads.size() < whole + 4);
}

TEST_CASE("the wheel zooms, dragging moves, and the small map and Fit move back") {
  HeadlessWindow window(on_map(600));
  window.move(centre);
  window.wheel(6);
  window.settle();
  REQUIRE(window.document().view.map.region);
  const MapRegion near = *window.document().view.map.region;
  CHECK(near.k1 - near.k0 < 600);
  window.drag(centre, {centre.x - 100, centre.y});
  const MapRegion moved_right = *window.document().view.map.region;
  CHECK(moved_right.k0 > near.k0);
  CHECK(moved_right.q0 == Approx(near.q0));
  window.drag({centre.x - 100, centre.y}, centre, 2);  // the middle button moves it back
  CHECK(window.document().view.map.region->k0 == Approx(near.k0));
  window.drag(centre, {centre.x - 100, centre.y});
  CHECK_FALSE(window.document().view.selected == Cell{});  // a drag selects nothing new
  const ImVec2 small = window.find("canvas", {"small"});
  REQUIRE(small.x > 0);
  window.click({small.x, small.y});
  CHECK_FALSE(*window.document().view.map.region == moved_right);
  const ImVec2 fit = window.find("canvas", {"fit"});
  REQUIRE(fit.x > 0);
  window.click(fit);
  CHECK_FALSE(window.document().view.map.region);
}

TEST_CASE(
    "G, two numbers and Enter go to a cell whose number is then read; a place that is not there changes nothing") {
  HeadlessWindow window(on_map(600));
  window.press('g');
  window.frame();
  window.frame();
  window.type_and_enter("412, 37");
  window.settle();
  const View& view_now = window.document().view;
  REQUIRE(view_now.selected);
  CHECK(*view_now.selected == Cell{Stage::weights, 0, view_now.head, 412, 37});
  REQUIRE(view_now.map.region);
  CHECK(view_now.map.region->q0 < 412);
  CHECK(view_now.map.region->q1 > 413);
  CHECK(view_now.map.region->q1 - view_now.map.region->q0 < 20);
  const MapChoice before = view_now.map;
  window.press('g');
  window.frame();
  window.frame();
  window.type_and_enter("412, 3700");
  window.settle();
  CHECK(window.document().view.map == before);
  CHECK(window.document().error.english().find("3700") != std::string::npos);
}

TEST_CASE("the cell that Alt and an arrow select stays visible") {
  HeadlessWindow window(on_map(600));
  window.session.perform(EditView{[](View& v) {
    v.map.region = MapRegion{100, 110, 100, 110};
    v.selected = Cell{Stage::weights, 0, 0, 105, 105};
  }});
  window.settle();
  for (int i = 0; i < 30; ++i) window.press(compat::Key::right, {false, false, true});
  window.settle();
  const View& now = window.document().view;
  REQUIRE(now.selected);
  CHECK(now.selected->col == 135);
  CHECK(now.map.region->k0 <= 135);
  CHECK(now.map.region->k1 >= 136);
}

TEST_CASE("on the map, the export dialog begins with the visible region") {
  HeadlessWindow window(on_map(600));
  window.session.perform(EditView{[](View& v) {
    v.map.stage = Stage::scaled_scores;
    v.map.region = MapRegion{100.2, 180.4, 300, 380};
  }});
  window.settle();
  window.press('e', true);
  window.settle();
  const View& now = window.document().view;
  REQUIRE(now.dialog == Dialog::exporting);
  CHECK(now.exporting.options.stage == Stage::scaled_scores);
  CHECK(now.exporting.options.rows == IndexSlice{100, 180});
  CHECK(now.exporting.options.cols == IndexSlice{300, 380});
}
