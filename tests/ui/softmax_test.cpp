// The pictures of the softmax and of the weighted sum of values: their numbers are those of the run, nothing is shown
// before it is computed, and trying a score does not change the document.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/scenario/inputs/inputs.h"
#include "core/teaching/explain/explain.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/ui/studio.h"
#include "ui/views/operation/next.h"
#include "ui/views/operation/operation.h"
#include "ui/views/operation/softmax_layout.h"

using namespace headlight;
using namespace headlight::test;
using operation::SoftmaxLayout;

namespace {

Document of_words(const char* text, const char* mask = "causal()") {
  Document document = headlight::test::sentence();
  document.scenario.text = text;
  document.scenario.mask = mask;
  document.view.levels.level = Level::operation;
  document.view.levels.stage = Stage::weights;
  return document;
}

SoftmaxLayout layout_of(const Studio& studio) {
  Scene scene;
  const SceneContext context = studio.context();
  Pen pen(context, scene);
  const Reveal whole;
  return operation::lay_out_softmax(
      {pen, Stage::weights, focus_of(studio.trace(), studio.context().view), whole, Rect{{60, 180}, {1540, 800}}});
}

double value_of(std::string text) {
  double sign = 1;
  if (text.starts_with("−")) {
    text = text.substr(std::string("−").size());
    sign = -1;
  }
  return sign * std::stod(text);
}

Reveal played(float share) {
  Reveal reveal;
  reveal.share = share;
  return reveal;
}

bool bars_say(const Scene& scene, double value) {
  return std::ranges::any_of(scene.items, [&](const SceneItem& item) {
    const auto* bar = std::get_if<SceneBar>(&item);
    return bar && std::abs(static_cast<double>(bar->value) - value) < 1e-6;
  });
}

const ScreenSetting sizes[] = {{{1024, 768}, 1, false, "zh"},
                               {{1024, 768}, 1, true, "en"},
                               {{1600, 900}, 1, false, "en"},
                               {{3840, 2160}, 2.25f, false, "en"}};

}  // namespace

TEST_CASE("the parts of a softmax are those that explain gives: the largest subtracted, powers, their sum, shares") {
  for (const bool sink : {false, true}) {
    Document document = of_words("the cat sat on the mat");
    document.scenario.sink_logit = sink;
    Studio studio(document, {{1280, 720}});
    for (Index q = 0; q < 6; ++q) {
      const SoftmaxRow row = softmax_row(studio.trace(), studio.view(), {q, 0, 0}, 24);
      REQUIRE(row.parts.size() == (sink ? 7u : 6u));
      double all = 0;
      for (const SoftmaxPart& part : row.parts) all += part.share;
      CHECK(all == Approx(1).margin(1e-6));
      for (Index k = 0; k < 6; ++k) {
        const Explanation found = explain(studio.trace(), {Stage::weights, 0, studio.view().head, q, k});
        const auto quantity = [&](std::string_view name) {
          return std::ranges::find_if(found.quantities, [&](const Quantity& one) { return one.name == name; })->value;
        };
        const SoftmaxPart& part = *row.find(k);
        CHECK(static_cast<double>(row.largest) == quantity("row_maximum"));
        CHECK(part.power == Approx(quantity("exponential")));
        CHECK(row.sum == Approx(quantity("sum")));
        CHECK(part.share == found.value);
        CHECK(part.power / row.sum == Approx(part.share).margin(1e-6));
        CHECK(part.is_out() == (k > q));
      }
    }
  }
}

TEST_CASE("the numbers in the softmax's bands follow from one another as they are printed") {
  Studio studio(of_words("the cat that chases the dogs sleeps because it is tired"), {{1600, 900}});
  for (const Index query : {Index{3}, Index{10}}) {
    studio.view().levels.query = query;
    const SoftmaxLayout at = layout_of(studio);
    REQUIRE(at.pixels > 0);
    int looked_at = 0;
    for (std::size_t i = 0; i < at.count(); ++i) {
      if (at.row.parts[i].is_out()) continue;
      const double score = value_of(at.score_texts[i]), shifted = value_of(at.shifted_texts[i]),
                   power = value_of(at.power_texts[i]);
      CAPTURE(at.score_texts[i], at.shifted_texts[i], at.power_texts[i], at.largest_text);
      CHECK(std::abs(score - value_of(at.largest_text) - shifted) <= 0.0101);
      CHECK(std::abs(std::exp(shifted) - power) <= 0.0101);
      ++looked_at;
    }
    CHECK(looked_at == query + 1);
  }
}

