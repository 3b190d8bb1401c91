// Tab moves the keyboard focus through the controls, a ring shows it, and keys do what the mouse would.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

#include "tests/catch.h"
#include "tests/ui/headless.h"
#include "ui/base/geometry/rect.h"
#include "ui/window/session/journal.h"
#include "ui/window/session/recovery.h"

using namespace headlight;
using namespace headlight::test;
using compat::Key;

namespace {

/// The rectangle of the drawn focus ring.
std::optional<Rect> ring() {
  const auto& vertices = ImGui::GetForegroundDrawList()->VtxBuffer;
  if (vertices.empty()) return std::nullopt;
  Rect around{vertices[0].pos, vertices[0].pos};
  for (const ImDrawVert& vertex : vertices) {
    around.min = {std::min(around.min.x, vertex.pos.x), std::min(around.min.y, vertex.pos.y)};
    around.max = {std::max(around.max.x, vertex.pos.x), std::max(around.max.y, vertex.pos.y)};
  }
  return around;
}

/// Presses Tab until the ring is around `at`. Returns whether it got there.
bool tab_to(HeadlessWindow& window, ImVec2 at) {
  REQUIRE(at.x > 0);
  for (int i = 0; i < 200; ++i) {
    window.press(Key::tab);
    if (const auto around = ring(); around && around->contains(at)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("Tab and Shift+Tab go through the same controls in opposite order, and wrap around") {
  HeadlessWindow window(sentence());
  window.settle();
  CHECK_FALSE(ring());
  std::vector<Rect> there;
  const auto known = [&](const Rect& one) {
    return std::ranges::any_of(there,
                               [&](const Rect& other) { return other.min.x == one.min.x && other.min.y == one.min.y; });
  };
  for (int i = 0; i < 200; ++i) {
    window.press(Key::tab);
    window.frame();  // the frame in which the control is scrolled into view
    const auto at = ring();
    if (!at) continue;  // a text field shows its cursor instead of a ring
    if (known(*at)) break;
    there.push_back(*at);
  }
  REQUIRE(there.size() > 20);
  REQUIRE(there.size() < 200);
  REQUIRE(ring());
  CHECK(ring()->min.x == there.front().min.x);
}

TEST_CASE("Enter and Space press the focused control, and the player does not start") {
  HeadlessWindow window(sentence());
  window.settle();
  REQUIRE(tab_to(window, window.find("controls", {"none"})));
  REQUIRE(window.document().scenario.mask == "causal()");
  window.press(Key::space);
  CHECK(window.document().scenario.mask.empty());
  CHECK_FALSE(window.document().view.playing);
  window.press(Key::escape);
  CHECK_FALSE(ring());
  window.press(Key::space);
  CHECK(window.document().view.playing);
}

TEST_CASE("arrows move the focused slider by single steps, and Enter edits its number") {
  HeadlessWindow window(random_document(6, 16, 4));
  window.settle();
  const unsigned long long seed = window.document().scenario.seed;
  REQUIRE(tab_to(window, window.find("controls", {"seed", "##track"})));
  window.press(Key::right);
  CHECK(window.document().scenario.seed == seed + 1);
  CHECK_FALSE(window.document().view.step);
  window.press(Key::left);
  CHECK(window.document().scenario.seed == seed);
  window.press(Key::enter);
  window.frame();
  window.type_and_enter("7");
  CHECK(window.document().scenario.seed == 7);
}

TEST_CASE("leaving a text field with Tab accepts the text, and focuses the next control") {
  HeadlessWindow window(sentence());
  window.settle();
  window.click(window.find("controls", {"##text"}));
  window.press(Key::end);
  window.type(" again");
  window.press(Key::tab);
  window.settle();
  CHECK(window.document().scenario.text == "the cat sat on the mat again");
  CHECK_FALSE(ImGui::GetIO().WantTextInput);
  CHECK(ring());
}

TEST_CASE("the buttons that offer a recovered document stay in the window for a long one, and Tab reaches them") {
  const auto folder = std::filesystem::temp_directory_path() / ("headlight-offer-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  Document lost = sentence();
  lost.scenario.text = std::string(100'000, 'W');
  {
    Journal journal(folder);
    journal.keep(recovery_text(lost));
    journal.wait();
  }  // no close(), as after a crash
  HeadlessWindow window(sentence(), {640, 400});
  window.session.remember_in(folder);
  window.settle();
  REQUIRE(window.session.offers_recovery());
  for (const char* button : {"discard", "take"}) REQUIRE(tab_to(window, window.find("recovery", {button})));
  window.press(Key::enter);
  window.settle();
  CHECK(window.document().scenario.text == lost.scenario.text);
  std::filesystem::remove_all(folder);
}

TEST_CASE("while a dialog is open, Tab stays in it") {
  HeadlessWindow window(sentence());
  window.settle();
  window.press('e', true);
  window.settle();
  REQUIRE(window.document().view.dialog == Dialog::exporting);
  const ImVec2 outside = window.find("controls", {"none"});
  for (int i = 0; i < 80; ++i) {
    window.press(Key::tab);
    if (const auto at = ring()) CHECK_FALSE(at->contains(outside));
  }
  REQUIRE(tab_to(window, window.find("export", {"close"})));
  window.press(Key::enter);
  CHECK(window.document().view.dialog == Dialog::none);
}

TEST_CASE("a mouse click hides the ring, and Tab continues from the clicked control") {
  HeadlessWindow window(sentence());
  window.settle();
  const ImVec2 none = window.find("controls", {"none"});
  REQUIRE(tab_to(window, none));
  window.press(Key::tab);
  const auto next = ring();
  REQUIRE(next);
  window.click({800, 450});
  CHECK_FALSE(ring());
  window.click(none);
  window.press(Key::tab);
  REQUIRE(ring());
  CHECK(ring()->min.x == next->min.x);
}

TEST_CASE("the sentence's field lets the keyboard go after Enter, and keeps a sentence that was refused") {
  Document document;
  document.scenario.source = Source::file;
  document.scenario.file = "model:induction";
  document.scenario.text = "fox moon fox";
  document.view.levels.level = Level::sentence;
  HeadlessWindow window(document);
  window.settle();
  const ImVec2 field = window.find("canvas/words", {"own_words"});
  REQUIRE(field.x > 0);
  window.click(field);
  window.press(Key::end);
  window.type(" moon");
  window.press('k', true);  // with Ctrl also while typing
  CHECK(window.document().view.levels.knocked);
  window.press('k', true);
  window.press(Key::enter);
  window.settle();
  CHECK(window.document().scenario.text == "fox moon fox moon");
  CHECK_FALSE(ImGui::GetIO().WantTextInput);
  window.click(field);
  window.press(Key::end);
  window.type_and_enter(" unicorn");
  CHECK(window.document().error.english().find("unicorn") != std::string::npos);
  CHECK(window.document().scenario.text == "fox moon fox moon");
  window.press(Key::escape);  // the message
  window.press('k', true);
  CHECK(window.document().view.levels.knocked);
}

TEST_CASE("a mask's field keeps the keyboard after Enter, and Esc keeps the entered mask") {
  HeadlessWindow window(sentence());
  window.settle();
  window.click(window.find("controls", {"##mask"}));
  window.press(Key::end);
  window.type_and_enter(" && window(3)");
  CHECK(window.document().scenario.mask == "causal() && window(3)");
  const ViewKind kind = window.document().view.kind;
  window.type_and_enter(" && full()");
  CHECK(window.document().scenario.mask == "causal() && window(3) && full()");
  window.press(Key::escape);
  window.settle();
  CHECK(window.document().scenario.mask == "causal() && window(3) && full()");
  CHECK(window.document().view.kind == kind);
}
