// Numbers as scenes print and draw them: products that come out right, bars that point as their numbers do, angles that
// are those that are said.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <random>

#include "core/compute/network/network.h"
#include "core/compute/network/row_parts.h"
#include "core/scenario/inputs/inputs.h"
#include "core/teaching/explain/explain.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/ui/studio.h"
#include "ui/parts/scene/matrix_numbers.h"
#include "ui/views/sentence/sentence.h"
#include "ui/views/sentence/story.h"

using namespace headlight;
using namespace headlight::test;

namespace {

Document of_model(const char* text = "the cat that chases the dogs sleeps because it is tired .") {
  Document document = headlight::test::sentence();
  document.scenario = {};
  document.scenario.source = Source::file;
  document.scenario.file = places::sentences();
  document.scenario.text_as_input = true;
  document.scenario.text = text;
  document.view.kind = ViewKind::pipeline;
  document.view.levels.level = Level::operation;
  document.view.looked = true;
  return document;
}

/// The value of a printed number, and the value of 1 in its last digit.
struct Read {
  double value = 0, unit = 0;
};
Read read(std::string text) {
  const bool negative = text.starts_with("−");
  if (negative) text = text.substr(std::string("−").size());
  const std::size_t power = text.find('e'), point = text.find('.');
  const std::string digits = text.substr(0, power);
  const int decimals = point == std::string::npos ? 0 : static_cast<int>(digits.size() - point - 1);
  const double scale = power == std::string::npos ? 1 : std::pow(10.0, std::stoi(text.substr(power + 1)));
  const double value = std::stod(text);
  return {negative ? -value : value, value == 0 && decimals == 0 ? 0 : scale * std::pow(10.0, -decimals)};
}

/// The products that a scene prints, "a × b = c", and how many; those that are wrong by more than the last digit.
struct Products {
  int count = 0;
  std::string wrong;
};
Products products_of(const Scene& scene) {
  Products found;
  const auto texts = texts_of(scene);
  const auto beside = [&](const SceneText& sign, float direction) -> const SceneText* {
    const SceneText* nearest = nullptr;
    for (const SceneText* text : texts) {
      if (text == &sign || text->role != TextRole::number) continue;
      if (std::abs(text->rect.centre().y - sign.rect.centre().y) > 2) continue;
      const float apart = (text->rect.centre().x - sign.rect.centre().x) * direction;
      if (apart > 0 && (!nearest || apart < (nearest->rect.centre().x - sign.rect.centre().x) * direction))
        nearest = text;
    }
    return nearest;
  };
  for (const SceneText* sign : texts) {
    if (sign->text != "×") continue;
    const SceneText *left = beside(*sign, -1), *right = beside(*sign, 1);
    REQUIRE((left && right));
    const SceneText* equals = beside(*right, 1);
    if (!equals || equals->text != "=") continue;
    const SceneText* product = beside(*equals, 1);
    if (!product) continue;
    ++found.count;
    const Read is = read(product->text);
    if (std::abs(read(left->text).value * read(right->text).value - is.value) > is.unit * 1.001)
      found.wrong += left->text + " × " + right->text + " = " + product->text + "; ";
  }
  return found;
}

std::vector<SceneBar> bars_of(const Scene& scene) {
  std::vector<SceneBar> bars;
  for (const SceneItem& item : scene.items) {
    if (const auto* bar = std::get_if<SceneBar>(&item)) bars.push_back(*bar);
  }
  return bars;
}
/// The signed length of a bar: positive to the right or upwards.
float signed_length(const SceneBar& bar) { return bar.to.x - bar.from.x + bar.from.y - bar.to.y; }

const std::vector<Stage> products{Stage::Q, Stage::K, Stage::V, Stage::scores, Stage::head_outputs};

}  // namespace

TEST_CASE("a printed product is that of its printed factors, to its last digit") {
  std::mt19937 random(7);
  std::normal_distribution<float> mantissa(0, 1);
  std::uniform_real_distribution<float> power(-7, 4);
  for (int i = 0; i < 20000; ++i) {
    const float a = mantissa(random) * std::pow(10.0f, power(random)),
                b = mantissa(random) * std::pow(10.0f, power(random));
    const PrintedProduct shown = printed_product(a, b);
    CAPTURE(shown.left.text, shown.right.text, shown.product.text);
    const Read left = read(shown.left.text), right = read(shown.right.text), product = read(shown.product.text);
    REQUIRE(std::abs(left.value * right.value - product.value) <= product.unit * 1.001);
    REQUIRE(left.value != 0);
    REQUIRE(std::abs(product.value - static_cast<double>(a) * static_cast<double>(b)) <= product.unit * 0.501);
  }
  CHECK(printed_product(0, 3).product.text == "0");
  CHECK(printed_sum(-1.884, 0.697) == "−1.884 + 0.697 = −1.187");
  CHECK(printed_sum(0.156, 0.136) == "0.156 + 0.136 = 0.292");
  CHECK(printed_sum(0.5, -0.25) == "0.50 − 0.25 = 0.25");
}

