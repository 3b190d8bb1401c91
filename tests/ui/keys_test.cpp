// Keys that choose what is looked at, and the list that says so.
#include <fstream>
#include <iterator>
#include <string>

#include "tests/catch.h"
#include "tests/ui/headless.h"

using namespace headlight;
using namespace headlight::test;

TEST_CASE("V goes through the views, H through the heads, Alt and an arrow to the next cell") {
  HeadlessWindow window(sentence());
  window.settle();
  CHECK(window.document().view.kind == ViewKind::pipeline);
  window.press('v', HeadlessWindow::Modifiers{false, true, false});
  CHECK(window.document().view.kind == ViewKind::lesson);
  window.press('v');
  CHECK(window.document().view.kind == ViewKind::pipeline);
  const Index head = window.document().view.head;
  window.press('h');
  CHECK(window.document().view.head == (head + 1) % 4);
  window.press('h', HeadlessWindow::Modifiers{false, true, false});
  CHECK(window.document().view.head == head);
}

TEST_CASE("Space plays while the welcome is open, and closes it; F5 presents") {
  Document document = sentence();
  document.view.dialog = Dialog::welcome;
  HeadlessWindow window(document);
  window.settle();
  window.press(compat::Key::space);
  CHECK(window.document().view.dialog == Dialog::none);
  CHECK(window.document().view.playing);
  window.press(compat::Key::space);
  window.press(compat::Key::f5);
  CHECK(window.document().view.presenting);
}
