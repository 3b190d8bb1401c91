// The view Train: a run that learns in the window, its picture, and the way from it to the other views and back.
#include "ui/views/train/train.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/compute/training/task.h"
#include "tests/allocations.h"
#include "tests/matchers.h"
#include "tests/ui/headless.h"
#include "tests/ui/studio.h"
#include "ui/views/train/train_groups.h"

using namespace headlight;
using namespace headlight::test;
using compat::Key;

namespace {

/// A run so small that it takes some hundredths of a second.
Document run_document(const std::string& name = "train:reverse;d_model=16;steps=60@0") {
  Document document;
  document.scenario.source = Source::file;
  document.scenario.file = name;
  document.origin.saved = document.scenario;
  document.view.kind = ViewKind::train;
  document.view.train.pace = TrainPace::at_once;
  return document;
}

const Learned& learned(const HeadlessWindow& window) {
  REQUIRE(window.document().learned);
  return *window.document().learned;
}

/// The picture as the window draws it, without the window.
struct TrainStudio {
  TrainStudio(HeadlessWindow& of, ImVec2 size, const char* language = "en", bool presenting = false)
      : window(of), words(language), view(of.document().view), window_size(size) {
    view.language = language;
    view.presenting = presenting;
    fonts.load(u, words.all_text() + "abcdefghijklmnopqrstuvwxyz0123456789");
  }
  TrainScene make() const {
    const Document& document = window.document();
    const SceneContext context{*document.trace, view, look(Theme::light), fonts, words, u, window_size};
    const Learned& run = *document.learned;
    return make_train(context, {run, document.learned_beside.get(), run.step, false},
                      {{0.2F * window_size.x, 60}, {window_size.x - 20, window_size.y - 80}});
  }
  HeadlessWindow& window;
  Words words;
  View view;
  ImVec2 window_size;
  float u = 1;
  Fonts fonts;
};

}  // namespace

TEST_CASE("Space lets a run learn to its end; then the scenario is at its last step, and every view has that network") {
  HeadlessWindow window(run_document());
  window.settle();
  CHECK(learned(window).step == 0);
  CHECK(learned(window).moments.size() == 1);
  window.press(Key::space);
  window.settle();
  CHECK(learned(window).step == 60);
  CHECK(learned(window).losses.size() == 60);
  CHECK(window.document().scenario.file == "train:reverse;d_model=16;steps=60@60");
  CHECK(window.document().view.train.until == 0);
  CHECK(is_current(window.document()));
  CHECK(window.document().error.empty());
}

TEST_CASE("a run that is watched learns on from frame to frame, stops at Pause where it is, and goes on from there") {
  Document document = run_document();
  document.view.train.pace = TrainPace::watched;
  HeadlessWindow window(document);
  for (int i = 0; i < 400 && !window.document().learned; ++i) window.frame();
  window.session.wait();
  window.frame();
  window.press(Key::space);
  for (int i = 0; i < 20000 && learned(window).step < 5; ++i) {
    window.frame();
    std::this_thread::sleep_for(
        std::chrono::milliseconds(1));  // the worker learns meanwhile, on however slow a machine
  }
  window.press(Key::space);
  window.settle();
  const Index paused = learned(window).step;
  CHECK(paused >= 5);
  CHECK(paused < 60);
  CHECK(window.document().scenario.file.ends_with("@" + std::to_string(paused)));
  window.press('s');
  window.settle();
  CHECK(learned(window).step == paused + 1);
  CHECK(window.document().scenario.file.ends_with("@" + std::to_string(paused + 1)));
}

TEST_CASE("the arrow keys go through the kept steps, and Undo comes back") {
  HeadlessWindow window(run_document("train:reverse;d_model=16;steps=60@60"));
  window.settle();
  REQUIRE(learned(window).step == 60);
  window.press(Key::home);
  window.settle();
  CHECK(window.document().scenario.file.ends_with("@0"));
  window.press(Key::right);
  window.settle();
  const Index second = learned(window).moments[1].step;
  CHECK(window.document().scenario.file.ends_with("@" + std::to_string(second)));
  window.session.perform(Undo{});
  window.session.perform(Undo{});
  window.settle();
  CHECK(window.document().scenario.file.ends_with("@60"));
  CHECK(learned(window).step == 60);
}

TEST_CASE("a changed choice begins a second run beside the first; both differ in that choice alone") {
  HeadlessWindow window(run_document());
  window.settle();
  window.press(Key::space);
  window.settle();
  const ImVec2 causal = window.find("canvas/train_choices", {"train.maskcausal()"});
  REQUIRE(causal.x > 0);
  window.click(causal);
  window.settle();
  REQUIRE(window.document().learned_beside);
  const Learned& first = *window.document().learned_beside;
  CHECK(first.settings.mask == "full()");
  CHECK(learned(window).settings.mask == "causal()");
  CHECK(learned(window).step == 60);
  TrainingSettings same = learned(window).settings;
  same.mask = first.settings.mask;
  CHECK(same == first.settings);
  // A second change starts from the first run again.
  const ImVec2 two = window.find("canvas/train_choices", {"train.layers2"});
  REQUIRE(two.x > 0);
  window.click(two);
  window.settle();
  CHECK(learned(window).settings.mask == "full()");
  CHECK(learned(window).settings.layers == 2);
  window.press(Key::escape);
  window.settle();
  CHECK_FALSE(window.document().learned_beside);
}