TEST_CASE("no printed product differs from its printed factors by more than the last digit") {
  int count = 0;
  for (const ScreenSetting& at :
       {ScreenSetting{{1024, 768}, 1, false, "en"}, ScreenSetting{{1600, 900}, 1, false, "zh"},
        ScreenSetting{{1920, 1080}, 1, true, "en"}}) {
    Studio studio(of_model(), at);
    studio.view().levels.unfolded = true;
    for (const Index query : {Index{2}, Index{5}}) {
      studio.view().levels.query = query;
      studio.view().levels.key = 1;
      for (const Stage stage : products) {
        const Products found = products_of(studio.operation(stage));
        INFO(name(stage));
        CHECK(found.wrong == "");
        count += found.count;
      }
      studio.view().levels.rival = 2;
      const Products found = products_of(make_journey(studio.context(), {}, studio.place()));
      CHECK(found.wrong == "");
      count += found.count;
    }
  }
  CHECK(count > 200);
}

TEST_CASE("in one matrix either all numbers that round to zero are written out or none is") {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> uniform(0, 1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<float> row;
    for (int i = 0; i < 9; ++i) {
      const float size = std::pow(10.0f, 6 * uniform(random) - 5);
      row.push_back(uniform(random) < 0.4f ? -size : size);
    }
    const MatrixNumbers numbers(row);
    const float unit = std::pow(10.0f, static_cast<float>(-numbers.decimals()));
    int written = 0, left = 0;
    std::string all;
    for (const float value : row) {
      const std::string text = numbers(value);
      all += text + " ";
      if (std::abs(value) >= unit / 2) continue;
      ++(text.find_first_of("123456789") != std::string::npos && !text.starts_with("<") ? written : left);
    }
    INFO(all);
    CHECK((written == 0 || left == 0));
  }
}

TEST_CASE("a bar of a negative number points the other way than one of a positive number, in every scene") {
  Studio studio(of_model(), {{1600, 900}});
  studio.view().levels.query = 5;
  studio.view().levels.key = 1;
  int up = 0, down = 0;
  const auto check = [&](const Scene& scene) {
    for (const SceneBar& bar : bars_of(scene)) {
      if (!std::isfinite(bar.value) || std::abs(signed_length(bar)) < 0.5f) continue;
      CAPTURE(bar.value, bar.from.x, bar.to.x, bar.from.y, bar.to.y);
      CHECK((signed_length(bar) > 0) == (bar.value > 0));
      (bar.value > 0 ? up : down)++;
    }
  };
  for (const Stage stage : studio.trace().stages()) check(studio.operation(stage));
  check(make_geometry(studio.context(), studio.place()));
  check(make_journey(studio.context(), {}, studio.place()));
  studio.view().levels.rival = 2;
  check(make_journey(studio.context(), {}, studio.place()));
  CHECK(up > 50);
  CHECK(down > 50);
}

TEST_CASE("a sum's bars begin where the one before ends, end at the sum, and stay in their places while it grows") {
  Studio studio(of_model(), {{1600, 900}});
  studio.view().levels.unfolded = true;
  studio.view().levels.query = 5;
  studio.view().levels.key = 1;
  for (const Stage stage : products) {
    INFO(name(stage));
    const std::vector<SceneBar> whole = bars_of(studio.operation(stage));
    REQUIRE(whole.size() > 3);
    float sum = 0;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      sum += whole[i].value;
      if (i > 0) CHECK(whole[i].from.x == Approx(whole[i - 1].to.x).margin(1));
    }
    const Cell cell = cell_of(studio.trace(), studio.view(), stage, focus_of(studio.trace(), studio.view()));
    CHECK(sum == Approx(value_at(studio.trace(), cell)).margin(1e-4));
    std::size_t most = 0;
    for (float share = 0.5f; share < 0.83f; share += 0.04f) {
      Reveal reveal;
      reveal.share = share;
      const std::vector<SceneBar> now = bars_of(studio.operation(stage, reveal));
      CHECK(now.size() >= most);
      most = now.size();
      // Each bar is one of the whole sum, except the one for all terms that are not written.
      CHECK(std::ranges::count_if(now, [&](const SceneBar& bar) {
              return std::ranges::none_of(whole, [&](const SceneBar& other) {
                return other.from.x == bar.from.x && other.to.x == bar.to.x && other.from.y == bar.from.y;
              });
            }) <= 1);
    }
    CHECK(most == whole.size());
  }
}

