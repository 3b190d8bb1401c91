// Keys that change the view or the selection.
#include <fstream>
#include <iterator>
#include <string>

#include "tests/catch.h"
#include "tests/ui/headless.h"
#include "ui/parts/scene/focus.h"
#include "ui/views/registry.h"

using namespace headlight;
using namespace headlight::test;

TEST_CASE("V changes the view, H the head, and Alt with an arrow the cell") {
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

TEST_CASE(
    "J and G open the journey and the geometry of what is selected from every view; G of the map goes to a cell") {
  for (const ViewEntry& entry : all_views()) {
    for (const auto& [key, facet] : {std::pair('j', Facet::journey), std::pair('g', Facet::geometry)}) {
      HeadlessWindow window(sentence());
      window.settle();
      window.session.perform(EditView{[kind = entry.kind](View& v) {
        v.kind = kind;
        v.levels.query = 5;
        v.selected = Cell{Stage::weights, 0, 0, 3, 1};
        v.step = 20;
      }});
      window.settle();
      window.press(key);
      window.settle();
      const View& now = window.document().view;
      INFO(entry.word << " " << key);
      if (entry.kind == ViewKind::map && key == 'g') {
        CHECK(now.kind == ViewKind::map);
        continue;
      }
      CHECK(now.kind == ViewKind::pipeline);
      CHECK(now.levels.level == Level::operation);
      CHECK(now.levels.facet == facet);
      CHECK(focus_of(*window.document().trace, now).query == 3);
      CHECK(focus_of(*window.document().trace, now).key == 1);
      CHECK_FALSE(now.step);
    }
  }
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