TEST_CASE("a head opens in the sentence at its step, with the same weights, and Esc comes back") {
  HeadlessWindow window(run_document("train:reverse;d_model=16;steps=60@60"));
  window.settle();
  window.press(Key::enter);
  window.settle();
  const Document& document = window.document();
  CHECK(document.view.kind == ViewKind::pipeline);
  CHECK(level_shown(document.view) == Level::sentence);
  REQUIRE(document.trace);
  CHECK_THAT((*document.trace)[Stage::weights], agrees_with(learned(window).moments.back().probe->weights[0]));
  window.press(Key::escape);
  window.settle();
  CHECK(document.view.kind == ViewKind::train);
}

TEST_CASE("a click on a head opens it, though the picture beneath it can be dragged") {
  HeadlessWindow window(run_document("train:reverse;d_model=16;steps=60@60"));
  window.settle();
  const std::string head = "head0.0@" + std::to_string(learned(window).moments.back().step);
  const ImVec2 at = window.find("canvas", {head.c_str()});
  REQUIRE(at.x > 0);
  window.click(at);
  CHECK(window.document().view.kind == ViewKind::pipeline);
}

TEST_CASE("the curve is a point for each kept step, at its share of right answers") {
  HeadlessWindow window(run_document("train:reverse;d_model=16;steps=60@60"));
  window.settle();
  const TrainStudio studio(window, {1600, 900});
  const TrainScene made = studio.make();
  const Learned& run = learned(window);
  const LearnedMoment& last = run.moments.back();
  const ImVec2 end{made.plot.min.x + made.plot.width() * static_cast<float>(last.step) / static_cast<float>(made.steps),
                   made.plot.max.y - made.plot.height() * static_cast<float>(last.measured.accuracy)};
  CHECK(std::ranges::any_of(made.scene.items, [&](const SceneItem& item) {
    const auto* line = std::get_if<SceneCurve>(&item);
    return line && std::abs(line->points[3].x - end.x) < 0.5F && std::abs(line->points[3].y - end.y) < 0.5F;
  }));
  for (std::size_t i = 1; i < run.moments.size(); ++i) CHECK(run.moments[i - 1].step < run.moments[i].step);
}

TEST_CASE("a guess before the first step stays beside the curve, and is said at the end") {
  HeadlessWindow window(run_document());
  window.settle();
  window.session.perform(EditView{[](View& v) { v.train.guess = 0.5F; }});
  window.press(Key::space);
  window.settle();
  const TrainStudio studio(window, {1600, 900});
  CHECK(has_text(studio.make().scene, "50 %"));
  CHECK(has_text(studio.make().scene, "your guess: 50 %"));
}

TEST_CASE("a learning rate at which the loss is no number ends the run, says why, and keeps the steps before") {
  HeadlessWindow window(run_document("train:reverse;d_model=16;steps=60;rate=1e9@0"));
  window.settle();
  window.press(Key::space);
  window.settle();
  CHECK_FALSE(learned(window).error.empty());
  CHECK(learned(window).step < 60);
  CHECK(window.document().view.train.until == 0);
  CHECK_FALSE(learned(window).moments.empty());
}

TEST_CASE("the picture of a run fits every window in both languages, alone and beside another") {
  for (const bool two : {false, true}) {
    Document document = run_document("train:reverse;d_model=16;steps=30@30");
    if (two) document.view.train.beside = "train:reverse;d_model=16;steps=30;mask=causal()@0";
    HeadlessWindow window(document);
    window.settle();
    REQUIRE(static_cast<bool>(window.document().learned_beside) == two);
    for (const char* language : {"en", "zh"}) {
      for (const ImVec2 size : {ImVec2{1024, 768}, ImVec2{1600, 900}, ImVec2{3840, 2160}}) {
        for (const bool presenting : {false, true}) {
          const TrainStudio studio(window, size, language, presenting);
          const TrainScene made = studio.make();
          CAPTURE(two, language, size.x, presenting);
          const std::vector<const SceneText*> texts = texts_of(made.scene);
          CHECK(texts.size() > 12);
          for (std::size_t i = 0; i < texts.size(); ++i) {
            INFO(texts[i]->text);
            CHECK(texts[i]->rect.min.x >= 0.2F * size.x - 1);
            CHECK(texts[i]->rect.max.x <= size.x);
            CHECK(texts[i]->rect.max.y <= size.y - 70);
            for (std::size_t j = i + 1; j < texts.size(); ++j) {
              const Rect &a = texts[i]->rect, &b = texts[j]->rect;
              const bool apart =
                  a.max.x <= b.min.x + 1 || b.max.x <= a.min.x + 1 || a.max.y <= b.min.y + 3 || b.max.y <= a.min.y + 3;
              INFO(texts[j]->text);
              CHECK(apart);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("every group of choices has an option for what each task begins with, and its options differ") {
  for (const TrainingTask& task : training_tasks()) {
    const TrainingSettings usual = training_defaults(std::string(task.id));
    for (const TrainGroup& group : train_groups()) {
      for (const TrainOption& option : group.options) {
        TrainingSettings set = usual;
        option.set(set);
        CAPTURE(task.id, group.word, option.word);
        CHECK(option.is(set));
        CHECK(std::ranges::count_if(group.options, [&](const TrainOption& each) { return each.is(set); }) == 1);
        if (!option.is(usual)) CHECK(differing_group(usual, set) == &group);
      }
    }
  }
}

TEST_CASE("a run that has ended allocates nothing in a frame, alone and beside another") {
  for (const bool two : {false, true}) {
    Document document = run_document("train:reverse;d_model=16;steps=30@30");
    if (two) document.view.train.beside = "train:reverse;d_model=16;steps=30;mask=causal()@0";
    HeadlessWindow window(document);
    window.settle();
    for (int i = 0; i < 4; ++i) window.frame();
    const std::size_t before = allocations_of_this_thread();
    for (int i = 0; i < 5; ++i) window.frame();
    CHECK(allocations_of_this_thread() == before);
  }
}
