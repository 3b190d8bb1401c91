#include <algorithm>
#include <cmath>

#include <imgui_internal.h>

#include "core/compute/run/pipeline.h"
#include "core/scenario/documents/open_source.h"
#include "core/teaching/explain/explain.h"
#include "core/teaching/lesson/course.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/ui/studio.h"
#include "ui/base/document/action.h"
#include "ui/base/document/lesson_progress.h"
#include "ui/base/document/view.h"
#include "ui/parts/player/stages.h"
#include "ui/parts/scene/matrix_numbers.h"
#include "ui/parts/scene/row_prose.h"
#include "ui/views/operation/operation.h"
#include "ui/views/sentence/sentence.h"

using namespace headlight;
using namespace headlight::test;

namespace {

/// A document with every optional stage: RoPE, QK-norm, a bias, a cap, a mask, dropout.
Document with_every_stage(const char* text = "the cat that chases the dogs sleeps because it is tired") {
  Document document = sentence();
  Scenario& scenario = document.scenario;
  scenario.text = text;
  scenario.rope = Rope::half;
  scenario.alibi = true;
  scenario.softcap = 20.0f;
  scenario.dropout = 0.2f;
  scenario.training = true;
  return document;
}

/// The list is short, because each setting loads fonts of its own.
const ScreenSetting settings[] = {{{1024, 768}, 1, false, "en"}, {{1024, 768}, 1, true, "zh"},
                                  {{1280, 720}, 1, true, "en"},  {{1600, 900}, 1, false, "zh"},
                                  {{1920, 1080}, 1, true, "en"}, {{3840, 2160}, 2.25f, false, "en"}};

std::string words_of(const ScreenSetting& at) {
  return std::to_string(static_cast<int>(at.window.x)) + "x" + std::to_string(static_cast<int>(at.window.y)) + " " +
         at.language + (at.presenting ? " presented " : " ");
}

/// The words of a scene that a straight arrow crosses.
std::string crossed_words(const Scene& scene) {
  std::string found;
  for (const SceneText* text : texts_of(scene)) {
    if (text->role != TextRole::word) continue;
    for (const SceneItem& item : scene.items) {
      const auto* arrow = std::get_if<SceneCurve>(&item);
      if (!arrow || !arrow->arrow) continue;
      bool through = false;
      for (int i = 0; i <= 400 && !through; ++i) {
        const float t = static_cast<float>(i) / 400;
        const ImVec2 p{arrow->points[0].x + t * (arrow->points[3].x - arrow->points[0].x),
                       arrow->points[0].y + t * (arrow->points[3].y - arrow->points[0].y)};
        through = p.x > text->rect.min.x && p.x < text->rect.max.x && p.y > text->rect.min.y && p.y < text->rect.max.y;
      }
      if (through) found += text->text + " at " + std::to_string(static_cast<int>(text->rect.min.x)) + "; ";
    }
  }
  return found;
}

}  // namespace

TEST_CASE(
    "no text of an operation is cut, leaves the canvas or lies over another, and no word is left out while there is "
    "room") {
  for (const ScreenSetting& at : settings) {
    const Studio studio(with_every_stage(), at);
    for (const Stage stage : studio.trace().stages()) {
      const Scene scene = studio.operation(stage);
      INFO(words_of(at) << name(stage));
      CHECK(faults(scene, studio) == "");
      CHECK(scene.left_out.empty());
    }
  }
}

TEST_CASE(
    "no word is left out, and none is a number in its place, while there is room for it at six tenths of its size") {
  std::string words;
  int looked_at = 0;
  for (int n = 1; n <= 48; ++n) {
    words += (n > 1 ? " " : "") +
             std::string(n % 7 == 0   ? "incomprehensible"
                         : n % 3 == 0 ? "the"
                                      : "word") +
             std::to_string(n);
    if (n != 9 && n != 27 && n != 48) continue;
    for (const ScreenSetting& at : {settings[0], settings[1], settings[4]}) {
      const Studio studio(with_every_stage(words.c_str()), at);
      const TypeSizes type = type_sizes(studio.context());
      const float small = std::max(0.6f * type.word, type.least);  // the least size in a presentation
      for (const Stage stage : {Stage::scores, Stage::weights, Stage::mask, Stage::head_outputs}) {
        if (!studio.trace().has(stage)) continue;
        const Scene scene = studio.operation(stage);
        INFO(n << " words, " << words_of(at) << name(stage));
        CHECK(faults(scene, studio) == "");
        for (const SceneWord& word : scene.left_out) {
          ++looked_at;
          CAPTURE(word.text, word.width, word.height, small);
          const ImVec2 size = text_size(studio.fonts(), Face::ui, small, word.text);
          CHECK((size.x > word.width || studio.fonts().crisp(Face::ui, small) > word.height));
        }
        for (const SceneText* text : texts_of(scene)) {
          const bool is_index =
              text->role == TextRole::word && text->text.find_first_not_of("0123456789") == std::string::npos;
          CHECK_FALSE(is_index);
        }
      }
    }
  }
  CHECK(looked_at > 0);
}

