#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/base/arrays/array_file.h"
#include "core/figures/export/stage_figure.h"
#include "tests/catch.h"
#include "tests/ui/headless.h"
#include "ui/views/registry.h"

using namespace headlight;
using namespace headlight::test;
namespace fs = std::filesystem;

namespace {

/// Makes an empty folder the current one while this object exists.
class EmptyFolder {
 public:
  EmptyFolder() : before_(fs::current_path()), path_(fs::temp_directory_path() / "headlight_matrix_menu_test") {
    fs::remove_all(path_);
    fs::create_directories(path_);
    fs::current_path(path_);
  }
  EmptyFolder(const EmptyFolder&) = delete;
  EmptyFolder& operator=(const EmptyFolder&) = delete;
  ~EmptyFolder() {
    fs::current_path(before_);
    fs::remove_all(path_);
  }

 private:
  fs::path before_, path_;
};

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void choose(HeadlessWindow& window, ImVec2 cell, const char* line) {
  INFO(line);
  REQUIRE(cell.x > 0);
  window.right_click(cell);
  REQUIRE(window.document().view.menu);
  const ImVec2 at = window.find("matrix_menu", {line});
  REQUIRE(at.x > 0);
  window.click(at);
  CHECK_FALSE(window.document().view.menu);
}

Document second_head(ViewKind kind = ViewKind::pipeline) {
  Document document = sentence();
  document.view.kind = kind;
  document.view.head = 2;
  return document;
}

/// The figure that `headlight render --stage weights --head 2 --range stage` writes.
FigureSpec figure(const Document& document) {
  StageFigureStyle style;
  style.theme = document.view.theme;
  style.range.mode = RangeMode::stage;
  return stage_figure({*document.trace, Stage::weights, 0, {2}}, style);
}

}  // namespace

TEST_CASE("a right click on a cell saves its matrix, says where, and never writes over a file") {
  const EmptyFolder folder;
  HeadlessWindow window(second_head());
  const ImVec2 cell = window.cell(Stage::weights, 3, 1);
  const MatrixView weights = (*window.document().trace)[Stage::weights].matrix(0, 2);
  choose(window, cell, "matrix_menu.csv");
  CHECK(contents("weights_b0_h2.csv") == csv_text(weights));
  CHECK(window.document().notice.find((fs::current_path() / "weights_b0_h2.csv").string()) != std::string::npos);

  std::ofstream("weights_b0_h2.npy") << "mine";
  choose(window, cell, "matrix_menu.npy");
  CHECK(contents("weights_b0_h2.npy") == "mine");
  const auto saved = open_arrays("weights_b0_h2_2.npy");
  const Tensor back = saved->load(saved->entries()[0].name);
  REQUIRE(back.shape() == Shape{weights.rows, weights.cols});
  CHECK(csv_text(back.matrix()) == csv_text(weights));
  CHECK(window.document().error.empty());
}

TEST_CASE("figures that the menu saves are the figures that render makes") {
  const EmptyFolder folder;
  HeadlessWindow window(second_head());
  const ImVec2 cell = window.cell(Stage::weights, 3, 1);
  choose(window, cell, "matrix_menu.png");
  const std::vector<std::uint8_t> png = ArrangedFigure(figure(window.document())).png();
  CHECK(contents("weights_b0_h2.png") == std::string(png.begin(), png.end()));
  choose(window, cell, "matrix_menu.svg");
  CHECK(contents("weights_b0_h2.svg") == ArrangedFigure(figure(window.document())).svg());
}

TEST_CASE("the clipboard gets the fewest digits that give the same float back") {
  HeadlessWindow window(second_head());
  const ImVec2 cell = window.cell(Stage::weights, 3, 1);
  const MatrixView weights = (*window.document().trace)[Stage::weights].matrix(0, 2);
  choose(window, cell, "matrix_menu.value");
  CHECK(std::stof(ImGui::GetClipboardText()) == weights(3, 1));
  choose(window, cell, "matrix_menu.row");
  const MatrixView row{weights.data + 3 * weights.row_stride, 1, weights.cols, weights.row_stride, weights.col_stride};
  CHECK(ImGui::GetClipboardText() + std::string("\n") == csv_text(row));
  choose(window, cell, "matrix_menu.matrix");
  CHECK(ImGui::GetClipboardText() == csv_text(weights));
}

