#include <string>

#include "tests/catch.h"
#include "tests/ui/headless.h"
#include "ui/base/document/action.h"
#include "ui/base/document/view.h"

using namespace headlight;
using namespace headlight::test;

namespace {

void hold(HeadlessWindow& window, ImVec2 at) {
  window.move(at);
  window.frame();
  window.press_button(true);
  window.frame();
}

void let_go(HeadlessWindow& window) {
  window.press_button(false);
  window.frame();
}

}  // namespace

TEST_CASE("a typed sentence is kept when a slider is pressed next") {
  HeadlessWindow window(sentence());
  const ImVec2 slider = window.find("controls", {"seed", "##track"});
  REQUIRE(slider.x > 0);
  window.click(window.find("controls", {"##text"}));
  window.press(compat::Key::end);
  window.type(" and more");
  hold(window, slider);
  let_go(window);
  window.settle();
  CHECK(window.document().scenario.text == sentence().scenario.text + " and more");
  CHECK(window.document().scenario.seed != sentence().scenario.seed);
}

TEST_CASE(
    "a number that is typed is taken where the click that ends it goes to the canvas, and is not where Esc ends it") {
  const bool gives_up = GENERATE(false, true);
  HeadlessWindow window(sentence());
  const ImVec2 cell = window.cell(Stage::weights, 1, 1);
  ImVec2 number = window.find("controls", {"d_model", "##number"});
  REQUIRE(number.x > 0);
  window.click(number);
  window.type("16");
  if (gives_up) window.press(compat::Key::escape);
  window.click(cell);
  CHECK(window.document().trace->dims().d_model ==
        (gives_up ? HeadlessWindow(sentence()).document().trace->dims().d_model : 16));
}

TEST_CASE("dragging the canvas does not change the step of the player") {
  Document document = sentence();
  document.view.step = 3;
  HeadlessWindow window(document);
  const float middle = window.document().view.camera.x;
  hold(window, {900, 800});
  window.move({930, 800});
  window.frame();
  window.press(compat::Key::right);
  window.move({960, 800});
  window.frame();
  let_go(window);
  CHECK(window.document().view.step == 4);
  CHECK(window.document().view.camera.x < middle);
}

TEST_CASE("one drag is one step of undo, and two are two") {
  HeadlessWindow window(sentence());
  const ImVec2 at = window.find("controls", {"seed", "##track"});
  window.drag(at, {at.x + 20, at.y});
  CHECK(window.document().undo.size() == 1);
  window.drag({at.x + 20, at.y}, {at.x + 50, at.y});
  CHECK(window.document().undo.size() == 2);
}

TEST_CASE("all edits of one frame are applied, in order") {
  Document document = sentence();
  apply(document, EditScenario{[](Scenario& s) { s.text = "other words"; }, "text"});
  apply(document, EditScenario{[](Scenario& s) { s.seed = 9; }, "seed"});
  CHECK(document.scenario.text == "other words");
  CHECK(document.scenario.seed == 9);
  CHECK(document.undo.size() == 2);
  apply(document, EditScenario{[](Scenario& s) { s.seed = 10; }, "seed"});
  CHECK(document.undo.size() == 2);
  end_gesture(document);
  apply(document, EditScenario{[](Scenario& s) { s.seed = 11; }, "seed"});
  CHECK(document.undo.size() == 3);
}

TEST_CASE("a half-typed mask is discarded with its document") {
  Document document = sentence();
  document.view.mask_draft = "causal( &&";
  HeadlessWindow window(document);
  window.session.open("lesson:first-light");
  window.settle();
  CHECK_FALSE(window.document().view.mask_draft);
}

TEST_CASE("typing into a sentence of more than 4,095 bytes does not cut it") {
  Document document = sentence();
  document.scenario.text.clear();
  for (int i = 0; i < 30; ++i) document.scenario.text += std::string(200, static_cast<char>('a' + i % 26)) + " ";
  document.scenario.text.pop_back();
  HeadlessWindow window(document);
  const std::string before = window.document().scenario.text;
  window.click(window.find("controls", {"##text"}));
  window.press(compat::Key::end);
  window.type("z");
  window.settle();
  CHECK(window.document().scenario.text.size() == before.size() + 1);
}

TEST_CASE("typing into a text with a NUL keeps the text after the NUL") {
  using namespace std::string_literals;
  Document document = sentence();
  document.scenario.text = "a\0b c"s;
  HeadlessWindow window(document);
  window.click(window.find("controls", {"##text"}));
  window.press(compat::Key::end);
  window.type("Z");
  window.settle();
  CHECK(window.document().scenario.text == "a\0b cZ"s);
}

TEST_CASE("the cell editor's slider keeps its range while it is held") {
  HeadlessWindow window(sentence());
  window.click(window.cell(Stage::key, 0, 0));
  const ImVec2 track = window.find("inspector", {"set", "##track"});
  REQUIRE(track.x > 0);
  hold(window, track);
  for (int i = 0; i < 12; ++i) {  // at the right end, a range that followed the value would double in each frame
    window.move({1580, track.y});
    window.frame();
    window.session.wait();
  }
  let_go(window);
  window.settle();
  REQUIRE(window.document().scenario.edits.size() == 1);
  CHECK(window.document().scenario.edits[0].value < 20);
  CHECK_FALSE(window.document().view.cell_reach);
}

TEST_CASE("full screen and presentation end together") {
  HeadlessWindow window(sentence());
  window.press(compat::Key::f11);
  CHECK(window.document().view.presenting);
  CHECK(window.session.take_window_requests().fullscreen == true);
  const bool by_esc = GENERATE(true, false);
  by_esc ? window.press(compat::Key::escape) : window.press('p');
  CHECK_FALSE(window.document().view.presenting);
  CHECK(window.session.take_window_requests().fullscreen == false);
}