TEST_CASE(
    "the terms of a sum travel along their row and column, land one after another, and have all landed when it is "
    "whole") {
  const Studio studio(with_every_stage(), settings[3]);
  const auto chips = [](const Scene& scene) {
    std::vector<Rect> boxes;
    for (const SceneItem& item : scene.items) {
      if (const auto* box = std::get_if<SceneBox>(&item)) boxes.push_back(box->rect);
    }
    return boxes;
  };
  Reveal still;
  still.share = 0.29f;
  const std::vector<Rect> before = chips(studio.operation(Stage::scores, still));
  const auto flying = [&](const Scene& scene) {
    std::vector<Rect> boxes = chips(scene);
    std::erase_if(boxes, [&](const Rect& box) {
      return std::ranges::any_of(
          before, [&](const Rect& b) { return b.min.x == box.min.x && b.min.y == box.min.y && b.max.x == box.max.x; });
    });
    return boxes;
  };
  std::size_t most = 0;
  std::optional<Rect> first;
  float right = 0, down = 0;
  for (float share = 0.3f; share < 0.8f; share += 0.01f) {
    Reveal reveal;
    reveal.share = share;
    const std::vector<Rect> now = flying(studio.operation(Stage::scores, reveal));
    REQUIRE(now.size() % 2 == 0);  // each term has two factors
    most = std::max(most, now.size());
    for (std::size_t i = 0; i < now.size(); i += 2) {  // one is from A's row, one from B's column
      CHECK(now[i].centre().x <= now[i + 1].centre().x + 1);
      CHECK(now[i].centre().y >= now[i + 1].centre().y - 1);
    }
    if (now.empty()) continue;
    const Rect& chip = now.front();  // the chip of the oldest term
    if (first && chip.centre().x > first->centre().x) right += chip.centre().x - first->centre().x;
    down = std::max(down, now[1].centre().y - chip.centre().y);
    first = chip;
  }
  CHECK(most >= 4);
  CHECK(right > 100);
  CHECK(down <= 1);
  Reveal after;
  after.share = 0.81f;
  CHECK(flying(studio.operation(Stage::scores, after)).empty());
}

TEST_CASE(
    "columns on their way between the whole matrix and its heads fly over no word and no caption, and the head's "
    "numbers go with them") {
  for (const ScreenSetting& at : {settings[0], settings[1], settings[4], settings[5]}) {
    const Studio studio(with_every_stage("the cat that chases the dogs"), at);
    for (const Stage stage : {Stage::Q_heads, Stage::concat}) {
      for (float share = 0; share <= 1; share += 0.05f) {
        Reveal reveal;
        reveal.share = share;
        const Scene scene = studio.operation(stage, reveal);
        INFO(words_of(at) << name(stage) << " at " << share);
        CHECK(faults(scene, studio) == "");
        int numbers = 0;
        for (const SceneText* text : texts_of(scene)) {
          numbers += text->role == TextRole::number;
          if (text->role == TextRole::number) continue;
          CAPTURE(text->text);
          CHECK(std::ranges::none_of(scene.items, [&](const SceneItem& item) {
            const auto* matrix = std::get_if<SceneMatrix>(&item);
            return matrix && cross(matrix->seen, text->rect);
          }));
        }
        CHECK(numbers > 0);
      }
    }
  }
}

TEST_CASE(
    "while the input is played, the followed word's row is the one with numbers and the frame, from the beginning") {
  const Studio studio(sentence(), settings[3]);
  const auto numbers = [&](float share) {
    Reveal reveal;
    reveal.share = share;
    const Scene scene = studio.operation(Stage::query, reveal);
    CHECK(faults(scene, studio) == "");
    std::vector<const SceneText*> texts = texts_of(scene);
    std::erase_if(texts, [](const SceneText* text) { return text->role != TextRole::number; });
    std::vector<float> heights;
    for (const SceneText* text : texts) heights.push_back(text->rect.min.y);
    return heights;
  };
  CHECK(numbers(0).empty());
  const std::vector<float> whole = numbers(1);
  REQUIRE_FALSE(whole.empty());
  std::size_t most = 0;
  for (float share = 0.02f; share < 0.85f; share += 0.02f) {
    const std::vector<float> heights = numbers(share);
    CHECK(std::ranges::all_of(heights, [&](float y) { return y == whole.front(); }));
    CHECK(heights.size() >= most);  // the row grows
    most = heights.size();
  }
  CHECK(most == whole.size());
  CHECK(numbers(1).size() == static_cast<std::size_t>(studio.trace().dims().d_model));
}

TEST_CASE(
    "a rotation's arrows stay within their dials, while they turn too, and leave a trail as long as they have turned") {
  const Studio studio(with_every_stage("the cat that chases the dogs"), settings[3]);
  std::size_t last = 0;
  for (const float share : {0.0f, 0.3f, 0.6f, 1.0f}) {
    Reveal reveal;
    reveal.share = share;
    const Scene scene = studio.operation(Stage::Q_rotated, reveal);
    std::size_t arrows = 0, trail = 0;
    for (const SceneItem& item : scene.items) {
      const auto* line = std::get_if<SceneCurve>(&item);
      if (!line) continue;
      trail += !line->arrow;
      if (!line->arrow) continue;
      ++arrows;
      CHECK(std::ranges::any_of(scene.items, [&](const SceneItem& other) {
        const auto* dial = std::get_if<SceneDot>(&other);
        const ImVec2 end = line->points[3];
        return dial && dial->radius > 40 && std::hypot(end.x - dial->centre.x, end.y - dial->centre.y) < dial->radius;
      }));
    }
    CHECK(arrows == 4);  // two pairs, each before and after
    CHECK((share == 0 ? trail == 0 : trail > last));
    last = trail;
  }
}

