#include "tests/ui/levels.h"

#include <algorithm>
#include <cmath>

#include "core/scenario/documents/open_source.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/ui/studio.h"
#include "ui/base/document/action.h"
#include "ui/base/document/lesson_progress.h"
#include "ui/base/document/view.h"
#include "ui/parts/player/stages.h"
#include "ui/views/operation/operation.h"
#include "ui/views/sentence/sentence.h"

using namespace headlight;
using namespace headlight::test;

TEST_CASE("a sentence of few words is centred, and its words are spread") {
  for (const ScreenSetting& at :
       {ScreenSetting{{1024, 768}}, ScreenSetting{{1920, 1080}, 1, true, "en"}, ScreenSetting{{3840, 2160}, 2.25f}}) {
    for (const char* text : {"the cat", "the cat sat on"}) {
      Document document = sentence();
      document.scenario.text = text;
      const Studio studio(document, at);
      const Rect room = studio.place();
      const Scene scene = make_sentence(studio.context(), {}, room);
      INFO(setting_words(at) << text);
      CHECK(std::abs(scene.content.centre().x - room.centre().x) < 0.03f * room.width());
      CHECK(scene.content.centre().y > room.min.y + 0.35f * room.height());
      CHECK(scene.content.centre().y < room.min.y + 0.72f * room.height());
      CHECK(scene.content.width() > (text[7] ? 0.26f : 0.13f) * room.width());
      CHECK(faults(scene, studio) == "");
    }
  }
}

TEST_CASE("the sentence level shows 2 to 60 words without overlaps, in both languages") {
  const char* texts[] = {"the cat", "the cat that chases the dogs sleeps because it is tired",
                         "a b c d e f g h i j k l m n o p q r s t u v w x y z the cat sat on the mat and the dog sat "
                         "on the log and the bird sat on the word that was "
                         "there before them all until the evening came over"};
  const std::string endless = "the " + std::string(300, 'a') + " cat";
  for (const char* text : {texts[0], texts[1], texts[2], endless.c_str()}) {
    for (const ScreenSetting& at :
         {ScreenSetting{{1024, 768}, 1, false, "en"}, ScreenSetting{{1600, 900}, 1, false, "zh"},
          ScreenSetting{{1280, 720}, 1, true, "en"}}) {
      Document document = sentence();
      document.scenario.text = text;
      Studio studio(document, at);
      SentenceStory story;
      story.random_weights = true;
      RailLayer layer;
      for (Index h = 0; h < 4; ++h)
        layer.heads.push_back({0, h, studio.trace()[Stage::weights], {}, "the verb’s subject", h == 0, false, {}});
      story.rail.push_back(layer);
      const Scene scene = make_sentence(studio.context(), story, studio.place());
      INFO(text << " " << setting_words(at));
      CHECK(faults(scene, studio) == "");
    }
  }
}

TEST_CASE("the sentence level says that random weights are random") {
  const Studio studio(sentence(), {{1600, 900}});
  SentenceStory story;
  story.random_weights = true;
  CHECK(has_text(make_sentence(studio.context(), story, studio.place()), "random"));
  CHECK_FALSE(has_text(make_sentence(studio.context(), {}, studio.place()), "random"));
  // A layer's file has trained weights and no input.
  Document layer;
  layer.scenario.source = Source::file;
  layer.scenario.file = places::fixtures() + "/models/gpt2/pytorch_model.bin";
  layer.scenario.layer = "h.1";
  const Studio file(layer, {{1600, 900}});
  CHECK(has_text(make_sentence(file.context(), {}, file.place()), "input is random"));
}

TEST_CASE("Enter goes in, Escape goes back to where one came from, and up from a step that was opened directly") {
  Document document = sentence();
  document.view.levels.level = Level::sentence;
  HeadlessWindow window(document);
  window.press(compat::Key::enter);
  CHECK(window.document().view.levels.level == Level::operation);
  CHECK(window.document().view.levels.stage == Stage::weights);
  window.press(compat::Key::escape);
  CHECK(window.document().view.levels.level == Level::sentence);

  document.view.levels.level = Level::operation;
  HeadlessWindow step(document);
  step.press(compat::Key::escape);
  CHECK(step.document().view.levels.level == Level::pipeline);
  step.press(compat::Key::escape);  // clears the selection
  step.press(compat::Key::escape);
  CHECK(step.document().view.levels.level == Level::sentence);
}

