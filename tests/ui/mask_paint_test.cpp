#include <algorithm>
#include <filesystem>

#include "core/base/arrays/array_write.h"
#include "core/scenario/documents/scenario_json.h"
#include "tests/allocations.h"
#include "tests/catch.h"
#include "tests/ui/headless.h"
#include "ui/base/look/fonts.h"
#include "ui/parts/matrix/heat.h"
#include "ui/views/masklab/mask_field.h"

using namespace headlight;
using namespace headlight::test;

namespace {

Document mask_document(const std::string& mask, PaintTool tool = PaintTool::look, Paint paint = Paint::forbid) {
  Document document = sentence();
  document.scenario.mask = mask;
  document.view.kind = ViewKind::mask;
  document.view.mask_painting.tool = tool;
  document.view.mask_painting.paint = paint;
  return document;
}

float mask_at(const HeadlessWindow& window, Index head, Index row, Index col) {
  return (*window.document().trace)[Stage::mask].at({0, head, row, col});
}

}  // namespace

TEST_CASE("a stroke of the brush paints every cell on its way, and is one step of undo") {
  HeadlessWindow window(mask_document("causal()"));
  window.settle();
  window.click(window.find("canvas", {"mask_paint.brush"}));
  window.click(window.find("canvas", {"mask_paint.allow"}));
  window.drag(window.cell(Stage::mask, 0, 1), window.cell(Stage::mask, 0, 4));
  CHECK(window.document().scenario.painted == std::vector<PaintedCells>{{-1, -1, 0, 1, true, 1, 4}});
  CHECK(window.document().undo.size() == 1);
  CHECK(mask_at(window, 0, 0, 3) == 1);
  CHECK(mask_at(window, 0, 0, 5) == 0);
  window.press('z', true);
  window.settle();
  CHECK(window.document().scenario.painted.empty());
  CHECK(mask_at(window, 0, 0, 3) == 0);
}

TEST_CASE("two strokes are two steps of undo") {
  HeadlessWindow window(mask_document("causal()", PaintTool::brush));
  window.settle();
  window.click(window.cell(Stage::mask, 3, 1));
  window.click(window.cell(Stage::mask, 4, 1));
  CHECK(window.document().undo.size() == 2);
  CHECK(window.document().scenario.painted.size() == 1);
}

TEST_CASE("rows, columns and rectangles are painted whole, and given back to the expression") {
  HeadlessWindow row(mask_document("full()", PaintTool::row));
  row.settle();
  row.click(row.cell(Stage::mask, 2, 3));
  CHECK(row.document().scenario.painted == std::vector<PaintedCells>{{-1, -1, 2, 0, false, 1, 6}});

  HeadlessWindow column(mask_document("full()", PaintTool::column));
  column.settle();
  column.drag(column.cell(Stage::mask, 2, 3), column.cell(Stage::mask, 4, 4));
  CHECK(column.document().scenario.painted == std::vector<PaintedCells>{{-1, -1, 0, 3, false, 6, 2}});

  HeadlessWindow box(mask_document("full()", PaintTool::rectangle));
  box.settle();
  box.drag(box.cell(Stage::mask, 4, 4), box.cell(Stage::mask, 1, 2));
  CHECK(box.document().scenario.painted == std::vector<PaintedCells>{{-1, -1, 1, 2, false, 4, 3}});
  box.click(box.find("canvas", {"mask_paint.give_back"}));
  box.drag(box.cell(Stage::mask, 0, 0), box.cell(Stage::mask, 5, 5));
  CHECK(box.document().scenario.painted.empty());
  CHECK(box.document().scenario.mask == "full()");
}

TEST_CASE("painting in one head does not change the others") {
  Document document = mask_document("full()", PaintTool::brush);
  document.view.mask_painting.one_head = true;
  document.view.head = 2;
  HeadlessWindow window(document);
  window.settle();
  window.click(window.cell(Stage::mask, 3, 1));
  CHECK(mask_at(window, 2, 3, 1) == 0);
  CHECK(mask_at(window, 1, 3, 1) == 1);
}