TEST_CASE(
    "a network's first step shows what the followed word's row is the sum of, column over column of it, where there is "
    "the room") {
  Document document;
  document.scenario.source = Source::file;
  document.scenario.file = places::sentences();
  document.scenario.text = "the cat that chases the dogs sleeps";
  for (const char* layer : {"0", "1"}) {
    document.scenario.layer = layer;
    for (const ScreenSetting& at : settings) {
      Studio studio(document, at);
      studio.view().levels.query = 5;
      const Scene scene = studio.operation(Stage::query);
      INFO(words_of(at) << layer);
      CHECK(faults(scene, studio) == "");
      CHECK(scene.left_out.empty());
      const Words& words = studio.context().words;
      CHECK(has_text(scene, words.fill("level.row_place", {"5"})));
      CHECK(has_text(scene, "+ " + words.fill("level.row_layer", {"0"})) == (layer[0] == '1'));
      CHECK(has_text(scene, std::string(words("level.row_normed"))));
      Reveal reveal;  // the sum comes before the matrix
      reveal.share = 0.4f;
      const Scene half = studio.operation(Stage::query, reveal);
      CHECK(faults(half, studio) == "");
      const auto numbers = [](const Scene& shown) {
        return std::ranges::count_if(texts_of(shown),
                                     [](const SceneText* text) { return text->role == TextRole::number; });
      };
      CHECK(numbers(half) > 0);
      CHECK(numbers(half) < numbers(scene));
    }
  }
}

TEST_CASE("a sentence of few words is centred, and its words are spread") {
  for (const ScreenSetting& at :
       {ScreenSetting{{1024, 768}}, ScreenSetting{{1920, 1080}, 1, true, "en"}, ScreenSetting{{3840, 2160}, 2.25f}}) {
    for (const char* text : {"the cat", "the cat sat on"}) {
      Document document = sentence();
      document.scenario.text = text;
      const Studio studio(document, at);
      const Rect room = studio.place();
      const Scene scene = make_sentence(studio.context(), {}, room);
      INFO(words_of(at) << text);
      CHECK(std::abs(scene.content.centre().x - room.centre().x) < 0.03f * room.width());
      CHECK(scene.content.centre().y > room.min.y + 0.35f * room.height());
      CHECK(scene.content.centre().y < room.min.y + 0.72f * room.height());
      CHECK(scene.content.width() > (text[7] ? 0.26f : 0.13f) * room.width());
      CHECK(faults(scene, studio) == "");
    }
  }
}

TEST_CASE(
    "in a presentation operands and result take seven tenths of the width, and no type is smaller than 24 of 1080 "
    "pixels or 18, scripts of formulas neither") {
  for (const ScreenSetting& at :
       {ScreenSetting{{1024, 768}, 1, true, "en"}, ScreenSetting{{1024, 768}, 1, true, "zh"},
        ScreenSetting{{1920, 1080}, 1, true, "en"}, ScreenSetting{{1920, 1080}, 1, true, "zh"},
        ScreenSetting{{3840, 2160}, 2.25f, true, "en"}}) {
    for (const char* text :
         {"the cat that chases the dogs sleeps", "the cat that chases the dogs sleeps because it is tired"}) {
      Document document = with_every_stage(text);
      document.scenario.qk_norm = QkNorm::rms;  // with QK-norm the rotation has the longest formula
      const Studio studio(document, at);
      CHECK(studio.least() >= 18);
      if (at.window.y >= 1080) CHECK(studio.least() >= 24);
      int scripts = 0;
      for (const Stage stage : studio.trace().stages()) {
        INFO(words_of(at) << name(stage));
        const Scene scene = studio.operation(stage);
        CHECK(scene.content.width() >= 0.7f * at.window.x);
        CHECK(faults(scene, studio) == "");
        scripts += static_cast<int>(std::ranges::count_if(scene.items, [](const SceneItem& item) {
          return std::holds_alternative<SceneMath>(item) &&
                 std::get<SceneMath>(item).markup.find('_') != std::string::npos;
        }));
      }
      CHECK(scripts > 20);
    }
  }
}