TEST_CASE("the powers of a softmax row have one precision") {
  Studio studio(of_words("the cat that chases the dogs sleeps because it is tired"), {{1280, 720}});
  for (Index query = 1; query < 11; ++query) {
    studio.view().levels.query = query;
    const SoftmaxLayout at = layout_of(studio);
    std::set<std::size_t> decimals;
    for (std::size_t i = 0; i < at.count(); ++i) {
      if (at.row.parts[i].is_out() || at.power_texts[i] == "0") continue;
      decimals.insert(at.power_texts[i].size() - at.power_texts[i].find('.'));
    }
    CHECK(decimals.size() <= 1);
  }
}

TEST_CASE("the formula of a share is true as it is printed: e to the printed difference is the printed power") {
  const auto numbers_in = [](const std::string& markup) {
    std::vector<std::string> numbers;
    for (std::size_t at = 0; (at = markup.find_first_of("0123456789", at)) != std::string::npos;) {
      const std::size_t end = std::min(markup.find_first_not_of("0123456789.", at), markup.size());
      const bool minus = at >= 3 && markup.compare(at - 3, 3, "−") == 0;
      numbers.push_back((minus ? "−" : "") + markup.substr(at, end - at));
      at = end;
    }
    return numbers;
  };
  const auto decimals = [](const std::string& number) { return number.size() - 1 - number.find('.'); };
  int formulas = 0;
  for (const float scale : {0.02f, 0.2f, 1.0f}) {
    Document document = of_words("the cat that chases the dogs sleeps");
    document.scenario.scale = scale;
    Studio studio(document, {{1600, 900}});
    for (Index query = 0; query < 7; ++query) {
      for (Index key = 0; key <= query; ++key) {
        studio.view().levels.query = query;
        studio.view().levels.key = key;
        for (const SceneItem& item : studio.operation(Stage::weights).items) {
          const auto* math = std::get_if<SceneMath>(&item);
          if (!math || math->markup.find("exp(") == std::string::npos) continue;
          const std::vector<std::string> found = numbers_in(math->markup);
          if (found.size() < 6) continue;  // this is the formula in symbols
          INFO(math->markup);
          const std::string& score = found[found.size() - 6];
          const std::string& largest = found[found.size() - 5];
          const std::string& power = found[found.size() - 3];
          CHECK(decimals(score) == decimals(largest));
          const double unit = std::pow(10.0, -static_cast<double>(decimals(power)));
          CHECK(std::abs(std::exp(value_of(score) - value_of(largest)) - value_of(power)) <= unit * 1.01);
          ++formulas;
        }
      }
    }
  }
  CHECK(formulas > 50);
}

TEST_CASE("the column of the sum is as high as its pieces, and the bar of width 1 as wide as its shares") {
  Document document = of_words("the cat sat on the mat");
  document.scenario.sink_logit = true;
  Studio studio(document, {{1600, 900}});
  studio.view().levels.query = 5;
  const SoftmaxLayout at = layout_of(studio);
  float low = at.sum.max.y, left = at.share_bar().min.x;
  for (std::size_t i = 0; i < at.count(); ++i) {
    const Rect piece = at.piece(i), part = at.share_part(i, false);
    CHECK(piece.max.y == Approx(low).margin(0.01));
    CHECK(low - piece.min.y == Approx(at.row.parts[i].power * static_cast<double>(at.sum_unit)).margin(1.01));
    low -= static_cast<float>(at.row.parts[i].power) * at.sum_unit;
    CHECK(part.min.x == Approx(left).margin(0.01));
    CHECK(part.width() == Approx(at.row.parts[i].share * static_cast<double>(at.share_bar().width())).margin(1.01));
    left += static_cast<float>(at.row.parts[i].share) * at.share_bar().width();
  }
  CHECK(at.sum.max.y - low == Approx(at.row.sum * static_cast<double>(at.sum_unit)).epsilon(1e-4));
  CHECK(left == Approx(at.share_bar().max.x).margin(0.01));
  CHECK(low >= at.sum.min.y - 0.5f);
}

