// The user's own stages, compared with the right ones in the window.
#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>

#include "core/base/arrays/array_write.h"
#include "core/teaching/diagnosis/reproduction.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"
#include "tests/ui/headless.h"
#include "ui/base/document/action.h"
#include "ui/views/lessons/lesson_panel.h"
#include "ui/views/mine/mine_picture.h"

using namespace headlight;
using namespace headlight::test;
using samples::has;

namespace {

/// Saves the stages of a run with a mistake, and returns the path.
std::string saved(const samples::TempFolder& scratch, const Trace& trace, const char* mistake) {
  const OwnStages own = mistaken_stages(mistake, 0, std::make_shared<Trace>(trace));
  std::vector<NamedArray> arrays;
  for (const OwnStage& stage : own.stages) arrays.push_back({std::string(name(stage.stage)), stage.values});
  const std::filesystem::path file = scratch / "mine.npz";
  write_npz(file, arrays);
  return file.string();
}

}  // namespace

TEST_CASE(
    "a file of own stages that is dropped lies over what is open: the first difference in focus, the mistake named, "
    "and the way to the operation") {
  const samples::TempFolder scratch;
  HeadlessWindow window(sentence());
  window.settle();
  const Scenario before = window.document().scenario;
  window.session.open(saved(scratch, *window.document().trace, "no_scale"));
  window.settle();
  const Document& document = window.document();
  CHECK(document.scenario == before);
  CHECK(document.view.kind == ViewKind::compare);
  REQUIRE(document.own_compared);
  CHECK_FALSE(document.own_compared->searching);
  CHECK(compared_stage(*document.own_compared, document.view) == Stage::scaled_scores);
  CHECK(document.own_compared->comparison.diagnosis().front().id == "no_scale");
  const Words english("en"), chinese("zh");
  const Report report = make_report(document.own_compared->comparison, document.own_compared->own, english);
  REQUIRE(report.parts.size() == 1);
  CHECK(report.parts[0].heading == "First difference: scaled_scores");
  CHECK(report.parts[0].findings[0].text == document.own_compared->comparison.diagnosis().front().explanation);
  CHECK(has(report.parts[0].findings[0].line, "math.sqrt(d_head)"));
  CHECK(
      has(make_report(document.own_compared->comparison, document.own_compared->own, chinese).parts[0].findings[0].text,
          "math.sqrt(d_head)"));

  const ImVec2 show = window.find("canvas", {"show_me"});
  REQUIRE(show.x > 0);
  window.click(show);
  window.settle();
  CHECK(window.document().view.kind == ViewKind::pipeline);
  CHECK(window.document().view.levels.level == Level::operation);
  CHECK(window.document().view.levels.stage == Stage::scaled_scores);

  window.session.perform(StopComparing{});
  window.settle();
  CHECK_FALSE(window.document().own_compared);
  CHECK_FALSE(window.document().own);
}

TEST_CASE(
    "own stages are compared anew where the settings change, and a file that cannot be read is taken away again") {
  const samples::TempFolder scratch;
  HeadlessWindow window(sentence());
  window.settle();
  const std::string file = saved(scratch, *window.document().trace, "no_scale");
  window.session.perform(CompareOwn{file});
  window.settle();
  REQUIRE(window.document().own_compared);
  window.session.perform(EditScenario{[](Scenario& s) { s.scale = 1; }, {}});
  window.settle();
  REQUIRE(window.document().own_compared);
  CHECK(window.document().own_compared->comparison.matches());
  window.session.perform(CompareOwn{scratch / "nowhere.npz"});
  window.settle();
  CHECK_FALSE(window.document().own);
  CHECK(has(window.document().error.english(), "nowhere.npz"));
}

TEST_CASE("the window says in each language how an array was read, in English with the words of the terminal") {
  using Kind = OwnReading::Kind;
  using Hint = OwnReading::Hint;
  const Words english("en"), chinese("zh");
  CHECK(reading_words({}, chinese).empty());
  for (int kind = 1; kind <= static_cast<int>(Kind::no_mask); ++kind) {
    for (const Hint hint : {Hint::none, Hint::transpose_missing, Hint::rows_and_columns}) {
      if (hint != Hint::none && static_cast<Kind>(kind) != Kind::wrong_shape) continue;
      const OwnReading reading{static_cast<Kind>(kind), {6, 16}, {1, 6, 16}, hint};
      CAPTURE(translated_error(reading));
      CHECK(reading_words(reading, english) == translated_error(reading));
      const std::string said = reading_words(reading, chinese);
      CHECK(std::ranges::any_of(said, [](char c) { return static_cast<unsigned char>(c) >= 0xe4; }));
      CHECK_FALSE(has(said, "read"));
      CHECK_FALSE(has(said, "mine."));
    }
  }
}

TEST_CASE("a mask that one's own numbers reveal is named as the window names it, and set by a click") {
  const samples::TempFolder scratch;
  for (const char* language : {"en", "zh"}) {
    Document document = sentence();
    document.view.language = language;
    HeadlessWindow window(document);
    window.settle();
    const std::string file = saved(scratch, *window.document().trace, "no_scale");
    window.session.perform(EditScenario{[](Scenario& s) { s.mask.clear(); }, {}});
    window.settle();
    window.session.open(file);
    window.settle();
    REQUIRE(window.document().own_compared);
    REQUIRE(window.document().own_compared->comparison.assumed);
    Record record;
    ImGui::GetIO().UserData = &record;
    window.frame();
    ImGui::GetIO().UserData = nullptr;
    std::string drawn;
    for (const RecordedText& text : record.texts) drawn += text.text + "\n";
    INFO(drawn);
    CHECK(has(drawn, std::string("“") + Words(language)("settings.mask") + "”"));
    CHECK_FALSE(has(drawn, "--"));
    const ImVec2 take = window.find("canvas/report", {"take_mask"});
    REQUIRE(take.x > 0);
    window.click(take);
    window.settle();
    CHECK(window.document().scenario.mask == "causal()");
    CHECK_FALSE(window.document().own_compared->comparison.assumed);
  }
}

