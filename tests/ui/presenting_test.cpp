// Presentations: a frozen picture and the notes under it.
#include "core/teaching/lesson/course.h"
#include "tests/catch.h"
#include "tests/ui/headless.h"
#include "ui/base/document/lesson_progress.h"
#include "ui/base/look/fonts.h"
#include "ui/base/timeline/timeline.h"
#include "ui/parts/player/stages.h"
#include "ui/parts/scene/scene.h"

using namespace headlight;
using namespace headlight::test;

namespace {

Document at_first_step(const Course& course) {
  Document document;
  Lesson lesson = course.card;
  lesson.course = course.card.file;
  lesson.file.clear();
  Scenario scenario = lesson.scenario;
  begin_anew(document, std::move(lesson), std::move(scenario));
  begin_lesson(document, 0);
  return document;
}

Document presented() {
  Document document = sentence();
  document.view.presenting = true;
  document.view.levels.level = Level::operation;
  document.view.levels.stage = Stage::scores;
  return document;
}

}  // namespace

TEST_CASE(
    "whatever is drawn on the wall is at least 24 of 1080 pixels high, or 18: formulas with their scripts, bars and "
    "marks too") {
  for (const auto& [size, language, least] :
       {std::tuple(ImVec2{1920, 1080}, "en", 24.0f), std::tuple(ImVec2{1920, 1080}, "zh", 24.0f),
        std::tuple(ImVec2{1024, 768}, "en", 18.0f), std::tuple(ImVec2{1024, 768}, "zh", 18.0f)}) {
    Document document = presented();
    document.view.language = language;
    document.scenario.rope = Rope::half;
    document.scenario.alibi = true;
    document.scenario.softcap = 20.0f;
    document.scenario.qk_norm = QkNorm::rms;
    HeadlessWindow window(document, size);
    window.settle();
    int texts = 0;
    const auto look_at = [&](Level level, Stage stage, Facet facet) {
      window.session.perform(EditView{[=](View& view) {
        view.levels.level = level;
        view.levels.stage = stage;
        view.levels.facet = facet;
      }});
      for (int i = 0; i < 60; ++i) window.frame();  // the camera moves from one level to the next
      Record record;
      ImGui::GetIO().UserData = &record;
      window.frame();
      ImGui::GetIO().UserData = nullptr;
      INFO(size.x << " " << language << " " << name(stage));
      for (const RecordedText& text : record.texts) {
        ++texts;
        CAPTURE(text.text, text.pixels, text.min.x, text.min.y);
        CHECK(text.pixels >= least - 0.5f);
      }
    };
    look_at(Level::sentence, Stage::scores, Facet::step);
    for (const Stage stage : window.document().trace->stages()) {
      if (!is_parameter(stage)) look_at(Level::operation, stage, Facet::step);
    }
    look_at(Level::operation, Stage::scores, Facet::journey);
    look_at(Level::operation, Stage::scores, Facet::geometry);
    CHECK(texts > 500);
  }
}

TEST_CASE(
    "in a presented pipeline the current stage has half the screen, with numbers for the last row; the other cards are "
    "whole above it, and the clicker goes from stage to stage") {
  for (const auto& [size, language, least] :
       {std::tuple(ImVec2{1920, 1080}, "en", 24.0f), std::tuple(ImVec2{1366, 768}, "zh", 18.0f),
        std::tuple(ImVec2{1024, 768}, "en", 18.0f)}) {
    Document document = sentence();
    document.view.language = language;
    document.view.presenting = true;
    document.view.calm = true;
    document.view.levels.level = Level::pipeline;
    HeadlessWindow window(document, size);
    window.settle();
    const Timeline timeline(*window.document().trace, ProductOrder::rows);
    const float edge = 0.45f * size.y;
    const auto look = [&](Stage stage) {
      INFO(size.x << " " << language << " " << name(stage));
      Record record;
      ImGui::GetIO().UserData = &record;
      window.frame();
      ImGui::GetIO().UserData = nullptr;
      int numbers = 0, cards = 0;
      for (const RecordedText& text : record.texts) {
        if (text.min.y < edge) continue;
        CAPTURE(text.text, text.pixels);
        CHECK(text.pixels >= least - 0.5f);
        CHECK(text.max.y <= size.y);
        numbers += text.text.find_first_of("0123456789") != std::string::npos ? 1 : 0;
      }
      for (const MatrixQuad& quad : window.painter.quads) {
        if (quad.max.y > edge) continue;
        CHECK((quad.min.x >= 0 && quad.min.y >= 0 && quad.max.x <= size.x));
        ++cards;
      }
      CHECK((numbers >= 3 || stage == Stage::mask));
      CHECK(cards >= 5);
    };
    look(Stage::weights);
    const std::vector<std::size_t> pass = pass_of(timeline);
    for (const std::size_t chapter : pass) {
      window.press(compat::Key::page_down);
      window.settle();
      const Stage stage = timeline.chapters()[chapter].stage;
      REQUIRE(window.document().view.step);
      CHECK(timeline.at(*window.document().view.step).stage == stage);
      CHECK(timeline.shown(stage, *window.document().view.step).rows == Shown::all);
      look(stage);
    }
    window.press(compat::Key::page_up);
    CHECK(timeline.at(*window.document().view.step).stage == timeline.chapters()[pass[pass.size() - 2]].stage);
    CHECK(level_shown(window.document().view) == Level::pipeline);
    CHECK(window.document().view.presenting);
  }
}