TEST_CASE("a moment of a softmax shows what is made by then and nothing else, in bands, titles and formulas") {
  Studio studio(of_words("the cat sat on the mat", "full()"), {{1600, 900}});
  studio.view().levels.query = 4;
  const SoftmaxRow row = softmax_row(studio.trace(), studio.view(), {4, 0, 0}, 24);
  const SoftmaxPart& part = *std::ranges::min_element(row.parts, {}, &SoftmaxPart::score);
  studio.view().levels.key = part.key;
  const std::string sum = "= " + printed(row.sum).text;
  const auto check = [&](float moment, bool shifted, bool power, bool summed, bool shared) {
    const Scene scene = studio.operation(Stage::weights, played(moment));
    INFO(moment);
    CHECK(faults(scene, studio) == "");
    CHECK(bars_say(scene, static_cast<double>(part.score)));
    CHECK(bars_say(scene, static_cast<double>(part.shifted)) == shifted);
    CHECK(bars_say(scene, part.power) == power);
    CHECK(has_text(scene, sum) == summed);
    CHECK(std::ranges::any_of(texts_of(scene), [](const SceneText* text) { return text->text == "= 1"; }) == shared);
    CHECK(has_text(scene, "gets") == shared);
    CHECK(std::ranges::any_of(scene.items, [](const SceneItem& item) {
            const auto* math = std::get_if<SceneMath>(&item);
            return math && math->markup.find('=') != std::string::npos;
          }) == shared);
  };
  check(0, false, false, false, false);
  check(softmax_share(Moment::Kind::shifted), true, false, false, false);
  check(softmax_share(Moment::Kind::exponentials), true, true, false, false);
  check(softmax_share(Moment::Kind::sums), true, true, true, false);
  check(1, true, true, true, true);
}

TEST_CASE("what travels in a softmax begins where a power stands and ends where it lies in the bar of width 1") {
  Studio studio(of_words("the cat sat on the mat", "full()"), {{1600, 900}});
  const auto fills = [&](float moment, ImU32 colour) {
    std::vector<Rect> rects;
    for (const SceneItem& item : studio.operation(Stage::weights, played(moment)).items) {
      if (const auto* fill = std::get_if<SceneFill>(&item); fill && fill->colour == colour) rects.push_back(fill->rect);
    }
    return rects;
  };
  const ImU32 cat = look(Theme::dark).word(1);
  float right = 0;
  for (float moment = 0.49f; moment < 0.7f; moment += 0.02f) {
    for (const Rect& rect : fills(moment, cat)) {
      CHECK(rect.min.x >= right - 1);  // it moves towards the column
      right = rect.min.x;
    }
  }
  CHECK(right > 0);
  const std::vector<Rect> whole = fills(1, cat);
  REQUIRE(whole.size() == 2);  // one is in the column, one in the bar
  CHECK(whole[0].min.x == Approx(right).margin(2));
  CHECK(whole[1].min.x < whole[0].min.x);
}

TEST_CASE("masked words are hatched, a sink has a part of its own, and a row without any word says so") {
  Document document = of_words("the cat sat on the mat", "k < 4 && q != 2");
  document.scenario.sink_logit = true;
  Studio studio(document, {{1600, 900}});
  studio.view().levels.query = 5;
  const auto hatches = [](const Scene& scene) {
    return std::ranges::count_if(scene.items,
                                 [](const SceneItem& item) { return std::holds_alternative<SceneHatch>(item); });
  };
  CHECK(hatches(studio.operation(Stage::weights)) == 4);  // two masked words, each in two bands
  CHECK(has_text(studio.operation(Stage::weights), "sink"));
  for (const auto& [policy, says] : {std::pair(DeadRow::nan, "gives NaN"), std::pair(DeadRow::zero, "set to zero"),
                                     std::pair(DeadRow::uniform, "the same weight")}) {
    document.scenario.sink_logit = false;
    document.scenario.dead_row = policy;
    Studio dead(document, {{1600, 900}});
    dead.view().levels.query = 2;
    const Scene scene = dead.operation(Stage::weights);
    INFO(says);
    CHECK(has_text(scene, "may look at no word"));
    const Scene words = make_sentence(dead.context(), {}, dead.place());
    CHECK(has_text(words, "may not look at any word"));
    CHECK(has_text(words, "the same share") == (policy == DeadRow::uniform));
    CHECK(softmax_row(dead.trace(), dead.view(), {2, 0, 0}, 24).empty);
    CHECK(has_text(scene, says));
    CHECK(faults(scene, dead) == "");
    CHECK(std::ranges::none_of(scene.targets,
                               [](const SceneTarget& target) { return target.action == SceneAction::score; }));
  }
}

