// Gradients in place of the numbers, in the pipeline and its operations; and lessons in which a run is guessed, then
// made.
#include <algorithm>

#include "core/compute/engine/learning.h"
#include "core/teaching/explain/explain.h"
#include "core/teaching/lesson/course.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"
#include "tests/ui/headless.h"
#include "ui/base/document/action.h"
#include "ui/views/inspector/inspector_picture.h"
#include "ui/views/lessons/lesson_panel.h"
#include "ui/window/panels/registry.h"

using namespace headlight;
using namespace headlight::test;
using compat::Key;

namespace {

Document network_document(const std::string& name) {
  Document document;
  document.scenario.source = Source::file;
  document.scenario.file = name;
  document.origin.saved = document.scenario;
  document.view.kind = ViewKind::pipeline;
  return document;
}

bool shows_slopes(const HeadlessWindow& window) { return window.document().trace->gradients_of != nullptr; }

/// Whether some painted matrix has these numbers.
bool is_painted(const HeadlessWindow& window, const Tensor& values) {
  return std::ranges::any_of(window.painter.quads,
                             [&](const MatrixQuad& quad) { return identical(quad.values, values); });
}

}  // namespace

TEST_CASE("in the pipeline a learned network's numbers give way to gradients; Undo takes them back") {
  HeadlessWindow window(network_document("train:reverse;d_model=16;steps=8@8"), {1600, 1000});
  window.settle();
  CHECK_FALSE(shows_slopes(window));
  const ImVec2 gradients = window.find("controls", {"gradients", "gradients"});
  REQUIRE(gradients.x > 0);
  window.click(gradients);
  window.settle();
  CHECK(window.session.faults() == 0);
  REQUIRE(shows_slopes(window));
  CHECK(is_painted(window, (*window.document().trace)[Stage::scores]));
  CHECK_FALSE(is_painted(window, (*window.document().trace->gradients_of)[Stage::scores]));
  CHECK(view_fields(window.document().view).find("loss=") != std::string::npos);
  window.session.perform(Undo{});
  window.settle();
  CHECK_FALSE(shows_slopes(window));
  window.session.perform(Redo{});
  window.settle();
  CHECK(shows_slopes(window));
}

TEST_CASE(
    "every stage's gradient has its operation, beside the stage's numbers, in both languages and on a projector") {
  for (const char* run : {"train:recall;d_model=16;steps=4;mlp=true@4", "train:reverse;d_model=16;steps=4@4"}) {
    for (const bool presenting : {false, true}) {
      const char* const language = presenting ? "zh" : "en";
      Document document = network_document(run);
      document.view.language = language;
      document.view.presenting = presenting;
      document.view.levels.level = Level::operation;
      document.view.loss = "";
      HeadlessWindow window(document, presenting ? ImVec2{1024, 768} : ImVec2{1600, 900});
      window.settle();
      REQUIRE(shows_slopes(window));
      for (const Stage stage : window.document().trace->stages()) {
        INFO(name(stage) << " " << language << " " << presenting);
        if (is_parameter(stage) || stage == Stage::mask) continue;
        window.session.perform(EditView{[stage](View& v) { v.levels.stage = stage; }});
        window.settle();
        CHECK(window.session.faults() == 0);
        CHECK(window.document().error.empty());
      }
    }
  }
}

TEST_CASE("gradients are shown nowhere but in the pipeline and its operations, and the rest shows the numbers") {
  Document document = network_document("train:reverse;d_model=16;steps=8@8");
  document.view.loss = "";
  HeadlessWindow window(document);
  window.settle();
  REQUIRE(shows_slopes(window));
  for (const ViewKind kind : {ViewKind::heads, ViewKind::mask, ViewKind::network, ViewKind::map, ViewKind::train}) {
    window.session.perform(EditView{[kind](View& v) { v.kind = kind; }});
    window.settle();
    INFO(name(kind));
    CHECK(window.session.faults() == 0);
    CHECK_FALSE(shows_slopes(window));
  }
  window.session.perform(EditView{[](View& v) { v.kind = ViewKind::pipeline; }});
  window.settle();
  CHECK(shows_slopes(window));
  window.session.perform(EditView{[](View& v) { v.levels.level = Level::sentence; }});
  window.settle();
  CHECK_FALSE(shows_slopes(window));
}

TEST_CASE("a loss that no gradients are known of is said, and the numbers stay") {
  Document document = network_document("model:induction");
  document.view.loss = "notawordofit";
  HeadlessWindow window(document);
  window.settle();
  CHECK_FALSE(shows_slopes(window));
  CHECK_FALSE(window.document().error.empty());
  CHECK_FALSE(window.document().view.loss);
}

TEST_CASE(
    "a lesson's guess about a run is a line in its picture; once it is answered, the run learns as far as asked") {
  HeadlessWindow window(network_document("train:reverse@0"));
  window.session.open("lesson:learn-positions");
  window.settle();
  REQUIRE(window.document().view.kind == ViewKind::train);
  REQUIRE(window.document().learned);
  CHECK(window.document().learned->step == 0);
  window.session.perform(EditView{[](View& v) { v.train.guess = 0.5F; }});
  window.settle();
  CHECK(window.document().view.lesson.typed == "0.50");
  window.session.perform(EditView{[](View& v) { v.train.pace = TrainPace::at_once; }});
  const ImVec2 check = window.find("lesson", {"show"});
  REQUIRE(check.x > 0);
  window.click(check);
  window.settle();
  CHECK(window.session.faults() == 0);
  CHECK(window.document().view.lesson.revealed);
  CHECK(window.document().learned->step == 300);
  CHECK(window.document().view.train.guess == 0.5F);
}

TEST_CASE(
    "in the view Train a text file is what a network is to learn; one of which nothing can be learned is refused") {
  const samples::TempFolder scratch;
  samples::write_text(scratch / "mine.txt",
                      "the cat sat on the mat\nthe dog sat on the log\nthe cat saw the dog\n"
                      "the dog saw the cat\nthe mat is on the log\nthe log is on the mat\n");
  samples::write_text(scratch / "one.txt", "a\n");
  samples::write_text(scratch / "none.txt", "");
  Document document = network_document("train:reverse;d_model=16;steps=4@0");
  document.view.kind = ViewKind::train;
  HeadlessWindow window(document);
  window.settle();
  for (const char* bad : {"one.txt", "none.txt"}) {
    window.session.open((scratch / bad).string());
    window.settle();
    CHECK(window.session.faults() == 0);
    CHECK_FALSE(window.document().error.empty());
    CHECK(window.document().scenario.file == "train:reverse;d_model=16;steps=4@0");
    window.session.perform(DismissMessage{});
  }
  window.session.open((scratch / "mine.txt").string());
  window.settle();
  CHECK(window.document().error.empty());
  CHECK(window.document().view.kind == ViewKind::train);
  REQUIRE(window.document().learned);
  CHECK(window.document().learned->settings.task == (scratch / "mine.txt").string());
}