TEST_CASE("F freezes the picture of a presentation while the document changes; F again shows the document") {
  HeadlessWindow window(presented(), {1600, 900});
  window.settle();
  const std::size_t before = window.drawn();
  window.press('f');
  CHECK(window.document().view.frozen);
  const std::size_t held = window.drawn();
  CHECK(held != before);  // the frozen picture says that it is frozen
  window.press(compat::Key::right);
  window.settle();
  CHECK(window.drawn() == held);
  window.session.perform(EditScenario{[](Scenario& s) { s.mask = "full()"; }, {}});
  window.settle();
  CHECK(window.document().scenario.mask == "full()");
  CHECK(window.document().view.frozen);
  CHECK(window.document().view.levels.stage != Stage::scores);
  CHECK(window.drawn() == held);
  window.click({800, 450});  // a click on a frozen picture only moves the ring at the pointer
  window.move({-1e6f, -1e6f});
  window.settle();
  CHECK(window.drawn() == held);
  window.press('f');
  window.settle();
  CHECK_FALSE(window.document().view.frozen);
  CHECK(window.drawn() != held);
  CHECK(window.drawn() != before);
}

TEST_CASE("Esc lets go of a held picture and keeps the presentation; whatever has to be read lets go of it too") {
  HeadlessWindow window(presented(), {1280, 720});
  window.settle();
  window.press('f');
  window.press(compat::Key::escape);
  CHECK_FALSE(window.document().view.frozen);
  CHECK(window.document().view.presenting);
  window.press('f');
  window.session.perform(ShowError{"this is wrong; that was expected"});
  window.settle();
  CHECK_FALSE(window.document().view.frozen);
  window.session.perform(DismissMessage{});
  window.press('p');
  window.press('f');
  CHECK_FALSE(window.document().view.frozen);  // F does nothing outside a presentation
}

TEST_CASE("N shows the teacher's notes under the picture of a presented lesson, and takes them away") {
  const Course course = course_named("trained-heads");
  Document document = at_first_step(course);
  document.view.presenting = true;
  HeadlessWindow window(document, {1280, 720});
  window.settle();
  const std::size_t plain = window.drawn();
  window.press('n');
  window.settle();
  CHECK(window.document().view.lesson.notes);
  REQUIRE_FALSE(course.steps[0].notes.empty());
  CHECK(window.drawn() != plain);
  window.press('n');
  window.settle();
  CHECK(window.drawn() == plain);
}

TEST_CASE("a window too small for a dialog does not draw without end until its field has the keyboard") {
  HeadlessWindow window(sentence(), {1, 1});
  window.settle();
  window.press('o', true);
  window.settle();
  CHECK(window.document().view.dialog == Dialog::open);
  CHECK(window.session.idle());
}

TEST_CASE("a held picture is not drawn without end until its field has the keyboard") {
  Document map = presented();
  map.view.kind = ViewKind::map;
  HeadlessWindow window(map);
  window.settle();
  window.press('f');
  REQUIRE(window.document().view.frozen);
  window.press('g');
  REQUIRE(window.document().view.map.typing);
  window.frame();
  CHECK(window.session.idle());
}

TEST_CASE("a dialog that is opened ends the black screen, and has the keyboard") {
  HeadlessWindow window(presented());
  window.settle();
  window.press('b');
  REQUIRE(window.document().view.blank);
  window.press('o', true);
  window.settle();
  CHECK(window.document().view.dialog == Dialog::open);
  CHECK_FALSE(window.document().view.blank);
  CHECK(window.session.idle());
}

TEST_CASE("where other words stand in a lesson's picture than its text is of, it says so, and its own come back") {
  const Course course = course_named("padding");
  Document document = at_first_step(course);
  HeadlessWindow window(document, {1280, 720});
  window.settle();
  CHECK(window.find("lesson", {"its_words"}).x == 0);
  window.session.perform(EditScenario{[](Scenario& s) { s.text = "words of my own"; }, {}});
  window.settle();
  const ImVec2 back = window.find("lesson", {"its_words"});
  REQUIRE(back.x > 0);
  window.click(back);
  window.settle();
  CHECK(window.document().scenario == course.steps[0].pose.scenario);
  CHECK(window.find("lesson", {"its_words"}).x == 0);
}