TEST_CASE("of many words those with the largest scores have parts of their own, and the rest is one part") {
  std::string text;
  for (int n = 0; n < 60; ++n) text += (n > 0 ? " w" : "w") + std::to_string(n);
  Studio studio(of_words(text.c_str(), "full()"), {{1600, 900}});
  studio.view().levels.query = 30;
  studio.view().levels.key = 7;
  const SoftmaxRow row = softmax_row(studio.trace(), studio.view(), focus_of(studio.trace(), studio.view()), 24);
  REQUIRE(row.parts.size() == 24);
  const SoftmaxPart& others = row.parts.back();
  CHECK(others.kind == SoftmaxPart::Kind::others);
  CHECK(others.words == 37);
  REQUIRE(row.find(7));
  double all = 0, powers = 0;
  for (const SoftmaxPart& part : row.parts) {
    all += part.share;
    powers += part.power;
    if (part.kind == SoftmaxPart::Kind::word && part.key != 7) CHECK(part.score >= others.score);
  }
  CHECK(all == Approx(1).margin(1e-6));
  CHECK(powers == Approx(row.sum));
  const Scene scene = studio.operation(Stage::weights);
  CHECK(has_text(scene, "and 37 more"));
  CHECK(faults(scene, studio) == "");
}

TEST_CASE("a key whose score is NaN has a part of its own, and the title says that there are no shares") {
  std::string text;
  for (int n = 0; n < 60; ++n) text += (n > 0 ? " w" : "w") + std::to_string(n);
  Document document = of_words(text.c_str(), "full()");
  document.scenario.edits.push_back({Stage::key, 0, 50, 0, std::numeric_limits<float>::quiet_NaN()});
  Studio studio(document, {{1600, 900}});
  studio.view().levels.query = 30;
  studio.view().levels.key = 7;
  const SoftmaxRow row = softmax_row(studio.trace(), studio.view(), focus_of(studio.trace(), studio.view()), 24);
  REQUIRE(row.parts.size() == 24);
  CHECK(row.find(7));
  REQUIRE(row.find(50));
  CHECK(std::isnan(row.find(50)->score));
  CHECK(has_text(studio.operation(Stage::weights), "are no numbers"));
}

TEST_CASE("a score is offered to be dragged where it can be, not in a presentation, a film or a picture") {
  const Document document = of_words("the cat sat on the mat");
  for (const bool presenting : {false, true}) {
    Studio studio(document, {{1600, 900}, 1, presenting});
    CHECK(has_text(studio.operation(Stage::weights), "Drag a score") == !presenting);
    studio.view().alone = true;
    CHECK_FALSE(has_text(studio.operation(Stage::weights), "Drag a score"));
  }
}

TEST_CASE("the softmax is whole at every size and moment, and while something is tried: no text is cut or covered") {
  for (const ScreenSetting& at : sizes) {
    Document document = of_words("the cat that chases the incomprehensible dogs sleeps because it is tired");
    document.scenario.sink_logit = true;
    Studio studio(document, at);
    studio.view().levels.query = 6;
    for (const bool tried : {false, true}) {
      if (tried) studio.view() = with_tried_score(studio.view(), studio.trace(), 6, 2, 1.5f);
      for (const float moment : {0.0f, 0.2f, 0.4f, 0.6f, 0.75f, 1.0f}) {
        INFO(at.window.x << at.language << at.presenting << " " << tried << " " << moment);
        CHECK(faults(studio.operation(Stage::weights, played(moment)), studio) == "");
        CHECK(faults(studio.operation(Stage::head_outputs, played(moment)), studio) == "");
      }
    }
  }
}

