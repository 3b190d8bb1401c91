#include <algorithm>
#include <cmath>

#include "tests/catch.h"
#include "tests/places.h"
#include "tests/ui/levels.h"
#include "tests/ui/studio.h"
#include "ui/base/document/action.h"
#include "ui/base/document/view.h"
#include "ui/parts/player/stages.h"
#include "ui/parts/scene/matrix_numbers.h"
#include "ui/parts/scene/row_prose.h"
#include "ui/views/operation/operation.h"
#include "ui/views/sentence/sentence.h"

using namespace headlight;
using namespace headlight::test;

TEST_CASE(
    "no text of an operation is cut, leaves the canvas or lies over another, and no word is left out while there is "
    "room") {
  for (const ScreenSetting& at : level_settings) {
    const Studio studio(with_every_stage(), at);
    for (const Stage stage : studio.trace().stages()) {
      const Scene scene = studio.operation(stage);
      INFO(setting_words(at) << name(stage));
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
    for (const ScreenSetting& at : {level_settings[0], level_settings[1], level_settings[4]}) {
      const Studio studio(with_every_stage(words.c_str()), at);
      const TypeSizes type = type_sizes(studio.context());
      const float small = std::max(0.6f * type.word, type.least);  // the least size in a presentation
      for (const Stage stage : {Stage::scores, Stage::weights, Stage::mask, Stage::head_outputs}) {
        if (!studio.trace().has(stage)) continue;
        const Scene scene = studio.operation(stage);
        INFO(n << " words, " << setting_words(at) << name(stage));
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
  const Studio studio(with_every_stage(), level_settings[3]);
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
  for (const ScreenSetting& at : {level_settings[0], level_settings[1], level_settings[4], level_settings[5]}) {
    const Studio studio(with_every_stage("the cat that chases the dogs"), at);
    for (const Stage stage : {Stage::Q_heads, Stage::concat}) {
      for (float share = 0; share <= 1; share += 0.05f) {
        Reveal reveal;
        reveal.share = share;
        const Scene scene = studio.operation(stage, reveal);
        INFO(setting_words(at) << name(stage) << " at " << share);
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
  const Studio studio(sentence(), level_settings[3]);
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
  const Studio studio(with_every_stage("the cat that chases the dogs"), level_settings[3]);
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
    for (const ScreenSetting& at : level_settings) {
      Studio studio(document, at);
      studio.view().levels.query = 5;
      const Scene scene = studio.operation(Stage::query);
      INFO(setting_words(at) << layer);
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
        INFO(setting_words(at) << name(stage));
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
        INFO(setting_words(at) << name(stage) << " " << math->markup);
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

TEST_CASE(
    "on a wall smaller than 1024 by 768 the sum of a product still stands beside what it is made of, over nothing, "
    "with terms to see") {
  for (const ScreenSetting& at : {ScreenSetting{{800, 600}, 1, true, "en"}, ScreenSetting{{960, 540}, 1, true, "zh"}}) {
    Studio studio(sentence(), at);
    studio.view().levels.unfolded = true;
    for (const Stage stage : {Stage::Q, Stage::scores, Stage::head_outputs, Stage::output}) {
      INFO(setting_words(at) << name(stage));
      const Scene scene = studio.operation(stage);
      CHECK(faults(scene, studio) == "");
      const bool bias = stage == Stage::Q || stage == Stage::output;  // a bias is on a line of its own
      CHECK(std::ranges::count_if(texts_of(scene), [](const SceneText* text) { return text->text == "×"; }) >=
            (bias ? 0 : 1));
    }
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