TEST_CASE("a clicker goes through a presentation stage by stage, and back to the sentence") {
  Document document = sentence();
  document.view.levels.level = Level::sentence;
  HeadlessWindow window(document, {1920, 1080});
  window.press(compat::Key::f5);
  CHECK(window.document().view.presenting);
  window.press(compat::Key::page_down);
  CHECK(window.document().view.levels.stage == Stage::key);
  window.press(compat::Key::page_down);
  CHECK(window.document().view.levels.stage == Stage::Q);
  CHECK(window.document().view.levels.level == Level::operation);
  window.press(compat::Key::page_up);
  window.press(compat::Key::page_up);
  CHECK(window.document().view.levels.level == Level::sentence);
  window.type(".");  // the third button of a clicker
  CHECK(window.document().view.levels.stage == Stage::key);
  window.press(compat::Key::page_up);
  window.press(compat::Key::escape);
  CHECK_FALSE(window.document().view.presenting);
}

TEST_CASE("in a lesson a clicker goes through the moments of a stage that is played, then to the next step") {
  Document document;
  Lesson lesson = open_source("lesson:softmax-temperature");
  Scenario scenario = lesson.scenario;
  begin_anew(document, std::move(lesson), std::move(scenario));
  begin_lesson(document);
  HeadlessWindow window(document);
  window.settle();
  const View& view = window.document().view;
  REQUIRE(view.lesson.step == 0);
  const Timeline timeline(*window.document().trace);
  const Timeline::Chapter& chapter = *timeline.chapter_of(Stage::weights);
  window.session.perform(EditView{[&](View& v) {
    v.levels.level = Level::pipeline;
    v.step = chapter.first;
  }});
  for (int i = 1; i < chapter.count; ++i) {
    window.press(compat::Key::page_down);
    CHECK(view.step == chapter.first + i);
    CHECK(view.lesson.step == 0);
  }
  window.press(compat::Key::page_up);
  CHECK(view.step == chapter.first + chapter.count - 2);
  window.type(".");
  window.type(".");
  CHECK(view.lesson.step == 1);
}

TEST_CASE("Space plays stage by stage near to a step: all of them in a minute or so") {
  Document document = with_every_stage();
  document.view.levels.level = Level::sentence;
  HeadlessWindow window(document);
  window.press(compat::Key::space);
  REQUIRE(window.document().view.playing);
  int frames = 0;
  std::vector<Stage> seen;
  for (; window.document().view.playing && frames < 60 * 40; ++frames) {
    ImGui::GetIO().DeltaTime = 1.0f / 20;  // a fixed time step, so that a slow machine gives the same result
    window.frame();
    if (seen.empty() || seen.back() != window.document().view.levels.stage)
      seen.push_back(window.document().view.levels.stage);
  }
  CHECK(frames < 20 * 75);
  CHECK(seen.back() == Stage::output);
  CHECK(seen.size() >=
        window.document().trace->stages().size() - 4);  // query, key and value are one step, and so are their splits
}

TEST_CASE("a double click on a card opens its step") {
  HeadlessWindow window(sentence());
  window.double_click(window.cell(Stage::head_outputs, 2, 1));
  CHECK(window.document().view.levels.level == Level::operation);
  CHECK(window.document().view.levels.stage == Stage::head_outputs);
  CHECK(window.document().view.levels.query == Index{2});
}

TEST_CASE("a drag with the middle button moves the pipeline, also if it begins on a card") {
  HeadlessWindow window(sentence());
  const ImVec2 from = window.cell(Stage::head_outputs, 2, 1);
  window.drag(from, {from.x - 80, from.y + 40}, 2);
  const ImVec2 to = window.cell(Stage::head_outputs, 2, 1);
  CHECK(to.x == Approx(from.x - 80).margin(1));
  CHECK(to.y == Approx(from.y + 40).margin(1));
  CHECK(window.document().view.levels.level == Level::pipeline);
}

TEST_CASE("J and G turn a step into a journey and into the geometry and back, and the player shows the step again") {
  Document document = sentence();
  document.view.levels.level = Level::sentence;
  HeadlessWindow window(document);
  window.press('j', true);  // in the sentence, a letter alone is typed
  CHECK(window.document().view.levels.level == Level::operation);
  CHECK(window.document().view.levels.facet == Facet::journey);
  window.press('g');
  CHECK(window.document().view.levels.facet == Facet::geometry);
  window.press('g');
  CHECK(window.document().view.levels.facet == Facet::step);
  window.press('j');
  window.press(compat::Key::right);
  CHECK(window.document().view.levels.facet == Facet::step);
}