TEST_CASE("a score that is dragged changes all bands and no number of the document, until it is as it was") {
  Document document = of_words("the cat sat on the mat", "full()");
  document.view.levels.query = 4;
  document.view.levels.key = 1;
  const auto [scene, with_button] = [&] {
    Studio studio(document, {{1600, 900}});
    const Scene plain = studio.operation(Stage::weights);
    studio.view() = with_tried_score(studio.view(), studio.trace(), 4, 2, 1);
    return std::pair(plain, studio.operation(Stage::weights));
  }();
  CHECK(has_text(with_button, "What if?"));
  const auto score = std::ranges::find_if(scene.targets, [](const SceneTarget& target) {
    return target.action == SceneAction::score && target.index == 2;
  });
  REQUIRE(score != scene.targets.end());
  CHECK(score->step > 0);
  HeadlessWindow window(document);
  window.settle();
  const Trace& trace = *window.document().trace;
  const SoftmaxRow before = softmax_row(trace, window.document().view, {4, 1, 0}, 24);
  const ImVec2 from = score->rect.centre();
  window.drag(from, {from.x, from.y - 40});
  window.settle();
  const View& view = window.document().view;
  REQUIRE(view.levels.trial);
  CHECK(view.levels.key == Index{1});
  CHECK(window.document().undo.empty());
  const SoftmaxRow after = softmax_row(trace, view, {4, 1, 0}, 24);
  CHECK(after.tried);
  CHECK(after.find(2)->score == Approx(before.find(2)->score + 40 * score->step).margin(3 * score->step));
  CHECK(after.find(2)->share > before.find(2)->share);
  CHECK(after.find(2)->before == before.find(2)->share);
  double all = 0;
  for (const SoftmaxPart& part : after.parts) all += part.share;
  CHECK(all == Approx(1).margin(1e-9));
  CHECK(identical(trace[Stage::weights], (*window.document().trace)[Stage::weights]));
  const auto drop = std::ranges::find(with_button.targets, SceneAction::drop_trial, &SceneTarget::action);
  REQUIRE(drop != with_button.targets.end());
  window.click(drop->rect.centre());
  CHECK_FALSE(window.document().view.levels.trial);
}

TEST_CASE("the strips of a mixture are as wide as their shares and add up to the result, number by number") {
  Studio studio(of_words("the cat sat on the mat"), {{1600, 900}});
  studio.view().levels.query = 4;
  const Trace& trace = studio.trace();
  const MatrixView weights = trace[Stage::weights].matrix(0, 0), result = trace[Stage::head_outputs].matrix(0, 0);
  std::vector<float> widths;
  std::optional<MatrixQuad> made;
  for (const SceneItem& item : studio.operation(Stage::head_outputs).items) {
    const auto* matrix = std::get_if<SceneMatrix>(&item);
    if (!matrix) continue;
    if (identical(matrix->quad.values, trace[Stage::V_heads]) || matrix->quad.values.size(-1) > 1)
      widths.push_back(matrix->seen.width());
    else made = matrix->quad;
  }
  REQUIRE(widths.size() == 5);  // five words may be attended to
  for (std::size_t k = 1; k < 5; ++k) {
    CHECK(widths[k] / widths[0] == Approx(weights(4, static_cast<Index>(k)) / weights(4, 0)).margin(0.02));
  }
  REQUIRE(made);
  for (Index f = 0; f < result.cols; ++f) CHECK(made->values.matrix(0, 0)(f, 0) == Approx(result(4, f)).margin(1e-6));
}

TEST_CASE("a mixture's numbers come as their strips land, and a click on one opens its sum") {
  Document document = of_words("the cat sat on the mat");
  document.view.levels.stage = Stage::head_outputs;
  const ImVec2 number = [&] {
    Studio studio(document, {{1600, 900}});
    const auto numbers = [&](const Reveal& reveal) {
      return std::ranges::count_if(texts_of(studio.operation(Stage::head_outputs, reveal)),
                                   [](const SceneText* text) { return text->role == TextRole::number; });
    };
    CHECK(numbers(played(0.3f)) < numbers(played(1)));
    CHECK(numbers(played(1)) == numbers({}));
    const Scene scene = studio.operation(Stage::head_outputs);
    CHECK_FALSE(has_text(scene, "×"));
    studio.view().levels.unfolded = true;
    CHECK(has_text(studio.operation(Stage::head_outputs), "×"));
    const auto at = std::ranges::find_if(scene.targets, [](const SceneTarget& target) {
      return target.action == SceneAction::unfold && target.cell.col == 2;
    });
    REQUIRE(at != scene.targets.end());
    return at->rect.centre();
  }();
  HeadlessWindow window(document);
  window.settle();
  window.click(number);
  CHECK(window.document().view.levels.unfolded);
  CHECK(window.document().view.selected->col == 2);
}

namespace {

Document of_network(const char* text) {
  Document document = of_words(text);
  document.scenario = {};
  document.scenario.source = Source::file;
  document.scenario.file = places::sentences();
  document.scenario.text = text;
  document.view.levels.facet = Facet::next;
  document.view.looked = true;
  return document;
}

struct Ending {
  SentenceStory story;
  NextWords next;
};
Ending ending_of(const Studio& studio, std::optional<Index> token = {}) {
  const View& view = studio.context().view;
  const Index place = prediction_place(studio.trace(), view, focus_of(studio.trace(), view).query);
  Ending ending{story_of(studio.trace(), view, place, {}), {}};
  ending.next = next_words(studio.trace(), view, ending.story, {}, place, token);
  return ending;
}

}  // namespace