TEST_CASE("a product's number is not written before it is computed") {
  const Studio studio(of_model(), {{1600, 900}});
  Reveal reveal;
  reveal.share = 0.3f;
  const auto numbers = [&](const Reveal& at) {
    return std::ranges::count_if(texts_of(studio.operation(Stage::scores, at)),
                                 [](const SceneText* text) { return text->role == TextRole::number; });
  };
  CHECK(numbers(reveal) + 16 <= numbers({}));
  CHECK(products_of(studio.operation(Stage::scores, reveal)).count == 0);
}

TEST_CASE("against a rival both sums have one scale, and the scale between scores and softmax is written") {
  for (const std::optional<float> scale : {std::optional<float>(), std::optional(0.3f)}) {
    Document document = of_model();
    document.scenario.scale = scale;
    Studio studio(document, {{1600, 900}});
    studio.view().levels.query = 5;
    studio.view().levels.key = 1;
    studio.view().levels.rival = 2;
    const Scene scene = make_journey(studio.context(), {}, studio.place());
    CHECK(faults(scene, studio) == "");
    double least = 1e9, most = 0;
    for (const SceneBar& bar : bars_of(scene)) {
      if (bar.from.y != bar.to.y || std::abs(signed_length(bar)) < 8) continue;  // bars of the scores are vertical
      const double pixels = std::abs(static_cast<double>(signed_length(bar) / bar.value));
      least = std::min(least, pixels);
      most = std::max(most, pixels);
    }
    CHECK(most > 0);
    CHECK(most == Approx(least).epsilon(0.02));
    std::string words;
    for (const SceneText* text : texts_of(scene)) words += text->text + " ";
    const std::string factor = scale ? "× 0.30" : "÷ √" + std::to_string(studio.trace().dims().d_head);
    CAPTURE(words);
    CHECK(words.find(factor) != std::string::npos);
  }
}

TEST_CASE("the angle that the geometry draws is the angle that it says, for every pair of words") {
  Studio studio(of_model(), {{1600, 900}});
  const Look& colours = look(Theme::dark);
  int looked_at = 0;
  for (const Index query : {Index{1}, Index{4}, Index{5}, Index{8}}) {
    for (const Index key : {Index{0}, Index{1}, Index{3}, Index{4}}) {
      studio.view().levels.query = query;
      studio.view().levels.key = key;
      const Scene scene = make_geometry(studio.context(), studio.place());
      double said = -1;
      for (const SceneText* text : texts_of(scene)) {
        if (text->text.ends_with("°")) said = std::stod(text->text);
      }
      std::optional<double> q, k;
      float thickest = 0;
      for (const SceneItem& item : scene.items) {
        if (const auto* line = std::get_if<SceneCurve>(&item); line && line->arrow)
          thickest = std::max(thickest, line->thickness);
      }
      for (const SceneItem& item : scene.items) {
        const auto* line = std::get_if<SceneCurve>(&item);
        if (!line || !line->arrow || line->thickness < thickest) continue;
        const double angle = std::atan2(line->points[0].y - line->points[3].y, line->points[3].x - line->points[0].x);
        (line->colour == colours.q ? q : k) = angle;
      }
      REQUIRE((q && k && said >= 0));
      const double drawn = std::abs(std::remainder(*q - *k, 2 * std::numbers::pi)) * 180 / std::numbers::pi;
      CAPTURE(query, key, said, drawn);
      CHECK(std::abs(drawn - said) < 1);
      // "score = length × length × cosine = 6.43 × 7.82 × −0.54 = −27.0"
      std::vector<Read> numbers;
      bool begins = false;
      for (const SceneText* text : texts_of(scene)) {
        if (text->text.find("cosine") != std::string::npos) begins = true;
        const std::string& word = text->text;
        if (begins && numbers.size() < 4 && word.find_first_of("0123456789") != std::string::npos)
          numbers.push_back(read(word));
      }
      REQUIRE(numbers.size() == 4);
      CHECK(std::abs(numbers[0].value * numbers[1].value * numbers[2].value - numbers[3].value) <=
            numbers[3].unit * 1.001);
      CHECK(has_text(scene, "100 %"));
      ++looked_at;
      // With another word under the pointer the picture stays, and says how much of that word it shows.
      studio.view().pointed.word = key == 0 ? 3 : 0;
      const Scene pointed = make_geometry(studio.context(), studio.place());
      CHECK(has_text(pointed, "all dimensions"));
      studio.view().pointed.word.reset();
    }
  }
  CHECK(looked_at == 16);
}

