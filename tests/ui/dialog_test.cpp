#include "core/base/tensor/error.h"
#include "tests/catch.h"
#include "tests/ui/headless.h"
#include "ui/dialogs/export/export_controls.h"

using namespace headlight;
using namespace headlight::test;

TEST_CASE("Esc, the button and a click beside it close a dialog") {
  HeadlessWindow window(sentence());
  const auto reopen = [&] {
    window.press(compat::Key::f1);
    return window.document().view.dialog == Dialog::help;
  };
  REQUIRE(reopen());
  window.press(compat::Key::escape);
  CHECK(window.document().view.dialog == Dialog::none);
  REQUIRE(reopen());
  window.click({20, 450});
  CHECK(window.document().view.dialog == Dialog::none);
  REQUIRE(reopen());
  const ImVec2 button = window.find("help", {"close"});
  REQUIRE(button.x > 0);
  window.click(button);
  CHECK(window.document().view.dialog == Dialog::none);
}

TEST_CASE("while a dialog is open, clicks and keys change nothing below it") {
  HeadlessWindow window(sentence());
  const ImVec2 cell = window.cell(Stage::weights, 2, 1);
  const View before = window.document().view;
  window.press(compat::Key::f1);
  window.press(compat::Key::right);
  window.move(cell);
  window.frame();
  window.frame();
  CHECK(window.document().view.step == before.step);
  CHECK(window.document().view.pointed.cell == before.pointed.cell);
}

TEST_CASE("a key closes the welcome and has its usual effect") {
  Document document = sentence();
  document.view.levels.level = Level::sentence;
  document.view.dialog = Dialog::welcome;
  HeadlessWindow window(document);
  window.press(compat::Key::space);
  CHECK(window.document().view.dialog == Dialog::none);
  CHECK(window.document().view.playing);
}

TEST_CASE("the top bar works while the welcome is open: the language changes, and another view closes it") {
  Document document = sentence();
  document.view.levels.level = Level::sentence;
  document.view.dialog = Dialog::welcome;
  HeadlessWindow window(document);
  window.click(window.find("top_bar", {"language"}));
  CHECK(window.document().view.language == "zh");
  CHECK(window.document().view.dialog == Dialog::welcome);
  window.session.perform(EditView{[](View& v) { v.kind = ViewKind::heads; }});
  window.settle();
  CHECK(window.document().view.dialog == Dialog::none);
}

TEST_CASE("the welcome offers three things to try, and each button does what it says") {
  struct Case {
    const char* id;
    Level level;
    bool plays, guesses;
  };
  for (const Case& wanted : {Case{"number", Level::sentence, false, false}, Case{"play", Level::operation, true, false},
                             Case{"guess", Level::sentence, false, true}}) {
    Document document = sentence();
    document.view.dialog = Dialog::welcome;
    HeadlessWindow window(document);
    const ImVec2 at = window.find("welcome", {wanted.id});
    INFO(wanted.id);
    REQUIRE(at.x > 0);
    window.click(at);
    CHECK(window.document().view.dialog == Dialog::none);
    CHECK(window.document().view.kind == ViewKind::pipeline);
    CHECK(window.document().view.levels.level == wanted.level);
    CHECK(window.document().view.levels.guessing.active == wanted.guesses);
    CHECK(window.document().view.playing == wanted.plays);
  }
}

TEST_CASE("Ctrl+Z works in a field that appears again with a shorter text") {
  HeadlessWindow window(sentence());
  const auto open_on = [&](const char* path) {
    window.session.perform(EditView{[](View& v) { v.dialog = Dialog::none; }});
    window.frame();
    window.frame();
    window.session.perform(EditView{[path](View& v) {
      v.saving.path = path;
      v.dialog = Dialog::save;
    }});
    window.settle();
  };
  open_on("");
  window.type("a name of many letters");
  window.press(compat::Key::left);
  window.press(compat::Key::del);
  open_on("a");
  window.press('z', true);
  window.press('y', true);
  CHECK(window.session.faults() == 0);
}

TEST_CASE("a problem in the export dialog names the dialog's fields, not the options of the command line") {
  const auto said = [](const char* language, const Message& problem) {
    return with_field_names(Words(language), problem);
  };
  const Message size = SettingError("--size", Message("\"{0}\" is not a size", std::string("0"))).message();
  CHECK(said("en", size) == "SIZE: \"0\" is not a size");
  CHECK(said("zh", size).starts_with("尺寸："));
  const Message frames = SettingError("--highlight", Message("{0} is out of range", 9)).message();
  CHECK(said("en", frames) == "frames: 9 is out of range");
  CHECK(said("zh", frames).starts_with("标框："));
  const Message file = FileError("a.npz", "is there already").message();
  CHECK(said("en", file) == "a.npz: is there already");
}
