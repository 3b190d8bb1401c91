// Generating text in the sentence: words that are clicked or drawn, and the sampling settings.
#include <algorithm>

#include "core/compute/network/network.h"
#include "core/compute/network/sampling.h"
#include "core/scenario/inputs/inputs.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/ui/studio.h"
#include "ui/base/document/view.h"
#include "ui/views/sentence/sides.h"

using namespace headlight;
using namespace headlight::test;

namespace {

constexpr const char* line = "the cat that chases the dogs sleeps";

Document writer() {
  Document document = headlight::test::sentence();
  document.scenario = {};
  document.scenario.source = Source::file;
  document.scenario.file = places::sentences();
  document.scenario.text_as_input = true;
  document.scenario.text = line;
  document.view.kind = ViewKind::pipeline;
  document.view.levels.level = Level::sentence;
  document.view.levels.query = 5;
  document.view.looked = true;
  return document;
}

std::vector<LikelyToken> after_dogs(const Trace& trace) { return most_likely(*network_of(trace.inputs), 0, 5, 6); }

/// The side panel's story of the word after "dogs".
SentenceStory told(const Trace& trace, const Sampling& sampling) {
  SentenceStory story;
  story.network = story.takes_words = story.can_knock = story.writes = true;
  story.next_after = "dogs";
  story.next_at = 5;
  story.sampling = sampling;
  story.shares = next_shares(*network_of(trace.inputs), 0, 5, sampling);
  for (const LikelyToken& token : after_dogs(trace))
    story.next.push_back({token.text, token.id, story.shares[static_cast<std::size_t>(token.id)],
                          sampling.is_plain() ? -1 : token.probability});
  return story;
}

Rect target_of(const Scene& scene, SceneAction action, Index index = 0) {
  const auto found =
      std::ranges::find_if(scene.targets, [&](const SceneTarget& t) { return t.action == action && t.index == index; });
  REQUIRE(found != scene.targets.end());
  return found->rect;
}

}  // namespace

TEST_CASE(
    "a word that is clicked is written after the one that is followed, one that is drawn likewise, and undo takes each "
    "back") {
  const Studio studio(writer(), {{1600, 900}});
  const Scene scene = make_sentence(studio.context(), told(studio.trace(), {}), studio.place());
  const LikelyToken second = after_dogs(studio.trace())[1];
  HeadlessWindow window(writer());
  window.settle();
  window.click(target_of(scene, SceneAction::write_word, second.id).centre());
  window.settle();
  CHECK(window.document().scenario.text == "the cat that chases the dogs " + second.text);
  CHECK(window.document().view.levels.query == 6);
  CHECK(window.document().undo.size() == 1);
  window.press('z', true);
  window.settle();
  CHECK(window.document().scenario.text == line);

  // Seed and position decide the draw, so the same place gives the same word.
  std::vector<std::string> drawn;
  for (int again = 0; again < 2; ++again) {
    HeadlessWindow fresh(writer());
    fresh.settle();
    fresh.click(target_of(scene, SceneAction::draw_word).centre());
    fresh.settle();
    drawn.push_back(fresh.document().scenario.text);
    CHECK(drawn.back().starts_with("the cat that chases the dogs "));
    CHECK(fresh.document().view.levels.draws == 1);
    CHECK(std::ssize(fresh.document().trace->inputs.query_tokens[0]) == 7);
  }
  CHECK(drawn[0] == drawn[1]);
}

TEST_CASE("a double click on a predicted word writes it once") {
  const Studio studio(writer(), {{1600, 900}});
  const Scene scene = make_sentence(studio.context(), told(studio.trace(), {}), studio.place());
  const LikelyToken second = after_dogs(studio.trace())[1];
  HeadlessWindow window(writer());
  window.settle();
  window.double_click(target_of(scene, SceneAction::write_word, second.id).centre());
  window.settle();
  CHECK(window.document().scenario.text == "the cat that chases the dogs " + second.text);
}

TEST_CASE(
    "temperature, top-k and top-p follow the pointer, change nothing of the document, and are in the command line that "
    "is copied") {
  const Studio studio(writer(), {{1280, 720}});
  const Scene scene = make_sentence(studio.context(), told(studio.trace(), {}), studio.place());
  HeadlessWindow window(writer(), {1280, 720});
  window.settle();
  const auto drag = [&](headlight::sentence_parts::Dial dial, float to) {
    const Rect track = target_of(scene, SceneAction::sampling, static_cast<Index>(dial));
    window.drag({track.min.x + track.width() * 0.9f, track.centre().y},
                {track.min.x + track.width() * to, track.centre().y});
  };
  drag(headlight::sentence_parts::Dial::temperature, 0.25f);
  drag(headlight::sentence_parts::Dial::top_k, 0.5f);
  drag(headlight::sentence_parts::Dial::top_p, 0.6f);
  const Sampling& now = window.document().view.levels.sampling;
  CHECK(now.temperature == Approx(0.5));
  CHECK(now.top_k == std::lround(std::sqrt(static_cast<double>(told(studio.trace(), {}).shares.size()))));
  CHECK(now.top_p == Approx(0.6).margin(0.02));
  CHECK(window.document().undo.empty());
  CHECK(with_look({}, look_text(window.document().view)).levels.sampling == now);
  drag(headlight::sentence_parts::Dial::temperature, 0.5f);
  drag(headlight::sentence_parts::Dial::top_k, 1);
  drag(headlight::sentence_parts::Dial::top_p, 1);
  CHECK(window.document().view.levels.sampling.is_plain());
}

TEST_CASE("what a word is drawn by stands in its place at every size, says its numbers, and stays while it is turned") {
  for (const ScreenSetting& at : {ScreenSetting{{1024, 768}}, ScreenSetting{{1280, 720}, 1, false, "zh"},
                                  ScreenSetting{{1920, 1080}}, ScreenSetting{{3840, 2160}, 2.25f}}) {
    INFO(at.window.x << " x " << at.window.y);
    const Studio studio(writer(), at);
    const auto scene_of = [&](const SentenceStory& story) {
      return make_sentence(studio.context(), story, studio.place());
    };
    const Scene plain = scene_of(told(studio.trace(), {}));
    SentenceStory changed = told(studio.trace(), {0.5f, 5, 0.9f});
    const Scene turned = scene_of(changed);
    changed.changed_layer = "1";
    const Scene both = scene_of(changed);
    const Rect dial = target_of(plain, SceneAction::sampling, 1);
    for (const Scene* scene : {&plain, &turned, &both}) {
      CHECK(faults(*scene, studio) == "");
      CHECK(target_of(*scene, SceneAction::sampling, 1).min.y == dial.min.y);
      CHECK(has_text(*scene, std::string(studio.context().words("sentence.draw_word"))));
    }
    CHECK(has_text(turned, "0.90"));
  }
}

TEST_CASE("a dial shows its value and sets it") {
  constexpr Index vocabulary = 1000;
  for (const Sampling& sampling :
       {Sampling{}, Sampling{0.5f, 10, 0.9f}, Sampling{0, 1, 0.25f}, Sampling{1.75f, 500, 0.5f}}) {
    Sampling set;
    for (int i = 0; i < headlight::sentence_parts::dial_count; ++i) {
      const auto dial = static_cast<headlight::sentence_parts::Dial>(i);
      set = headlight::sentence_parts::dialled(
          set, dial, headlight::sentence_parts::dial_share(sampling, dial, vocabulary), vocabulary);
    }
    CHECK(set == sampling);
  }
}