TEST_CASE("every matrix of the heads view and the mask view has the menu") {
  const EmptyFolder folder;
  HeadlessWindow heads(second_head(ViewKind::heads));
  const MatrixQuad& third = heads.painter.quads[3];
  choose(heads, {(third.min.x + third.max.x) / 2, (third.min.y + third.max.y) / 2}, "matrix_menu.csv");
  CHECK(contents("weights_b0_h3.csv") == csv_text((*heads.document().trace)[Stage::weights].matrix(0, 3)));
  HeadlessWindow mask(second_head(ViewKind::mask));
  choose(mask, mask.cell(Stage::mask, 2, 1), "matrix_menu.csv");
  CHECK(contents("mask_b0_h2.csv") == csv_text((*mask.document().trace)[Stage::mask].matrix(0, 2)));
}

TEST_CASE("a shortcut copies or saves the matrix of the selected cell") {
  const EmptyFolder folder;
  HeadlessWindow window(second_head());
  window.click(window.cell(Stage::scores, 1, 4));
  const MatrixView scores = (*window.document().trace)[Stage::scores].matrix(0, 2);
  window.press('c', true);
  CHECK(std::stof(ImGui::GetClipboardText()) == scores(1, 4));
  window.press('c', {true, false, true});
  CHECK(ImGui::GetClipboardText() == csv_text(scores));
  window.press('c', {false, false, true});
  window.press('n', {false, false, true});
  window.press('s', {false, false, true});
  window.press('p', {false, false, true});
  for (const char* extension : {".csv", ".npy", ".svg", ".png"})
    CHECK(fs::exists(std::string("scores_b0_h2") + extension));
  CHECK_FALSE(window.document().view.presenting);
}

TEST_CASE("Esc and a click beside the menu close it, and change nothing else") {
  HeadlessWindow window(second_head());
  const ImVec2 cell = window.cell(Stage::weights, 3, 1);
  window.right_click(cell);
  const View open = window.document().view;
  REQUIRE(open.menu);
  window.press(compat::Key::escape);
  CHECK_FALSE(window.document().view.menu);
  CHECK(window.document().view.selected == open.selected);
  window.right_click(cell);
  window.click(window.cell(Stage::W_q, 0, 0));
  CHECK_FALSE(window.document().view.menu);
  CHECK(window.document().view.selected == open.selected);
}

TEST_CASE("a matrix that the player has not computed yet cannot be copied or saved") {
  HeadlessWindow whole(second_head());
  const ImVec2 place = whole.cell(Stage::weights, 3, 1);
  Document document = second_head();
  document.view.step = 0;
  HeadlessWindow window(document);
  window.right_click(place);
  CHECK_FALSE(window.document().view.menu);
}

TEST_CASE("a selected cell that the run does not have is neither drawn nor copied") {
  const EmptyFolder folder;
  HeadlessWindow window(second_head());
  REQUIRE_FALSE(window.document().trace->has(Stage::capped_scores));
  const auto look = [&](View view) {
    view.selected = Cell{Stage::capped_scores, 0, 0, 0, 0};
    window.session.perform(EditView{[view](View& v) { v = view; }});
    window.frame();
    window.frame();
  };
  for (const ViewEntry& entry : all_views()) {
    View view = window.document().view;
    view.kind = entry.kind;
    look(view);
  }
  for (const Level level : {Level::sentence, Level::operation}) {
    View view = window.document().view;
    view.kind = ViewKind::pipeline;
    view.levels.level = level;
    look(view);
  }
  window.press('c', {false, false, true});
  window.press('p', {false, false, true});
  window.session.perform(TakeMatrix{{Stage::capped_scores, 0, 0, 0, 0}, MatrixTake::row});
  CHECK(window.session.faults() == 0);
  CHECK(fs::is_empty(fs::current_path()));
}

TEST_CASE("files go to the home folder if the current folder is not writable") {
  const EmptyFolder folder;
  const fs::path home = fs::current_path() / "home";
  fs::create_directories(home / "Downloads");
  fs::create_directories("gone");
  const char* before = std::getenv("HOME");
  const std::string kept = before != nullptr ? before : "";
  setenv("HOME", home.c_str(), 1);
  fs::current_path("gone");
  fs::remove(home.parent_path() / "gone");
  HeadlessWindow window(second_head());
  window.press('c', {false, false, true});
  window.press('p', {false, false, true});
  setenv("HOME", kept.c_str(), 1);
  CHECK(window.document().error.empty());
  CHECK(fs::exists(home / "Downloads" / "weights_b0_h2.csv"));
  CHECK(fs::exists(home / "weights_b0_h2.png"));  // the home folder has no Pictures folder
}
