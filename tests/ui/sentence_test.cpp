// The sentence as a question: which word is asked about, which head answers, the own text, and the mask in it.
#include <algorithm>

#include "core/compute/network/network.h"
#include "core/compute/network/shipped_models.h"
#include "core/scenario/inputs/inputs.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/ui/drawn_items.h"
#include "tests/ui/studio.h"
#include "ui/base/document/view.h"
#include "ui/imgui_compat.h"
#include "ui/parts/player/stages.h"
#include "ui/parts/scene/focus.h"
#include "ui/views/network/network_scene.h"
#include "ui/views/sentence/story.h"

using namespace headlight;
using namespace headlight::test;

namespace {

constexpr const char* own = "the cat that chases the dogs sleeps because it is tired .";

Document asker(const char* text = own, const char* layer = "1") {
  Document document;
  document.scenario.source = Source::file;
  document.scenario.file = places::sentences();
  document.scenario.text_as_input = true;
  document.scenario.text = text;
  document.scenario.layer = layer;
  document.origin.saved = document.scenario;
  document.view.levels.level = Level::sentence;
  return document;
}

std::string asked_in(const Document& document) {
  const Trace& trace = *document.trace;
  return trace.inputs.query_tokens[0][static_cast<std::size_t>(focus_of(trace, document.view).query)];
}

SentenceStory story_in(const Studio& studio, const View& view) {
  const Trace& trace = studio.trace();
  return story_of(trace, view, prediction_place(trace, view, asking_word(trace, view)), other_pass(trace, view));
}

const SceneTarget& target_in(const Scene& scene, SceneAction action, Index index) {
  const auto found = std::ranges::find_if(scene.targets, [&](const SceneTarget& target) {
    return target.action == action && target.index == index && !target.link;
  });
  REQUIRE(found != scene.targets.end());
  return *found;
}

std::size_t count_of(const Scene& scene, SceneAction action) {
  return static_cast<std::size_t>(std::ranges::count(scene.targets, action, &SceneTarget::action));
}

}  // namespace

TEST_CASE("a story begins with the same word everywhere: the pronoun, else the last word") {
  for (const auto& [text, word] :
       {std::pair(own, "it"), std::pair("the cat that chases the dogs sleeps .", "sleeps")}) {
    INFO(text);
    HeadlessWindow window(asker(text));
    window.settle();
    const Trace& trace = *window.document().trace;
    const View view = window.document().view;
    CHECK(asked_in(window.document()) == word);
    const Timeline timeline(trace, view.way);
    for (const View& begun : {with_play_toggled(view, trace, timeline), one_level_in(view, trace, timeline),
                              with_next_stage(view, trace, timeline)})
      CHECK(trace.inputs.query_tokens[0][static_cast<std::size_t>(focus_of(trace, begun).query)] == word);
    // In the network view, what comes next is asked after the same word.
    window.session.perform(EditView{[](View& v) { v.kind = ViewKind::network; }});
    for (int i = 0; i < 5; ++i) window.frame();
    Document pipeline = window.document();
    CHECK(asked_in(pipeline) == word);
  }
}

TEST_CASE("a new text asks about its own word, and the chosen layer, head and order of the cards stay") {
  Document document = asker();
  document.view.head = 2;
  document.view.levels.query = 5;  // "dogs"
  document.view.levels.by_look = true;
  document.view.looked = true;
  HeadlessWindow window(document);
  window.settle();
  CHECK(asked_in(window.document()) == "dogs");
  window.session.perform(EditScenario{[](Scenario& s) { s.text = "the cat sleeps because it is tired ."; }, {}});
  window.settle();
  CHECK(asked_in(window.document()) == "it");
  CHECK(window.document().view.head == 2);
  CHECK(window.document().scenario.layer == "1");
  CHECK(window.document().view.levels.by_look);
  window.press('z', true);
  window.settle();
  CHECK(asked_in(window.document()) == "it");  // of the first text again, not the word at the same place
  CHECK(focus_of(*window.document().trace, window.document().view).query == 8);
}