TEST_CASE("what a change does to the next word is said of the word that was asked about, with both numbers") {
  constexpr Index word = 3;  // "at"
  const auto document_with = [word](const std::string& mask) {
    Document document = of_network("the girl looked at herself in the mirror");
    document.scenario.file = "model:english";
    document.view.levels.facet = Facet::step;
    document.view.levels.query = word;
    document.scenario.mask = mask;
    return document;
  };
  const auto place_of = [word](const Studio& studio) {
    return prediction_place(studio.trace(), studio.context().view, word);
  };
  Studio before(document_with(""), {{1600, 900}});
  const auto unchanged = network_of(before.trace().inputs);
  REQUIRE(place_of(before) == word);
  for (const char* mask : {"full()", "window(3)", "causal() && window(2)"}) {
    INFO(mask);
    Studio after(document_with(mask), {{1600, 900}});
    REQUIRE(place_of(after) == word);
    const auto changed = network_of(after.trace().inputs);
    const SentenceStory story = story_of(after.trace(), after.view(), word, other_pass(after.trace(), after.view()));
    CHECK(story.next_after == "at");
    for (const Guess& guess : story.next) {
      CHECK(guess.before == Approx(probability_of(*unchanged, 0, word, guess.token)).margin(1e-6));
      CHECK(guess.probability == Approx(probability_of(*changed, 0, word, guess.token)).margin(1e-6));
    }
    const Index former = most_likely(*unchanged, 0, word, 1).front().id;
    CHECK((story.next[0].token == former || story.next[1].token == former));
    const SceneContext context = after.context();
    REQUIRE(has_breaks(context, story, after.place()));
    Scene scene;
    Pen pen(context, scene);
    put_breaks(pen, story, false, after.place());
    CHECK(has_text(scene, "After at:"));
    CHECK(has_text(scene, " → "));
  }
}

TEST_CASE("the next word's columns are what the network says: logits, divided, kept, and their probabilities") {
  Studio studio(of_network("the cat that chases the dogs"), {{1600, 900}});
  studio.view().levels.query = 5;
  const Ending plain = ending_of(studio);
  const auto run = network_of(studio.trace().inputs);
  REQUIRE(plain.next.candidates.size() == 8);
  double all = plain.next.others_probability;
  for (std::size_t i = 0; i < 8; ++i) {
    const NextCandidate& candidate = plain.next.candidates[i];
    CHECK(candidate.logit == run->logits.matrix(0)(5, candidate.token));
    CHECK(candidate.probability == Approx(probability_of(*run, 0, 5, candidate.token)).margin(1e-9));
    if (i > 0) CHECK(candidate.logit <= plain.next.candidates[i - 1].logit);
    all += candidate.probability;
  }
  CHECK(all == Approx(1));
  CHECK(plain.next.sentence == std::vector<std::string>{"the", "cat", "that", "chases", "the", "dogs"});
  studio.view().levels.sampling = {0.5f, 3, 1};
  const Ending cut = ending_of(studio);
  for (std::size_t i = 0; i < 8; ++i) {
    const NextCandidate& candidate = cut.next.candidates[i];
    CHECK(candidate.tempered == Approx(candidate.logit / 0.5f));
    CHECK(candidate.in_top_k == (i < 3));
    CHECK((candidate.probability > 0) == (i < 3));
  }
  const Scene scene = make_next(studio.context(), cut.next, cut.story, studio.place());
  CHECK(has_text(scene, "excluded by top-k"));
  CHECK(faults(scene, studio) == "");
}

TEST_CASE("the next word is told once it is made: in no title, number or sentence before") {
  Studio studio(of_network("the cat that chases the dogs"), {{1600, 900}});
  studio.view().levels.query = 5;
  const Ending ending = ending_of(studio);
  const NextCandidate& chosen = ending.next.candidates.front();
  const std::string probability = MatrixNumbers(2, true)(static_cast<float>(chosen.probability));
  const auto at = [&](float share) {
    studio.view().levels.progress = share;
    return make_next(studio.context(), ending.next, ending.story, studio.place());
  };
  const auto words = [&](const Scene& scene) {
    return std::ranges::count_if(texts_of(scene), [&](const SceneText* text) {
      return text->role == TextRole::word && text->text == chosen.word;
    });
  };
  for (const float share : {0.0f, 0.15f, 0.3f, 0.5f, 0.65f, 0.75f}) {
    INFO(share);
    const Scene scene = at(share);
    CHECK(faults(scene, studio) == "");
    CHECK_FALSE(has_text(scene, probability));
    CHECK(words(scene) <= 1);  // the word is in the table, not in the sentence
  }
  CHECK(words(at(1)) == 2);
  CHECK(has_text(at(1), probability));
}