TEST_CASE("keys take the brush, move a cell and paint it") {
  HeadlessWindow window(mask_document("causal()"));
  window.settle();
  window.click(window.cell(Stage::mask, 1, 1));
  window.press('d');
  REQUIRE(window.document().view.mask_painting.tool == PaintTool::brush);
  window.press(compat::Key::right);
  window.press(compat::Key::up);
  window.press('a');
  CHECK(window.document().scenario.painted == std::vector<PaintedCells>{{-1, -1, 0, 2, true}});
  CHECK_FALSE(window.document().pinned);
  window.press('f');
  CHECK(window.document().scenario.painted == std::vector<PaintedCells>{{-1, -1, 0, 2, false}});
  window.press('g');
  CHECK(window.document().scenario.painted.empty());
  window.press(compat::Key::escape);
  CHECK(window.document().view.mask_painting.tool == PaintTool::look);
  CHECK_FALSE(window.document().view.step);
}

TEST_CASE("what is painted stands beside the expression and can be given back at once") {
  Document document = mask_document("causal()");
  document.scenario.painted = {{-1, -1, 0, 3, true, 1, 2}};
  HeadlessWindow window(document);
  window.settle();
  window.click(window.find("canvas", {"give all back"}));
  CHECK(window.document().scenario.painted.empty());
}

TEST_CASE("painted cells survive saving and opening the scenario") {
  Scenario scenario = mask_document("causal()").scenario;
  scenario.painted = painted_over({}, {1, 2, 0, 3, false, 2, 2}, Paint::allow, {2, 4, 6, 6});
  CHECK(parse_scenario(to_json(scenario), "a").painted == scenario.painted);
}

TEST_CASE("a click on a pattern replaces the expression, or joins it as chosen") {
  CHECK(combined("causal()", "window(4)", Combine::replace) == "window(4)");
  CHECK(combined("a() || b()", "c()", Combine::both) == "(a() || b()) && c()");
  CHECK(combined("a()", "c()", Combine::either) == "a() || c()");
  CHECK(combined("a()", "c()", Combine::without) == "a() && !c()");
  CHECK(combined("a()", "c() || d()", Combine::without) == "a() && !(c() || d())");
  // What is there already is not said twice.
  CHECK(combined("causal()", "causal() && window(4)", Combine::both) == "causal() && window(4)");
  CHECK(combined("causal() && window(4)", "h < 2 ? a() : b()", Combine::both) ==
        "causal() && window(4) && (h < 2 ? a() : b())");
  CHECK(combined("a() && b(1, (2))", "c()", Combine::either) == "(a() && b(1, (2))) || c()");
  CHECK(combined("", "c()", Combine::both) == "c()");
  HeadlessWindow window(mask_document("causal()"));
  window.settle();
  window.click(window.find("canvas", {"mask_paint.and_not"}));
  CHECK(window.document().view.mask_painting.combine == Combine::without);
}

TEST_CASE("a pattern joins the mask in force, also where none is typed, and padding that gets weight is said") {
  for (const Combine how : {Combine::both, Combine::either, Combine::without, Combine::replace}) {
    Document document = mask_document("");
    document.scenario.text = "the cat sat on the mat\ndogs bark loudly";
    document.view.mask_painting.combine = how;
    document.view.batch = 1;
    HeadlessWindow window(document, {1600, 1700});
    window.settle();
    const auto says_so = [&] {
      const View& view = window.document().view;
      return pad_words(*window.document().trace, view.batch, view.head, Words("en"));
    };
    CHECK(says_so().empty());
    const ImVec2 tile = window.find("canvas/palette", {"causal()"});
    REQUIRE(tile.x > 0);
    window.click(tile);
    window.settle();
    CHECK(window.document().scenario.mask == combined("padding()", "causal()", how));
    CHECK(says_so().empty() == (how == Combine::both || how == Combine::without));
  }
}

TEST_CASE("where a stroke acts is a pair of chips of which one is lit, and H goes to the next head while painting") {
  Document document = mask_document("causal()");
  document.view.mask_painting.tool = PaintTool::brush;
  HeadlessWindow window(document);
  window.settle();
  window.click(window.find("canvas", {"mask_paint.this_head"}));
  CHECK(window.document().view.mask_painting.one_head);
  window.click(window.find("canvas", {"mask_paint.this_head"}));
  CHECK(window.document().view.mask_painting.one_head);
  window.click(window.find("canvas", {"mask_paint.all_heads"}));
  CHECK_FALSE(window.document().view.mask_painting.one_head);
  const Index head = window.document().view.head;
  window.press('h');
  CHECK(window.document().view.head == (head + 1) % window.document().trace->dims().heads);
}