TEST_CASE("each head's card says where the asked word looks and how much, and the cards are sorted by it") {
  for (const char* language : {"en", "zh"}) {
    for (const ImVec2 size : {ImVec2{1024, 768}, ImVec2{1366, 768}, ImVec2{1920, 1080}}) {
      Studio studio(asker(), {size, 1, false, language});
      const SentenceStory story = story_in(studio, studio.view());
      REQUIRE(story.rail.size() == 2);
      const Index query = asking_word(studio.trace(), studio.view());
      std::vector<float> weights;
      for (const RailLayer& layer : story.rail) {
        for (const RailHead& head : layer.heads) {
          const auto look = look_of(studio.context(), layer, head, query, {});
          REQUIRE(look);
          const MatrixView numbers = head.weights.matrix(0, head.head);
          CHECK(look->weight == numbers(query, look->key));
          for (Index k = 0; k < numbers.cols; ++k) CHECK(look->weight >= numbers(query, k));
          CHECK(look->word == studio.trace().inputs.key_tokens[0][static_cast<std::size_t>(look->key)]);
          weights.push_back(look->weight);
        }
      }
      const Scene plain = make_sentence(studio.context(), story, studio.place());
      CHECK(faults(plain, studio) == "");
      CHECK(count_of(plain, SceneAction::order) == 1);
      // Each card has its number, also where there is no room for the word.
      const auto shares = [](const Scene& scene) {
        return std::ranges::count_if(scene.targets, [&](const SceneTarget& card) {
          return card.action == SceneAction::head && !card.link &&
                 std::ranges::any_of(texts_of(scene), [&](const SceneText* text) {
                   return text->role == TextRole::number && card.rect.contains(text->rect.centre());
                 });
        });
      };
      const auto cards = [](const Scene& scene) {
        return std::ranges::count_if(scene.targets, [](const SceneTarget& target) {
          return target.action == SceneAction::head && !target.link;
        });
      };
      CHECK(shares(plain) == cards(plain));
      CHECK(cards(plain) == 8);
      studio.view().levels.by_look = true;
      const Scene sorted = make_sentence(studio.context(), story, studio.place());
      CHECK(faults(sorted, studio) == "");
      float before = 2;
      for (const SceneTarget& target : sorted.targets) {
        if (target.action != SceneAction::head || target.link) continue;
        const RailLayer& layer = story.rail[static_cast<std::size_t>(target.cell.batch)];
        const float weight =
            look_of(studio.context(), layer, layer.heads[static_cast<std::size_t>(target.cell.head)], query, {})
                ->weight;
        CHECK(weight <= before);
        before = weight;
      }
    }
  }
}

TEST_CASE("a word to look at gets the head that looks there most, with its effect beside it") {
  Studio studio(asker(), {{1600, 900}});
  const Index query = asking_word(studio.trace(), studio.view());
  studio.view().levels.at = 1;  // "cat"
  const SentenceStory story = story_in(studio, studio.view());
  REQUIRE(story.sought);
  for (const RailLayer& layer : story.rail) {
    for (const RailHead& head : layer.heads) CHECK(head.weights.matrix(0, head.head)(query, 1) <= story.sought->weight);
  }
  // The effect is that of a pass without this head.
  const auto run = network_of(studio.trace().inputs);
  RunOptions options;
  options.knock_out = {{story.sought->layer, story.sought->head}};
  const NetworkRun without = run->network->run(run->text, options);
  const LikelyToken likely = most_likely(*run, 0, query, 1).front();
  CHECK(story.sought->next == likely.text);
  CHECK(story.sought->without ==
        Approx(next_shares(without, 0, query, {})[static_cast<std::size_t>(likely.id)]).margin(1e-6));
  const Scene scene = make_sentence(studio.context(), story, studio.place());
  CHECK(has_text(scene, story.sought->name));
  CHECK(faults(scene, studio) == "");
}

TEST_CASE("a click on a word's bar asks which head looks there, and again no longer") {
  HeadlessWindow window(asker());
  window.settle();
  window.frame();
  const auto* shown = window.session.pictures().find_last<SentenceScene, Index>();
  REQUIRE(shown);
  const ImVec2 bar = target_in(shown->scene, SceneAction::looked_at, 1).rect.centre();
  window.click(bar);
  CHECK(window.document().view.levels.at == 1);
  CHECK(asked_in(window.document()) == "it");
  window.frame();
  window.click(bar);
  CHECK_FALSE(window.document().view.levels.at);
}