TEST_CASE("a small formula keeps its sub- and superscripts at the least size of a presentation") {
  int smaller = 0;
  for (const ScreenSetting& at : {ScreenSetting{{760, 600}, 1, true, "en"}, ScreenSetting{{960, 540}, 1, true, "zh"},
                                  ScreenSetting{{1024, 768}, 1, true, "en"}}) {
    Document document = with_every_stage("the cat that chases the dogs sleeps");
    document.scenario.qk_norm = QkNorm::rms;
    const Studio studio(document, at);
    const TypeSizes type = type_sizes(studio.context());
    for (const Stage stage : studio.trace().stages()) {
      const Scene scene = studio.operation(stage);
      for (const SceneItem& item : scene.items) {
        const auto* math = std::get_if<SceneMath>(&item);
        if (!math) continue;
        INFO(words_of(at) << name(stage) << " " << math->markup);
        smaller += math->pixels < 0.95f * type.formula;
        CHECK(smallest_in_math(studio.fonts(), {math->pixels, math->least}, math->markup) >= studio.least() - 0.5f);
      }
    }
  }
  CHECK(smaller > 0);
  const Studio studio(sentence(), {{1024, 768}, 1, true, "zh"});
  const float least = size_not_below(studio.fonts(), Face::math, 18);
  for (const char* markup : {"e^{s_{i,j}}", "\\frac{q_{0}}{\\sqrt{d_{head}}}", "x_{总和_{总和}}"}) {
    CHECK(smallest_in_math(studio.fonts(), 20, markup) < 18);
    CHECK(smallest_in_math(studio.fonts(), {20, least}, markup) >= 18);
  }
}

TEST_CASE("a sum's terms keep their signs and stand apart, however narrow the card is") {
  for (const ImVec2 window : {ImVec2{480, 400}, {480, 800}, {560, 900}, {640, 480}, {1024, 768}}) {
    INFO(window.x << "x" << window.y);
    const Studio studio(sentence(), {window});
    const Scene scene = studio.operation(Stage::scores);
    std::vector<const SceneText*> numbers;
    std::ptrdiff_t times = 0, equal = 0;
    for (const SceneText* text : texts_of(scene)) {
      times += text->text == "×" ? 1 : 0;
      equal += text->text == "=" ? 1 : 0;
      if (text->role == TextRole::number && text->degrees == 0) numbers.push_back(text);
    }
    CHECK(equal >= times);
    for (const SceneText* a : numbers) {
      for (const SceneText* b : numbers) {
        const bool apart = a == b || a->rect.max.x <= b->rect.min.x + 1 || b->rect.max.x <= a->rect.min.x + 1 ||
                           a->rect.max.y <= b->rect.min.y + 1 || b->rect.max.y <= a->rect.min.y + 1;
        if (!apart) FAIL(a->text << " on " << b->text);
      }
    }
  }
}

TEST_CASE("a sum grows term by term and ends at the number itself") {
  const Studio studio(sentence(), {{1600, 900}});
  Reveal reveal;
  reveal.share = 0.5f;
  const Scene half = studio.operation(Stage::scores, reveal);
  const Index terms = studio.trace().dims().d_head;
  const std::string of = " of " + std::to_string(terms) + " terms";
  CHECK(has_text(half, of));
  CHECK_FALSE(has_text(half, std::to_string(terms) + of));
  CHECK(has_text(half, "so far"));
  const Scene whole = studio.operation(Stage::scores);
  CHECK(has_text(whole, std::to_string(terms) + of));
  CHECK_FALSE(has_text(whole, "so far"));
}