TEST_CASE("a mask that is being typed changes nothing before Enter, and its error stands once") {
  HeadlessWindow window(mask_document("causal()"));
  window.settle();
  window.click(window.find("canvas/expression", {"##large mask"}));
  window.press('a', true);
  window.type("k > 7 - q");
  window.settle();
  CHECK(window.document().scenario.mask == "causal()");
  window.type_and_enter("");
  window.settle();
  CHECK(window.document().scenario.mask == "k > 7 - q");
  window.type_and_enter(" &&");
  window.settle();
  Record record;
  ImGui::GetIO().UserData = &record;
  window.frame();
  ImGui::GetIO().UserData = nullptr;
  CHECK(std::ranges::count_if(record.texts, [](const RecordedText& text) {
          return text.text.find("Still applied") != std::string::npos;
        }) == 1);
}

TEST_CASE("the small masks of heads that differ choose the head") {
  HeadlessWindow window(mask_document("h < 2 ? causal() : full()"));
  window.settle();
  ImVec2 third{};
  for (const MatrixQuad& quad : window.painter.quads) {
    const bool mask = identical(quad.values, (*window.document().trace)[Stage::mask]);
    if (mask && quad.head == 2) third = {(quad.min.x + quad.max.x) / 2, (quad.min.y + quad.max.y) / 2};
  }
  REQUIRE(third.x > 0);
  window.click(third);
  CHECK(window.document().view.head == 2);
}

TEST_CASE("the mask is copied as code that names its polarity") {
  Document document = mask_document("causal()");
  document.scenario.painted = {{-1, -1, 0, 3, true, 1, 2}};
  HeadlessWindow window(document, {1920, 1080});
  window.settle();
  window.click(window.find("canvas", {"PyTorch"}));
  const std::string code = ImGui::GetClipboardText();
  CHECK(code.find("True = may attend") != std::string::npos);
  CHECK(code.find("painted[0, 3:5] = 1") != std::string::npos);
  CHECK(window.document().error.empty());
}

TEST_CASE("a dropped picture becomes file()") {
  const std::string path = (std::filesystem::temp_directory_path() / "headlight_dropped.csv").string();
  write_csv(path, Tensor::full({6, 6}, 1).matrix());
  HeadlessWindow window(mask_document("causal()"));
  window.session.open(path);
  window.settle();
  CHECK(window.document().scenario.mask == "file()");
  CHECK(window.document().scenario.mask_file == path);
  CHECK(mask_at(window, 0, 0, 5) == 1);
  const std::string wrong = path + ".csv";
  write_csv(wrong, Tensor::full({5, 6}, 1).matrix());
  window.session.open(wrong);
  window.settle();
  CHECK(window.document().error.english().find("[5, 6]") != std::string::npos);
  CHECK(window.document().scenario.mask_file == path);
  std::filesystem::remove(path);
  std::filesystem::remove(wrong);
}

TEST_CASE("a mask larger than the screen is zoomed by the wheel and painted cell by cell") {
  Document document = random_document(300, 16, 4);
  document.scenario.mask = "causal()";
  document.view.kind = ViewKind::mask;
  document.view.mask_painting.tool = PaintTool::brush;
  document.view.mask_painting.zoom = 40;
  document.view.mask_painting.left = document.view.mask_painting.top = 0.5f;
  HeadlessWindow window(document);
  window.settle();
  window.click(window.cell(Stage::mask, 152, 153));
  CHECK(window.document().scenario.painted == std::vector<PaintedCells>{{-1, -1, 152, 153, false}});
}

TEST_CASE("steady frames of a painted mask under the brush allocate nothing") {
  Document document = mask_document("h < 2 ? causal() : full()", PaintTool::brush);
  document.scenario.painted = {{-1, -1, 0, 3, true, 1, 2}};
  HeadlessWindow window(document);
  window.settle();
  window.move(window.cell(Stage::mask, 2, 2));
  for (int frame = 0; frame < 4; ++frame) window.frame();
  const std::size_t before = allocations_of_this_thread();
  for (int frame = 0; frame < 5; ++frame) window.frame();
  CHECK(allocations_of_this_thread() == before);
}