TEST_CASE("any letter typed in the sentence begins a new one in the field, and is no shortcut") {
  HeadlessWindow window(asker());
  window.settle();
  const View before = window.document().view;
  for (const char letter : {'b', 'k', 'h', 'j', 'g', 'v', 'p', 'a', 'r', 'n', 'f'}) window.press(letter);
  CHECK(window.document().view == before);
  window.type("the");
  for (int i = 0; i < 3; ++i) window.frame();
  CHECK(ImGui::GetIO().WantTextInput);
  window.type_and_enter(" cat sleeps because it is tired .");
  window.settle();
  CHECK(window.document().scenario.text == "the cat sleeps because it is tired .");
  CHECK(asked_in(window.document()) == "it");
  window.frame();
  CHECK_FALSE(ImGui::GetIO().WantTextInput);
  window.press(compat::Key::space);  // Enter has let the field go: its story begins
  CHECK(window.document().view.levels.level == Level::operation);
}

TEST_CASE("with Ctrl the letters act in the sentence too") {
  HeadlessWindow window(asker());
  window.settle();
  window.press('k', true);
  CHECK(window.document().view.levels.knocked);
  window.press('k', true);
  const Index head = window.document().view.head;
  window.press('h', true);
  CHECK(window.document().view.head == (head + 1) % 4);
  window.press('j', true);
  CHECK(window.document().view.levels.facet == Facet::journey);
  window.press(compat::Key::escape);
  CHECK(window.document().view.levels.level == Level::sentence);
}

TEST_CASE("outside a presentation letters do nothing in a lesson, and B there does not blacken the screen") {
  HeadlessWindow window(sentence());
  window.session.open("lesson:dropout");
  window.settle();
  const View before = window.document().view;
  for (const char letter : {'a', 'b', 'c', 'v', 'p', 'k', 'h', 'j', 'g', 'r', 'f'}) window.press(letter);
  CHECK(window.document().view == before);
  window.session.perform(EditView{[](View& v) { v.presenting = true; }});
  window.press('b');
  CHECK(window.document().view.blank);
  window.press('b');
  CHECK_FALSE(window.document().view.blank);
}

TEST_CASE("Esc goes back to where one came from, from every place, and does nothing at the top") {
  HeadlessWindow window(asker());
  window.settle();
  const auto show = [&](std::function<void(View&)> change) {
    window.session.perform(EditView{std::move(change)});
    for (int i = 0; i < 3; ++i) window.frame();
  };
  const View top = window.document().view;
  window.press(compat::Key::escape);
  window.press(compat::Key::escape);
  CHECK(window.document().view == top);
  struct Goal {
    const char* what;
    std::function<void(View&)> go;
  };
  const auto step = [](Stage stage, Facet facet) {
    return [=](View& v) {
      v.kind = ViewKind::pipeline;
      v.levels.level = Level::operation;
      v.levels.stage = stage;
      v.levels.facet = facet;
    };
  };
  const auto kind = [](ViewKind to) { return [=](View& v) { v.kind = to; }; };
  const std::vector<Goal> goals{{"the pipeline",
                                 [](View& v) {
                                   v.kind = ViewKind::pipeline;
                                   v.levels.level = Level::pipeline;
                                 }},
                                {"a step", step(Stage::scores, Facet::step)},
                                {"a journey", step(Stage::scores, Facet::journey)},
                                {"geometry", step(Stage::scores, Facet::geometry)},
                                {"the next word", step(Stage::output, Facet::next)},
                                {"why", step(Stage::output, Facet::why)},
                                {"the network",
                                 [](View& v) {
                                   v.kind = ViewKind::network;
                                   v.network.together = LayersTogether::none;
                                 }},
                                {"the layers' mean",
                                 [](View& v) {
                                   v.kind = ViewKind::network;
                                   v.network.together = LayersTogether::mean;
                                 }},
                                {"heads", kind(ViewKind::heads)},
                                {"the map", kind(ViewKind::map)},
                                {"the mask", kind(ViewKind::mask)},
                                {"compare", kind(ViewKind::compare)},
                                {"the lessons", kind(ViewKind::lesson)}};
  for (const Goal& first : goals) {
    INFO(first.what);
    show(first.go);
    window.press(compat::Key::escape);
    CHECK(window.document().view.kind == top.kind);
    CHECK(window.document().view.levels.level == Level::sentence);
    CHECK(window.document().view.selected == top.selected);
    CHECK(window.document().view.trail.empty());
    for (const Goal& second : goals) {
      if (second.what == first.what) continue;
      INFO(second.what);
      show(first.go);
      const View there = window.document().view;
      show(second.go);
      window.press(compat::Key::escape);
      CHECK(window.document().view.kind == there.kind);
      CHECK(window.document().view.levels.level == there.levels.level);
      CHECK(window.document().view.levels.facet == there.levels.facet);
      CHECK(window.document().view.network.together == there.network.together);
      show([&](View& v) { v = top; });
    }
  }
}