TEST_CASE("a formula shows the case that applies and no other") {
  for (const std::optional<float> fill : {std::optional<float>(), std::optional(-9.0f)}) {
    Document document = headlight::test::sentence();
    document.scenario.fill = fill;
    HeadlessWindow window(document);
    window.settle();
    const Trace& trace = *window.document().trace;
    const std::string filled = fill ? "−9" : "−∞";
    for (Index q = 0; q < 6; ++q) {
      for (Index k = 0; k < 6; ++k) {
        const std::string formula = explain(trace, {Stage::masked_scores, 0, 0, q, k}).formula;
        CAPTURE(formula);
        CHECK(formula.find(k > q ? " = 0: " : " = 1: ") != std::string::npos);
        CHECK((formula.find(filled) != std::string::npos) == (k > q));
        CHECK((formula.find("scaled_scores") != std::string::npos) == (k <= q));
      }
    }
  }
}

TEST_CASE("inside a network the output is said to be added to the row, with numbers that add up") {
  for (const char* layer : {"0", "1"}) {
    Document document = of_model();
    document.scenario.layer = layer;
    Studio studio(document, {{1600, 900}});
    studio.view().levels.query = 5;
    const auto run = network_of(studio.trace().inputs);
    REQUIRE(run);
    const LayerRun& kept = run->layers[static_cast<std::size_t>(*run->network->find_layer(layer))];
    for (Index feature = 0; feature < 4; ++feature) {
      studio.view().selected = Cell{Stage::output, 0, 0, 5, feature};
      const Scene scene = studio.operation(Stage::output);
      CHECK(faults(scene, studio) == "");
      CHECK(has_text(scene, "added to its row"));
      const double before = static_cast<double>(kept.residual.matrix(0)(5, feature)),
                   added = static_cast<double>(kept.added.matrix(0)(5, feature));
      const Cell cell = cell_of(studio.trace(), studio.view(), Stage::output, focus_of(studio.trace(), studio.view()));
      if (cell.col != feature) continue;
      std::string words;
      for (const SceneText* text : texts_of(scene)) words += text->text;
      std::erase(words, ' ');
      std::string sum = printed_sum(before, added);
      std::erase(sum, ' ');
      CAPTURE(words, sum);
      CHECK(words.find(sum) != std::string::npos);
    }
  }
  const Studio alone(headlight::test::sentence(), {{1600, 900}});
  CHECK(has_text(alone.operation(Stage::output), "becomes its new row"));
}

TEST_CASE(
    "the output inside a network is its row before, a line a head, a bias and the MLP, whose numbers are those added") {
  for (const ScreenSetting& at :
       {ScreenSetting{{1024, 768}, 1, false, "zh"}, ScreenSetting{{1600, 900}, 1, false, "en"},
        ScreenSetting{{800, 600}, 1, true, "en"}}) {
    Document document = of_model();
    document.scenario.layer = "0";
    Studio studio(document, at);
    studio.view().levels.query = 5;
    const auto run = network_of(studio.trace().inputs);
    REQUIRE(run);
    const auto parts = block_parts(*run, studio.trace(), 0, 0, 5);
    REQUIRE(parts);
    const Scene scene = studio.operation(Stage::output);
    INFO(at.window.x << " " << at.language);
    CHECK(faults(scene, studio) == "");
    CHECK(has_text(scene, "+ b_o"));
    // Each line has a strip of its row: before, heads, bias, after, MLP, result.
    std::vector<const SceneMatrix*> strips;
    for (const SceneItem& item : scene.items) {
      if (const auto* matrix = std::get_if<SceneMatrix>(&item)) strips.push_back(matrix);
    }
    REQUIRE(strips.size() == parts->heads.size() + 5);
    const auto holds = [](const SceneMatrix* strip, const std::vector<float>& row) {
      const auto values = strip->quad.values.values();
      return std::equal(values.begin(), values.end(), row.begin(), row.end());
    };
    CHECK(holds(strips.front(), parts->before));
    for (std::size_t h = 0; h < parts->heads.size(); ++h) CHECK(holds(strips[h + 1], parts->heads[h]));
    CHECK(holds(strips[strips.size() - 3], parts->after));
    CHECK(holds(strips.back(), parts->leaves));
    const ValueRange first = strips.front()->quad.range;
    for (const SceneMatrix* strip : strips) {
      CHECK(strip->quad.range.lo == first.lo);
      CHECK(strip->quad.range.hi == first.hi);
    }
  }
}