TEST_CASE("a step's formula has its numbers once its number is made") {
  const Studio studio(of_network("the cat that chases the dogs"), {{1600, 900}});
  const auto longest = [&](const Reveal& reveal) {
    std::size_t length = 0;
    for (const SceneItem& item : studio.operation(Stage::scaled_scores, reveal).items) {
      if (const auto* math = std::get_if<SceneMath>(&item)) length = std::max(length, math->markup.size());
    }
    return length;
  };
  CHECK(longest(played(0.3f)) < longest(played(1)));
  CHECK(longest(played(1)) == longest({}));
}

TEST_CASE("what a step is broken by comes back with the same click, and the next words stand beside it at every size") {
  for (const ScreenSetting& at : sizes) {
    Studio studio(of_network("the cat that chases the dogs"), at);
    const Ending ending = ending_of(studio);
    const SceneContext context = studio.context();
    if (!has_breaks(context, ending.story, studio.place())) continue;
    Scene scene = make_operation(context, Stage::scores, {}, without_breaks(context, studio.place()));
    Pen pen(context, scene);
    put_breaks(pen, ending.story, true, studio.place());
    INFO(at.window.x << at.language);
    CHECK(faults(scene, studio) == "");
    CHECK(has_text(scene, ending.next.candidates.front().word));
  }
  Document document = of_network("the cat that chases the dogs");
  document.view.levels.level = Level::operation;
  document.view.levels.facet = Facet::step;
  Scene scene;
  {
    const Studio studio(document, {{1600, 900}});
    const SceneContext context = studio.context();
    Pen pen(context, scene);
    put_breaks(pen, ending_of(studio).story, true, studio.place());
  }
  HeadlessWindow window(document);
  window.settle();
  const auto press = [&](Index which) {
    const auto at = std::ranges::find_if(scene.targets, [&](const SceneTarget& target) {
      return target.action == SceneAction::knock_out && target.index == which;
    });
    REQUIRE(at != scene.targets.end());
    window.click(at->rect.centre());
    window.settle();
  };
  press(0);
  CHECK(window.document().scenario.mask == "full()");
  press(0);
  CHECK(window.document().scenario.mask.empty());
  press(1);
  CHECK(window.document().scenario.scale == 1.0f);
  press(1);
  CHECK_FALSE(window.document().scenario.scale);
  press(2);
  CHECK(window.document().view.levels.knocked);
  press(2);
  CHECK_FALSE(window.document().view.levels.knocked);
  const std::string text = window.document().scenario.text;
  press(3);
  REQUIRE(window.document().view.levels.swapped);
  const SwappedWords swapped = *window.document().view.levels.swapped;
  CHECK(window.document().scenario.text != text);
  CHECK(window.document().scenario.text == swapped.text);
  const OtherPass other = other_pass(*window.document().trace, window.document().view);
  REQUIRE(other.unswapped);
  CHECK(other.run->text == other.run->network->read(text));
  press(3);
  CHECK(window.document().scenario.text == text);
  CHECK_FALSE(window.document().view.levels.swapped);
}

TEST_CASE("a logit opens as the product that it is, and its terms add up to it") {
  Studio studio(of_network("the cat that chases the dogs"), {{1600, 900}});
  studio.view().levels.query = 5;
  const Index other = ending_of(studio).next.candidates[3].token;
  const Ending ending = ending_of(studio, other);
  CHECK(ending.next.chosen == 3);
  double sum = static_cast<double>(ending.next.product.bias);
  for (std::size_t i = 0; i < ending.next.product.row.size(); ++i)
    sum += static_cast<double>(ending.next.product.row[i]) * static_cast<double>(ending.next.product.word[i]);
  CHECK(sum == Approx(ending.next.candidates[3].logit).margin(1e-4));
  CHECK_FALSE(has_text(make_next(studio.context(), ending.next, ending.story, studio.place()), "×"));
  studio.view().levels.unfolded = true;
  const Scene opened = make_next(studio.context(), ending.next, ending.story, studio.place());
  CHECK(has_text(opened, "×"));
  CHECK(faults(opened, studio) == "");
}