TEST_CASE(
    "from the sentence one click leads to the word's query, key and value, and to what the heads add to its row") {
  HeadlessWindow window(asker(), {2200, 900});
  window.settle();
  window.frame();
  for (const Stage stage : {Stage::Q, Stage::output}) {
    const Scene& scene = window.session.pictures().find_last<SentenceScene, Index>()->scene;
    const auto button = std::ranges::find_if(scene.targets, [&](const SceneTarget& target) {
      return target.action == SceneAction::stage && target.cell.stage == stage;
    });
    REQUIRE(button != scene.targets.end());
    const View before = window.document().view;
    window.click(button->rect.centre());
    window.settle();
    CHECK(window.document().view.levels.level == Level::operation);
    CHECK(window.document().view.levels.stage == stage);
    CHECK(window.document().view.levels.query == before.levels.query);
    window.press(compat::Key::escape);
    for (int i = 0; i < 60; ++i) window.frame();
    CHECK(window.document().view.levels.level == Level::sentence);
  }
}

TEST_CASE("Esc after the story, which went on to the next word by itself, goes back to where it was started") {
  Document document = asker();
  document.view.calm = true;
  document.view.speed = 20;
  HeadlessWindow window(document);
  window.settle();
  window.press(compat::Key::space);
  for (int i = 0; i < 2000 && window.document().view.levels.facet != Facet::next; ++i) window.frame();
  REQUIRE(window.document().view.levels.facet == Facet::next);
  window.press(compat::Key::escape);
  window.settle();
  CHECK(window.document().view.levels.level == Level::sentence);
  CHECK_FALSE(window.document().view.playing);
}

TEST_CASE("a text that is refused leaves everything as it was, also the words that were chosen") {
  HeadlessWindow window(asker());
  window.settle();
  window.session.perform(EditView{[](View& v) { v.levels.query = 2; }});
  window.settle();
  const View before = window.document().view;
  window.session.perform(EditScenario{[](Scenario& s) { s.text = "the zyxwvut"; }, {}});
  window.settle();
  CHECK_FALSE(window.document().error.empty());
  CHECK(window.document().view.levels == before.levels);
  CHECK(window.document().view.selected == before.selected);
}

TEST_CASE("a Chinese sentence typed beside the English model is read by the Chinese one, and undo returns") {
  CHECK(model_of_script("model:english", "小猫喜欢睡觉") == "model:chinese");
  CHECK(model_of_script("model:chinese", "小猫喜欢睡觉").empty());
  CHECK(model_of_script("model:chinese", "the cat sleeps") == "model:english");
  CHECK(model_of_script("model:english", "the cat sleeps").empty());
  CHECK(model_of_script("model:english", "1 2 3").empty());
  CHECK(model_of_script("model:induction", "小猫").empty());
  CHECK(model_of_script("mine.npz", "小猫").empty());
  Document document;
  const auto opening = trained_document("en");
  begin_anew(document, *opening, opening->scenario);
  document.view.levels.level = Level::sentence;
  HeadlessWindow window(document);
  window.settle();
  window.type("老人把信交给了国王");
  window.settle();
  CHECK(ImGui::GetIO().FontDefault->FindGlyphNoFallback(0x8001) != nullptr);  // 老 is seen while it is typed
  window.press(compat::Key::enter);
  window.settle();
  CHECK(window.document().scenario.file == "model:chinese");
  CHECK(window.document().scenario.text == "老人把信交给了国王");
  CHECK(window.document().error.empty());
  CHECK(window.document().trace->inputs.query_tokens.front().front() == "老");
  for (int i = 0; i < 4 && window.document().scenario.file != "model:english"; ++i) {
    window.press('z', true);
    window.settle();
  }
  CHECK(window.document().scenario.file == "model:english");
}