TEST_CASE(
    "the MLP is a folded card that opens: the row after its norm, its neurons, those that add most; whole at sizes") {
  for (const ScreenSetting& at :
       {ScreenSetting{{1024, 768}, 1, false, "zh"}, ScreenSetting{{1600, 900}, 1, false, "en"},
        ScreenSetting{{3840, 2160}, 2.25f, false, "en"}}) {
    Document document = of_model();
    document.scenario.layer = "0";
    Studio studio(document, at);
    studio.view().levels.query = 5;
    const auto card = [](const Scene& scene) {
      return std::ranges::find(scene.targets, SceneAction::unfold, &SceneTarget::action);
    };
    const auto strips = [](const Scene& scene) {
      return std::ranges::count_if(scene.items,
                                   [](const SceneItem& item) { return std::holds_alternative<SceneMatrix>(item); });
    };
    const Scene folded = studio.operation(Stage::output);
    REQUIRE(card(folded) != folded.targets.end());
    CHECK(card(folded)->index == 1);
    studio.view().levels.unfolded = true;
    const Scene open = studio.operation(Stage::output);
    INFO(at.window.x << " " << at.language);
    CHECK(faults(open, studio) == "");
    CHECK(strips(open) == strips(folded) + 2);
    REQUIRE(card(open) != open.targets.end());
    CHECK(card(open)->index == 0);
    CHECK(card(open)->rect.max.y <= studio.place().max.y);
  }
}

TEST_CASE("two sliders that turn different things have different names") {
  for (const char* language : {"en", "zh"}) {
    const Words words(language);
    CHECK(std::string(words("facet.temperature")) != words("sentence.temperature"));
  }
}

TEST_CASE("a journey keeps its predictions when the attention's temperature changes, beside those of the network") {
  Document document = of_model("the cat that chases the dogs sleeps");
  document.view.levels.facet = Facet::journey;
  document.view.levels.query = 5;
  document.scenario.scale = 0.05f;
  const auto drawn = [&](float temperature) {
    document.view.levels.sampling.temperature = temperature;
    HeadlessWindow window(document);
    window.settle();
    return window.drawn();
  };
  CHECK(drawn(1) != drawn(0.25f));  // only the predictions depend on it
  Studio studio(document, {{1600, 900}});
  const Index place = prediction_place(studio.trace(), studio.view(), 5);
  const SentenceStory story = story_of(studio.trace(), studio.view(), place, other_pass(studio.trace(), studio.view()));
  REQUIRE(story.next.size() > 2);
  CHECK(story.next[0].before >= 0);
  const Scene scene = make_journey(studio.context(), story.next, studio.place());
  CHECK(has_text(scene, "Pale"));
  CHECK(faults(scene, studio) == "");
}

TEST_CASE("probabilities below one another have one precision") {
  const auto decimals_of = [](const std::vector<double>& chances) {
    Studio studio(of_model(), {{1600, 900}, 1, false, "en"});
    SentenceStory story;
    for (const double chance : chances) story.next.push_back({"word", std::ssize(story.next), chance, -1});
    std::map<std::size_t, int> count;  // of the numbers beside the bars, by their decimals
    const Scene scene = make_sentence(studio.context(), story, studio.place());
    for (const SceneText* text : texts_of(scene)) {
      const bool of_word = text->role == TextRole::number && text->rect.min.x > studio.place().max.x * 0.8f;
      if (of_word && text->text.find("0.") == 0) ++count[text->text.size() - 2];
    }
    return count;
  };
  CHECK(decimals_of({0.74, 0.18, 0.04, 0.02}) == std::map<std::size_t, int>{{2, 4}});
  CHECK(decimals_of({0.74, 0.18, 0.007, 0.002}) == std::map<std::size_t, int>{{3, 4}});
}