TEST_CASE("the next word's picture is whole at every size, and Space writes on, word after word") {
  for (const ScreenSetting& at : sizes) {
    for (const Sampling& sampling : {Sampling{}, Sampling{1.5f, 4, 0.9f}}) {
      Studio studio(of_network("the cat that chases the dogs sleeps because it is tired ."), at);
      studio.view().levels.sampling = sampling;
      studio.view().levels.query = 8;
      const Ending ending = ending_of(studio);
      INFO(at.window.x << at.language << at.presenting);
      CHECK(faults(make_next(studio.context(), ending.next, ending.story, studio.place()), studio) == "");
    }
  }
  HeadlessWindow window(of_network("the cat"));
  window.settle();
  window.session.perform(EditView{[](View& v) {
    v.levels.level = Level::operation;
    v.levels.facet = Facet::next;
    v.levels.query = 1;
  }});
  window.settle();
  const std::string before = window.document().scenario.text;
  window.press(compat::Key::space);
  window.settle();
  CHECK(window.document().scenario.text.size() > before.size());
  CHECK(window.document().scenario.text.starts_with(before));
  CHECK(window.document().view.levels.facet == Facet::next);
  CHECK(window.document().view.levels.query == Index{2});
  window.press(compat::Key::space);
  window.settle();
  CHECK(window.document().view.levels.query == Index{3});
}

TEST_CASE("in a small window the row comes first and then makes room for what is made from it, in step and next word") {
  Studio studio(of_network("the cat that chases the dogs"), {{640, 480}, 1, true});
  studio.view().levels.query = 5;
  const Scene looked_up = studio.operation(Stage::query, played(0.3f)), entered = studio.operation(Stage::query);
  CHECK(faults(looked_up, studio) == "");
  CHECK(faults(entered, studio) == "");
  CHECK(has_text(looked_up, "the embedding table"));
  CHECK_FALSE(has_text(entered, "the embedding table"));
  CHECK(has_text(entered, "together"));

  const Ending ending = ending_of(studio);
  const auto at = [&](float share) {
    studio.view().levels.progress = share;
    Scene scene = make_next(studio.context(), ending.next, ending.story, studio.place());
    CHECK(faults(scene, studio) == "");
    return scene;
  };
  const std::string length = "‖·‖";
  CHECK(has_text(at(0.39f), length));
  CHECK_FALSE(has_text(at(0.6f), length));
  CHECK(has_text(at(0.6f), "logit"));
}

TEST_CASE("the heads' numbers in concat stand in the lines of the output until W_o has made these from them") {
  Studio studio(of_network("the cat that chases the dogs"), {{1600, 900}});
  studio.view().levels.query = 5;
  const auto seen = [&](const Reveal& reveal) {
    const Scene scene = studio.operation(Stage::output, reveal);
    Index count = 0;
    for (const auto& [item, cell] : scene.marks) {
      if (cell.stage != Stage::concat) continue;
      CHECK(cell.row == 5);
      CHECK(cell.col == count++);  // each number of the row occurs once, in order
    }
    CHECK(count == studio.trace()[Stage::concat].size(-1));
    return std::ranges::count_if(scene.marks, [&](const auto& mark) {
      return mark.second.stage == Stage::concat &&
             std::get<SceneFill>(scene.items[mark.first]).colour >> IM_COL32_A_SHIFT != 0;
    });
  };
  CHECK(seen(played(0)) == studio.trace()[Stage::concat].size(-1));
  CHECK(seen(played(1)) == 0);
  CHECK(seen({}) == 0);
}

TEST_CASE("a sum that is still growing does not show its result") {
  Studio studio(of_network("the cat that chases the dogs"), {{1600, 900}});
  studio.view().levels.query = 5;
  studio.view().levels.key = 1;
  const auto sum = [&](const Scene& scene) -> std::string {
    for (const SceneText* text : texts_of(scene)) {
      if (text->role == TextRole::number && text->face == Face::bold) return text->text;
    }
    return "";
  };
  const std::string whole = sum(studio.operation(Stage::scores));
  REQUIRE(whole != "");
  const Scene under_way = studio.operation(Stage::scores, played(0.6f));
  CHECK(sum(under_way) != whole);
  CHECK_FALSE(has_text(under_way, whole));
}