TEST_CASE("level and selection are kept by undo, and restored from a scenario file") {
  Document document = sentence();
  document.view.levels.level = Level::operation;
  document.view.levels.facet = Facet::journey;
  document.view.levels.key = 1;
  apply(document, EditScenario{[](Scenario& s) { s.seed = 9; }, {}});
  apply(document, Undo{});
  CHECK(document.view.levels.facet == Facet::journey);
  const View back = with_saved_view({}, saved_view(document.view));
  CHECK(back.levels.level == Level::operation);
  CHECK(back.levels.facet == Facet::journey);
  CHECK(back.levels.key == Index{1});
  document.view.levels.facet = Facet::step;
  document.view.levels.stage = Stage::head_outputs;
  CHECK(with_saved_view({}, saved_view(document.view)).levels.stage == Stage::head_outputs);
}

TEST_CASE(
    "a presentation has a ring at the pointer, and a line that is drawn clicks nothing and goes with the next step") {
  Document document = sentence();
  document.view.levels.level = Level::operation;
  document.view.levels.stage = Stage::scores;
  document.view.presenting = true;
  HeadlessWindow window(document, {1920, 1080});
  window.move({-1e6f, -1e6f});
  window.settle();
  const std::size_t plain = window.drawn();
  const LevelChoice before = window.document().view.levels;
  window.drag({600, 500}, {1500, 800});
  CHECK(window.document().view.levels == before);
  window.move({-1e6f, -1e6f});
  window.frame();
  CHECK(window.drawn() != plain);
  window.press(compat::Key::page_down);
  window.press(compat::Key::page_up);
  window.settle();
  View shown = window.document().view;
  CHECK(shown.levels.stage == Stage::scores);
}

TEST_CASE("a pass shows the split of Q, K and V once, and every other stage") {
  HeadlessWindow window(sentence());
  window.settle();
  const Timeline timeline(*window.document().trace);
  std::vector<Stage> seen;
  View view = window.document().view;
  view.levels.level = Level::sentence;
  for (int i = 0; i < 40; ++i) {
    view = with_next_stage(std::move(view), *window.document().trace, timeline);
    const Stage stage = timeline.chapters()[chapter_at(view, timeline)].stage;
    if (!seen.empty() && seen.back() == stage) break;
    seen.push_back(stage);
  }
  CHECK(seen.size() + 2 == timeline.chapters().size());
  CHECK(std::ranges::count(seen, Stage::Q_heads) == 1);
  CHECK(std::ranges::count(seen, Stage::K_heads) == 0);
  // From a stage that the pass leaves out, Back leads into the pass again.
  const auto chapter =
      std::ranges::find(timeline.chapters(), Stage::V_heads, &Timeline::Chapter::stage) - timeline.chapters().begin();
  view = with_last_stage(with_stage(std::move(view), timeline, static_cast<std::size_t>(chapter)), timeline);
  CHECK(timeline.chapters()[chapter_at(view, timeline)].stage == Stage::Q_heads);
}

TEST_CASE("pieces of one word touch and have no prefix, and words have gaps between them") {
  Document document = sentence();
  document.scenario = {};
  document.scenario.source = Source::file;
  document.scenario.file = "model:english";
  document.scenario.text_as_input = true;
  document.scenario.text = "the bank feared inflation";
  const Studio studio(document, {{1600, 900}});
  const std::vector<std::string>& tokens = studio.trace().inputs.query_tokens.front();
  REQUIRE(std::ranges::count_if(tokens, [](const std::string& token) { return token.starts_with("##"); }) > 0);
  const Scene scene = make_sentence(studio.context(), {}, studio.place());
  CHECK(faults(scene, studio) == "");
  std::vector<Rect> boxes(tokens.size());
  for (const SceneTarget& target : scene.targets) {
    if (target.action == SceneAction::query_word && target.rect.height() > 30)
      boxes[static_cast<std::size_t>(target.index)] = target.rect;
  }
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const bool piece = tokens[i].starts_with("##");
    CAPTURE(tokens[i]);
    CHECK(has_text(scene, piece ? tokens[i].substr(2) : tokens[i]));
    CHECK((boxes[i].min.x <= boxes[i - 1].max.x) == piece);
  }
}