TEST_CASE("the hatched words are the mask: a click offers patterns, and dragging their edge sets a window") {
  HeadlessWindow window(asker(own, "0"));
  window.settle();
  window.frame();
  const auto scene = [&]() -> const Scene& {
    window.settle();
    window.frame();
    return window.session.pictures().find_last<SentenceScene, Index>()->scene;
  };
  const ImVec2 hatch = target_in(scene(), SceneAction::masks, 0).rect.centre();
  window.click(hatch);
  CHECK(window.document().view.levels.masks);
  REQUIRE(count_of(scene(), SceneAction::mask) == 4);
  // The edge: from before the first word to before the word "that".
  const ImVec2 edge = target_in(scene(), SceneAction::window_edge, 8).rect.centre();
  const Rect that = target_in(scene(), SceneAction::query_word, 2).rect;
  window.drag(edge, {that.min.x + 1, edge.y});
  window.settle();
  CHECK(window.document().scenario.mask == "causal() && window(7)");
  CHECK(has_text(scene(), "window(7)"));
  window.press('z', true);  // one step of undo
  window.settle();
  CHECK(window.document().scenario.mask.empty());
}

TEST_CASE("a layer cut into other heads is named in the sentence, with the next word before and after") {
  Document document = asker();
  document.scenario.heads = 2;
  Studio studio(document, {{1600, 900}});
  const SentenceStory story = story_in(studio, studio.view());
  REQUIRE(story.changed);
  CHECK(story.changed->heads == 2);
  CHECK(story.changed->heads_before == 4);
  const auto run = network_of(studio.trace().inputs);
  const Index query = asking_word(studio.trace(), studio.view());
  CHECK(story.changed->after == most_likely(*run, 0, query, 1).front().text);
  const NetworkRun plain = run->network->run(run->text, {});
  CHECK(story.changed->before == most_likely(plain, 0, query, 1).front().text);
  CHECK(story.rail[1].heads.size() == 2);
  CHECK(story.rail[0].heads.size() == 4);
  CHECK(story.claim == nullptr);
  const Scene scene = make_sentence(studio.context(), story, studio.place());
  CHECK(has_text(scene, "heads 2"));
  CHECK(faults(scene, studio) == "");
}

TEST_CASE("cells that were painted by hand are named in the sentence, without their JSON") {
  Document document = asker();
  document.scenario.painted = {{.query = 1, .key = 0, .attend = false}};
  Studio studio(document, {{1600, 900}});
  const SentenceStory story = story_in(studio, studio.view());
  REQUIRE(story.changed);
  const Scene scene = make_sentence(studio.context(), story, studio.place());
  CHECK(has_text(scene, "painted cells"));
  CHECK_FALSE(has_text(scene, "{\"query\""));
  CHECK(faults(scene, studio) == "");
}

TEST_CASE("where a change leaves the network NaN, the sentence names no word as the most likely, and none is drawn") {
  Document document = asker();
  document.scenario.mask = "k < 0";
  Studio studio(document, {{1600, 900}});
  const SentenceStory story = story_in(studio, studio.view());
  REQUIRE(story.changed);
  REQUIRE_FALSE(story.changed->before.empty());
  const Scene scene = make_sentence(studio.context(), story, studio.place());
  CHECK(has_text(scene, "are NaN"));
  CHECK_FALSE(has_text(scene, "NaN now"));
}

TEST_CASE("the asked word's label is the last to go from an axis") {
  std::string text;
  for (int i = 0; i < 60; ++i)
    text += "w" + std::string(1, static_cast<char>('a' + i / 26)) + static_cast<char>('a' + i % 26) + " ";
  for (const int asked : {7, 23, 41, 58}) {
    Document document = sentence();
    document.scenario.text = text;
    document.view.kind = ViewKind::heads;
    document.view.levels.query = asked;
    document.view.looked = true;
    HeadlessWindow window(document, {1024, 768});
    window.settle();
    Record record;
    ImGui::GetIO().UserData = &record;
    window.frame();
    ImGui::GetIO().UserData = nullptr;
    const std::string word = window.document().trace->inputs.query_tokens[0][static_cast<std::size_t>(asked)];
    INFO(word);
    CHECK(std::ranges::any_of(record.texts, [&](const RecordedText& drawn) { return drawn.text == word; }));
  }
}