TEST_CASE(
    "numbers that are not zero are never written as zero, and have one precision a matrix, but for small ones that it "
    "would put out by more than 5 %") {
  const std::vector<float> values{3.14159f, -0.004f, 0, 20.66f, -11.2f};
  const MatrixNumbers figures({values.data(), 1, 5, 5, 1});
  CHECK(figures(3.14159f) == "3.1");
  CHECK(figures(-11.2f) == "−11.2");
  CHECK(figures(-0.004f) == "−.004");
  CHECK(figures(-0.0004f) == "≈0");  // there is room for no digits
  CHECK(figures(0) == "0");
  const std::vector<float> scores{16.07f, -154.2f, -1.77f, -0.16f, 2.73f, 8.64f};
  MatrixNumbers whole({scores.data(), 1, 6, 6, 1});
  CHECK(whole.shorten());
  for (const float value : scores) {
    std::string text = whole(value);
    CHECK(whole.longest() >= static_cast<int>(text.size()) - (value < 0 ? 2 : 0));
    if (value < 0) text = "-" + text.substr(std::string("−").size());
    CHECK(std::abs(std::stof(text) - value) <= 0.05f * std::abs(value));
  }
  const std::vector<float> shares{0.97f, 0.02f, 0.001f};
  const MatrixNumbers share({shares.data(), 1, 3, 3, 1});
  CHECK(share(0.97f).starts_with("0.97"));
  CHECK(share(0.0001f).starts_with("<"));
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
      INFO(text << " " << words_of(at));
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

TEST_CASE("that equal words have equal rows is said where it is so, and a part of a matrix says which") {
  const ScreenSetting at{{1024, 768}, 1, false, "en"};
  Document document = sentence();
  const auto story = [&](std::string_view wanted) {
    return has_text(Studio(document, at).operation(Stage::query), wanted);
  };
  document.scenario.text = "the cat sat on the mat";
  CHECK(story("Equal words begin as equal rows"));
  CHECK_FALSE(story("columns"));  // all 16 columns are shown
  document.scenario.positions = Positions::sinusoidal;
  CHECK_FALSE(story("begin as equal rows"));
  CHECK(story("different rows here"));
  document.scenario.text = "a cat sat on my mat";
  CHECK_FALSE(story("qual words"));
  document.scenario.d_model = 64;
  CHECK(story("columns 0–"));
}

TEST_CASE("the text of a step is true of this run's numbers") {
  const ScreenSetting at{{1280, 720}, 1, false, "en"};
  const auto says = [&](const Document& document, Stage stage, std::string_view wanted, Index query = 2) {
    Studio studio(document, at);
    studio.view().levels.query = query;
    return has_text(studio.operation(stage), wanted);
  };
  Document document = sentence();
  CHECK(says(document, Stage::scaled_scores, "become smaller"));
  CHECK(says(document, Stage::masked_scores, "no attention at all"));
  CHECK(says(document, Stage::masked_scores, "may look at every word", 5));  // the last word of a causal mask
  CHECK_FALSE(says(document, Stage::masked_scores, "gets the score", 5));
  CHECK(says(document, Stage::weights, "add up to 1"));
  Document hidden = sentence();
  hidden.scenario.mask = "q != 2";
  CHECK(says(hidden, Stage::weights, "nothing to share out"));
  hidden.scenario.dead_row = DeadRow::uniform;
  CHECK(says(hidden, Stage::weights, "is a convention"));
  document.scenario.training = true;
  for (const auto& [share, gone] : {std::pair(0.001f, false), std::pair(0.9f, true)}) {
    document.scenario.dropout = share;
    CHECK(says(document, Stage::dropped_weights, gone ? "dropped at random" : "was dropped this time", 5));
  }
  document.scenario.training = false;
  document.scenario.dropout = 0;
  document.scenario.scale = 1.0f;
  CHECK_FALSE(says(document, Stage::scaled_scores, "become smaller"));
  CHECK(says(document, Stage::scaled_scores, "stay as they are"));
  document.scenario.scale = 3.0f;
  CHECK(says(document, Stage::scaled_scores, "larger than 1"));
  document.scenario.fill = -9.0f;
  CHECK_FALSE(says(document, Stage::masked_scores, "none"));
  CHECK(says(document, Stage::masked_scores, "This fill is a number"));
  document.scenario.fill.reset();
  document.scenario.sink_logit = true;
  CHECK(says(document, Stage::weights, "a sink takes the rest"));
  document.scenario.sink_logit = false;
  document.scenario.mask = "q != 2";
  CHECK(says(document, Stage::weights, "nothing to share out"));
  CHECK_FALSE(says(document, Stage::weights, "nothing to share out", 3));
  CHECK(says(document, Stage::weights, "weights are random"));
  CHECK_FALSE(says(document, Stage::mask, "random"));
  const Studio random(document, at);
  CHECK(has_text(make_journey(random.context(), {}, random.place()), "weights are random"));
  CHECK(has_text(make_geometry(random.context(), random.place()), "weights are random"));
  Document trained;
  trained.scenario.source = Source::file;
  trained.scenario.file = places::sentences();
  trained.scenario.text = "the cat sleeps .";
  CHECK_FALSE(says(trained, Stage::weights, "random"));
  document = sentence();
  document.scenario.d_model = 32;
  document.scenario.heads = 8;
  document.scenario.kv_heads = 2;
  CHECK(says(document, Stage::Q_heads, "8"));
  CHECK_FALSE(says(document, Stage::K_heads, "8 heads"));
}

TEST_CASE(
    "a word's journey and the geometry are whole: no text is cut, crosses another or is too small, whatever the run "
    "has") {
  for (const ScreenSetting& at : settings) {
    for (const bool every : {false, true}) {
      const Studio studio(every ? with_every_stage() : sentence(), at);
      INFO(words_of(at) << every);
      CHECK(faults(make_journey(studio.context(), {}, studio.place()), studio) == "");
      CHECK(faults(make_journey(studio.context(), {{"sleeps", 0, 0.6}, {"waits", 0, 0.3}}, studio.place()), studio) ==
            "");
      const Scene geometry = make_geometry(studio.context(), studio.place());
      CHECK(faults(geometry, studio) == "");
      CHECK(crossed_words(geometry) == "");
    }
  }
}

TEST_CASE("a journey with a rival shows both dot products to the end, and the ratio of their shares") {
  Studio studio(sentence(), {{1600, 900}});
  studio.view().levels.query = 3;
  studio.view().levels.key = 1;
  studio.view().levels.rival = 2;
  const Scene scene = make_journey(studio.context(), {}, studio.place());
  CHECK(faults(scene, studio) == "");
  const MatrixView weights = studio.trace()[Stage::weights].matrix(0, studio.view().head);
  const double ratio = static_cast<double>(weights(3, 1)) / static_cast<double>(weights(3, 2));
  char text[16];
  std::snprintf(text, sizeof text, ratio >= 100 ? "%.0f" : ratio >= 10 ? "%.1f" : "%.2f", ratio);
  CHECK(has_text(scene, text));
  CHECK(has_text(scene, "sum"));
}

TEST_CASE(
    "the geometry says how much of the lengths its plane carries, and with two dimensions that it is all there is") {
  const Studio wide(sentence(), {{1600, 900}});
  CHECK(has_text(make_geometry(wide.context(), wide.place()), " %"));
  Document flat = sentence();
  flat.scenario.d_model = 8;
  flat.scenario.heads = 4;
  const Studio two(flat, {{1600, 900}});
  REQUIRE(two.trace().dims().d_head == 2);
  CHECK_FALSE(has_text(make_geometry(two.context(), two.place()), " %"));
  CHECK(has_text(make_geometry(two.context(), two.place()), "shows everything"));
}

TEST_CASE("the temperature's slider sets the scale of the scores, one step of undo a drag, and snaps to 1/√d_head") {
  Document document = sentence();
  document.view.levels.level = Level::operation;
  document.view.levels.facet = Facet::geometry;
  const Studio studio(document, {{1600, 900}});
  const Scene scene = make_geometry(studio.context(), studio.place());
  const auto track = std::ranges::find(scene.targets, SceneAction::temperature, &SceneTarget::action);
  REQUIRE(track != scene.targets.end());
  const Trace& trace = studio.trace();
  CHECK(temperature_of(trace) == Approx(1));
  CHECK(temperature_at(trace, 0) <
        1 / std::sqrt(static_cast<double>(trace.dims().d_head)));  // the slider reaches a scale of 1
  CHECK(temperature_at(trace, 1) == Approx(10));

  HeadlessWindow window(document);
  const auto at = [&](float share) {
    return ImVec2{track->rect.min.x + track->rect.width() * share, track->rect.centre().y};
  };
  window.drag(at(0.6f), at(0.95f));
  REQUIRE(window.document().scenario.scale);
  const double expected = 1 / (std::sqrt(static_cast<double>(trace.dims().d_head)) * temperature_at(trace, 0.95f));
  CHECK(static_cast<double>(*window.document().scenario.scale) == Approx(expected).epsilon(0.02));
  CHECK(window.document().undo.size() == 1);
  window.press('z', true);
  CHECK_FALSE(window.document().scenario.scale);
}

TEST_CASE("every value that counts in a journey has a strip of whole pixels, equal weights equally wide ones") {
  for (const float scale : {1.0f, 1.375f}) {
    Document document = sentence();
    document.scenario.text = "a b c d e f g h i j k l m n o p q r s t u v";
    document.scenario.scale = 1e-6f;
    Studio studio(document, {{1024 * scale, 768 * scale}, scale});
    int strips = 0;
    float width = 0;
    for (const SceneItem& item : make_journey(studio.context(), {}, studio.place()).items) {
      const auto* matrix = std::get_if<SceneMatrix>(&item);
      if (!matrix || matrix->seen.width() > 4) continue;
      CHECK(matrix->seen.min.x == std::round(matrix->seen.min.x));
      CHECK(matrix->seen.width() >= 1);
      CHECK(matrix->seen.width() == (strips == 0 ? std::round(matrix->seen.width()) : width));
      width = matrix->seen.width();
      ++strips;
    }
    CHECK(strips >= 10);
  }
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
    "what is to be guessed is on no canvas until a word is clicked that may be looked at, and then it is said how near "
    "one was") {
  Studio studio(sentence(), {{1600, 900}});
  studio.view().levels.query = 3;
  studio.view().levels.key.reset();
  const auto shares = [&](const Scene& scene) {
    return std::ranges::count_if(texts_of(scene), [](const SceneText* text) {
      return text->role == TextRole::number && text->text.find("0.") != std::string::npos;
    });
  };
  CHECK(shares(make_sentence(studio.context(), {}, studio.place())) > 0);
  studio.view().levels.guessing.active = true;
  const Scene asked = make_sentence(studio.context(), {}, studio.place());
  CHECK(shares(asked) == 0);
  CHECK(has_text(asked, "Which word"));
  CHECK(std::ranges::none_of(asked.items,
                             [](const SceneItem& item) { return std::holds_alternative<SceneCurve>(item); }));
  studio.view().levels.guessing.guess = 0.0f;
  const Scene told = make_sentence(studio.context(), {}, studio.place());
  CHECK(shares(told) > 0);
  CHECK((has_text(told, "Right:") || has_text(told, "You said")));
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

TEST_CASE("a row of weights is described by its largest shares and the sum of the others") {
  Document document = sentence();
  document.scenario.mask.clear();
  const Studio studio(document, {{1600, 900}});
  const RowProse prose = row_prose(studio.context(), 3);
  REQUIRE(prose.key);
  const MatrixView weights = studio.trace()[Stage::weights].matrix(0, 0);
  const Index n = weights.cols;
  CHECK(std::string_view(prose.key) == "level.row_3");
  CHECK(prose.values[6].text == std::to_string(n - 3));
  std::vector<float> row;
  for (Index k = 0; k < n; ++k) row.push_back(weights(3, k));
  std::ranges::sort(row, std::greater());
  double rest = 0;
  for (std::size_t i = 3; i < row.size(); ++i) rest += static_cast<double>(row[i]);
  char text[16];
  std::snprintf(text, sizeof text, "%.2f", rest);
  CHECK(prose.values[7].text == text);
}

TEST_CASE("among the largest shares, a token that occurs twice is named with its position, any other without") {
  Document document = sentence();
  document.scenario.mask.clear();
  document.scenario.text = "the cat the";
  const Studio studio(document, {{1600, 900}});
  const RowProse prose = row_prose(studio.context(), 2);
  REQUIRE(prose.values.size() >= 6);
  std::vector<std::string> named{prose.values[0].text, prose.values[2].text, prose.values[4].text};
  std::ranges::sort(named);
  CHECK(named == std::vector<std::string>{"cat", "the (0)", "the (2)"});
}

TEST_CASE("a number to be guessed is not on the canvas before the guess, and beside it afterwards") {
  for (const Stage stage : {Stage::scores, Stage::scaled_scores, Stage::weights, Stage::head_outputs, Stage::output}) {
    Studio studio(sentence(), {{1600, 900}});
    studio.view().levels.query = 3;
    studio.view().levels.key = 1;
    studio.view().levels.unfolded = true;
    const Scene plain = studio.operation(stage);
    studio.view().levels.guessing.active = true;
    const Scene asked = studio.operation(stage);
    INFO(name(stage));
    const float value = value_at(
        studio.trace(), cell_of(studio.trace(), studio.view(), stage, focus_of(studio.trace(), studio.view())));
    char text[24];
    std::snprintf(text, sizeof text, "%.2f", static_cast<double>(std::abs(value)));
    if (operation_of(studio.trace(), stage) == OperationKind::product) {  // a term may by chance have the same digits
      const float great = type_sizes(studio.context()).great;
      for (const SceneText* total : texts_of(plain)) {
        if (total->role == TextRole::number && total->pixels > great * 0.9f) CHECK_FALSE(has_text(asked, total->text));
      }
    } else {
      CHECK_FALSE(has_text(asked, text));
    }
    CHECK(std::ranges::none_of(asked.items, [](const SceneItem& item) {
      return std::holds_alternative<SceneMath>(item) && std::get<SceneMath>(item).markup.find('=') != std::string::npos;
    }));
    CHECK(std::ranges::any_of(asked.targets,
                              [](const SceneTarget& target) { return target.action == SceneAction::own_words; }));
    CHECK(faults(asked, studio) == "");
    studio.view().levels.guessing.guess = -7.5f;
    const Scene told = studio.operation(stage);
    CHECK(has_text(told, "You said "));
    CHECK(has_text(told, "−7.5"));
    CHECK(faults(told, studio) == "");
  }
}

TEST_CASE("copied, rotated, normalised, masked and dropped numbers can be guessed, and are not shown before") {
  Document document = with_every_stage("the cat that chases the dogs sleeps");
  document.scenario.qk_norm = QkNorm::rms;
  for (const Stage stage : {Stage::Q_heads, Stage::Q_normed, Stage::Q_rotated, Stage::mask, Stage::masked_scores,
                            Stage::dropped_weights, Stage::concat}) {
    Studio studio(document, {{1600, 900}});
    INFO(name(stage));
    REQUIRE(studio.trace().has(stage));
    studio.view().levels.query = 5;
    studio.view().levels.key = 2;
    const Scene plain = studio.operation(stage);
    CHECK(std::ranges::any_of(plain.targets,
                              [](const SceneTarget& target) { return target.action == SceneAction::guess; }));
    studio.view().levels.guessing.active = true;
    const Scene asked = studio.operation(stage);
    CHECK(has_text(asked, "?"));
    CHECK(std::ranges::any_of(asked.targets,
                              [](const SceneTarget& target) { return target.action == SceneAction::own_words; }));
    CHECK(std::ranges::none_of(asked.items, [](const SceneItem& item) {
      return std::holds_alternative<SceneMath>(item) && std::get<SceneMath>(item).markup.find('=') != std::string::npos;
    }));
    CHECK(texts_of(asked).size() < texts_of(plain).size() + 3);
    CHECK(faults(asked, studio) == "");
    studio.view().levels.guessing.guess = -7.5f;
    const Scene told = studio.operation(stage);
    CHECK(has_text(told, "You said "));
    CHECK(faults(told, studio) == "");
  }
}

TEST_CASE("every linked word and number of a sentence highlights something in its scene") {
  const auto check = [](const Scene& scene, int least) {
    int links = 0;
    for (const SceneTarget& target : scene.targets) {
      if (!target.link) {
        CHECK(lit_by(scene, target).empty());
        continue;
      }
      ++links;
      CHECK_FALSE(lit_by(scene, target).empty());
      CHECK(target_at(scene, target.rect.centre()) == &target);  // no other target covers it
    }
    CHECK(links >= least);
  };
  for (const char* language : {"en", "zh"}) {
    const Studio studio(with_every_stage("the cat that chases the dogs"), {{1600, 900}, 1, false, language});
    for (const Stage stage :
         {Stage::scores, Stage::scaled_scores, Stage::biased_scores, Stage::mask, Stage::masked_scores, Stage::weights,
          Stage::dropped_weights, Stage::head_outputs, Stage::output, Stage::Q, Stage::K}) {
      INFO(language << " " << name(stage));
      check(studio.operation(stage), stage == Stage::scaled_scores ? 0 : 1);
    }
    INFO(language);
    check(make_sentence(studio.context(), {}, studio.place()), 5);
    check(make_journey(studio.context(), {}, studio.place()), 3);
    check(make_geometry(studio.context(), studio.place()), 2);
  }
}

TEST_CASE("a click on a word in the text selects it") {
  Document document = sentence();
  document.view.levels.level = Level::operation;
  document.view.levels.stage = Stage::weights;
  document.view.levels.query = 5;
  document.view.levels.key = 1;
  const Rect place = [&] {
    HeadlessWindow window(document);
    window.settle();
    const ImGuiWindow* canvas = ImGui::FindWindowByName("canvas");
    return canvas ? Rect{canvas->Pos, {canvas->Pos.x + canvas->Size.x, canvas->Pos.y + canvas->Size.y}} : Rect{};
  }();
  REQUIRE(place.width() > 0);
  const Scene scene = [&] {
    const Studio studio(document, {{1600, 900}});
    return make_operation(studio.context(), Stage::weights, {}, place);
  }();
  const auto link = std::ranges::find_if(scene.targets, [](const SceneTarget& target) {
    return target.link && target.action == SceneAction::key_word && target.index != 1;
  });
  REQUIRE(link != scene.targets.end());
  HeadlessWindow window(document);
  window.settle();
  window.click(link->rect.centre());
  CHECK(window.document().view.levels.key == link->index);
}

TEST_CASE("a mask's step shows all of it: open where it allows, with every word, row by row while it is played") {
  const Studio studio(sentence(), {{1600, 900}});
  const MatrixView allowed = studio.trace()[Stage::mask].matrix(0, 0);
  const Index open = [&] {
    Index count = 0;
    for (Index q = 0; q < allowed.rows; ++q) {
      for (Index k = 0; k < allowed.cols; ++k) count += allowed(q, k) != 0;
    }
    return count;
  }();
  const auto ticks = [](const Scene& scene) {
    return std::ranges::count_if(texts_of(scene), [](const SceneText* text) { return text->text == "✓"; });
  };
  CHECK(ticks(studio.operation(Stage::mask)) == open);
  Reveal half;
  half.share = 0.4f;
  CHECK(ticks(studio.operation(Stage::mask, half)) < open);
  half.share = 1.0f;
  CHECK(ticks(studio.operation(Stage::mask, half)) == open);
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

TEST_CASE(
    "journey and geometry of 4,096 tokens are made of what fits the window, and name the words that are followed") {
  Document document = random_document(4096, 16, 2);
  document.scenario.mask = "causal()";
  Studio studio(document, {{1600, 900}});
  studio.view().levels.query = 3000;
  studio.view().levels.key = 1234;
  for (const bool geometry : {false, true}) {
    INFO(geometry);
    const Scene scene =
        geometry ? make_geometry(studio.context(), studio.place()) : make_journey(studio.context(), {}, studio.place());
    CHECK(scene.items.size() < 3000);
    CHECK(scene.targets.size() < 1500);
    CHECK(has_text(scene, "1234"));
    CHECK(faults(scene, studio) == "");
  }
}

TEST_CASE(
    "on a wall smaller than 1024 by 768 the sum of a product still stands beside what it is made of, over nothing, "
    "with terms to see") {
  for (const ScreenSetting& at : {ScreenSetting{{800, 600}, 1, true, "en"}, ScreenSetting{{960, 540}, 1, true, "zh"}}) {
    Studio studio(sentence(), at);
    studio.view().levels.unfolded = true;
    for (const Stage stage : {Stage::Q, Stage::scores, Stage::head_outputs, Stage::output}) {
      INFO(words_of(at) << name(stage));
      const Scene scene = studio.operation(stage);
      CHECK(faults(scene, studio) == "");
      const bool bias = stage == Stage::Q || stage == Stage::output;  // a bias is on a line of its own
      CHECK(std::ranges::count_if(texts_of(scene), [](const SceneText* text) { return text->text == "×"; }) >=
            (bias ? 0 : 1));
    }
  }
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

TEST_CASE("a step names its result once, by the stage's symbol, and a square root is drawn as one") {
  const Studio studio(with_every_stage("the cat that chases the dogs sleeps"), {{1600, 900}});
  const auto markups = [&](Stage stage) {
    std::vector<std::string> found;
    for (const SceneItem& item : studio.operation(stage).items) {
      if (const auto* math = std::get_if<SceneMath>(&item)) found.push_back(math->markup);
    }
    return found;
  };
  for (const Stage stage : {Stage::scaled_scores, Stage::capped_scores, Stage::biased_scores, Stage::masked_scores,
                            Stage::weights, Stage::dropped_weights}) {
    INFO(name(stage));
    const std::vector<std::string> said = markups(stage);
    const std::string own = std::string(info(stage).symbol) + "_{0}";
    CHECK(std::ranges::count(said, own) == 1);
    CHECK(std::ranges::none_of(
        said, [&](const std::string& one) { return one.starts_with(own + "^") || one.starts_with(own + "′"); }));
  }
  CHECK(std::ranges::any_of(markups(Stage::scaled_scores),
                            [](const std::string& one) { return one.find("1/\\sqrt{4}") != std::string::npos; }));
}