TEST_CASE("a search for a mistake says what it tries, and can be stopped from the window") {
  const samples::TempFolder scratch;
  HeadlessWindow window(random_document(256, 128, 4));
  window.settle();
  Buffer noise(256 * 128);
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = std::sin(static_cast<float>(i * i % 977));
  const NamedArray arrays[] = {{"output", Tensor({1, 256, 128}, std::move(noise))}};
  write_npz(scratch / "noise.npz", arrays);
  window.session.perform(CompareOwn{scratch / "noise.npz"});
  ImVec2 stop{};
  bool named = false;
  const auto wait_for = [&](auto&& done) {
    for (int i = 0; i < 4000 && !done(); ++i) {
      window.frame();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return done();
  };
  CHECK(wait_for([&] {
    const SearchProgress& progress = window.document().searching;
    named = named || (progress.busy && !progress.mistake.empty());
    if (named) stop = window.find("canvas/report", {"stop"});
    return stop.x > 0;
  }));
  window.click(stop);
  CHECK(wait_for([&] { return window.document().own_compared && window.document().own_compared->stopped; }));
  const Compared& compared = *window.document().own_compared;
  CHECK_FALSE(compared.searching);
  CHECK(compared.comparison.wrongs.empty());
  CHECK(compared.comparison.first_difference()->stage == Stage::output);  // the comparison is kept
  CHECK_FALSE(window.document().searching.busy);
}

TEST_CASE("a comparison that undo brings back has its result again") {
  HeadlessWindow window(sentence());
  window.session.open("lesson:bug-no-scale");
  window.settle();
  window.session.perform(GoToStep{1});
  window.settle();
  REQUIRE(window.document().own_compared);
  window.session.perform(ResetLessons{false});
  window.session.perform(GoToStep{1});
  window.settle();
  window.session.perform(GoToStep{0});
  window.session.perform(Undo{});
  window.settle();
  CHECK(window.session.idle());
  REQUIRE(window.document().own);
  CHECK(window.document().own_compared);
}

TEST_CASE("the mistake of a lesson is not named before the answer") {
  const Course course = course_named("bug-no-scale");
  LessonProgress progress;
  progress.step = 1;
  CHECK_FALSE(told(course, progress).stages);
  progress.revealed = true;
  CHECK(told(course, progress).stages);
  CHECK_FALSE(told(course, progress).mistake);
  progress = {};
  progress.step = 2;
  CHECK(told(course, progress).stages);
  CHECK_FALSE(told(course, progress).mistake);
  progress.step = 3;
  CHECK(told(course, progress).mistake);
}

TEST_CASE("where a stage agrees, what rounding leaves is said as a number and is not painted as a difference") {
  const samples::TempFolder scratch;
  HeadlessWindow window(sentence());
  window.settle();
  const Tensor right = (*window.document().trace)[Stage::output];
  Buffer values(right.values().begin(), right.values().end());
  values[3] += 4e-7f;
  const NamedArray arrays[] = {{"output", Tensor(right.shape(), std::move(values))}};
  write_npz(scratch / "mine.npz", arrays);
  window.session.open((scratch / "mine.npz").string());
  window.settle();
  REQUIRE(window.document().own_compared);
  CHECK(window.document().own_compared->comparison.matches());
  const auto& stages = window.document().own_compared->comparison.stages;
  const auto output = std::ranges::find(stages, Stage::output, &StageComparison::stage);
  REQUIRE(output != stages.end());
  CHECK(has(verdict_words(*output, Words("en")), "e−07"));
  REQUIRE(window.painter.quads.size() == 3);
  const MatrixQuad& apart = window.painter.quads.back();
  float largest = 0;
  for (const float value : apart.values.values()) largest = std::max(largest, std::abs(value));
  CHECK(largest > 1e-7f);
  CHECK(apart.range.hi > 20 * largest);
  CHECK(apart.range.lo == -apart.range.hi);
}

TEST_CASE("a stage that agrees where no number is finite is said to tell nothing") {
  const samples::TempFolder scratch;
  HeadlessWindow window(sentence());
  window.settle();
  const auto& trace = window.document().trace;
  OwnStages own{.path = "mine.npz"};
  const Tensor right = (*trace)[Stage::output], none = Tensor::full(right.shape(), std::nanf(""));
  own.stages.push_back({.stage = Stage::output, .values = none, .stored = right.shape()});
  Comparison comparison;
  comparison.stages.push_back({Stage::output, own.stages.data(), agreement(none, none)});
  for (const char* language : {"en", "zh"}) {
    const Words words(language);
    CHECK(verdict_words(comparison.stages.front(), words) == words("mine.stage_tells_nothing"));
    const Report report = make_report(comparison, own, words);
    CHECK(report.agrees == words("mine.agrees"));
    REQUIRE(report.others.size() == 1);
    CHECK(has(report.others.front(), "output"));
  }
  own.stages.front().values = right;
  comparison.stages.front().agreement = agreement(right, right);
  CHECK(make_report(comparison, own, Words("en")).others.empty());
}
