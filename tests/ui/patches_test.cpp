// The sentence level of a picture: query patches, overlays, and opening other pictures.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>
#include <tuple>

#include "core/base/files/whole_file.h"
#include "core/base/image/png_image.h"
#include "core/compute/network/network.h"
#include "core/scenario/inputs/inputs.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/ui/studio.h"
#include "ui/base/frame/frame.h"
#include "ui/views/operation/next.h"
#include "ui/views/operation/why.h"
#include "ui/views/sentence/story.h"

using namespace headlight;
using namespace headlight::test;

namespace {

/// A document of a ViT with 2 × 3 patches after cls.
Document seeing() {
  Document document;
  document.scenario.source = Source::file;
  document.scenario.file = places::fixtures() + "/networks/vit";
  document.view.kind = ViewKind::pipeline;
  document.view.levels.level = Level::sentence;
  document.view.levels.query = 2;
  document.view.looked = true;
  return document;
}

Scene drawn(Studio& studio) {
  const Trace& trace = studio.trace();
  return make_sentence(studio.context(), story_of(trace, studio.view(), -1, {}), studio.place());
}

std::vector<const SceneMatrix*> overlays(const Scene& scene) {
  std::vector<const SceneMatrix*> found;
  for (const SceneItem& item : scene.items) {
    const auto* matrix = std::get_if<SceneMatrix>(&item);
    if (matrix && matrix->quad.values.shape() == Shape{2, 3}) found.push_back(matrix);
  }
  return found;
}

/// The overlays that are larger than a thumbnail.
std::vector<const SceneMatrix*> large(const Scene& scene) {
  std::vector<const SceneMatrix*> found = overlays(scene);
  std::erase_if(found, [](const SceneMatrix* matrix) { return matrix->seen.width() < 120; });
  return found;
}

}  // namespace

TEST_CASE("one overlay shows the weights of the query patch, one the weights on it, each up to its largest") {
  Studio studio(seeing(), {{1600, 900}});
  const Scene scene = drawn(studio);
  const auto found = large(scene);
  REQUIRE(found.size() == 2);
  const Tensor& weights = studio.trace()[Stage::weights];
  for (const bool back : {false, true}) {
    const MatrixQuad& quad = found[back]->quad;
    float most = 0;
    for (Index i = 0; i < 6; ++i) {
      const float weight = back ? weights.at({0, 0, 1 + i, 2}) : weights.at({0, 0, 2, 1 + i});
      CHECK(quad.values.at({i / 3, i % 3}) == weight);
      most = std::max(most, weight);
    }
    CHECK(quad.range.lo == 0);
    CHECK(quad.range.hi == most);
    CHECK(quad.opacity == studio.view().levels.opacity);
  }
  CHECK(overlays(scene).size() >= 2 + 6);  // also the heads of two layers in the rail
}

TEST_CASE("the overlay shows contribution norms if the view measures them") {
  Document document = seeing();
  document.view.measure = HeadMeasure::arrives;
  Studio studio(document, {{1600, 900}});
  REQUIRE(measure_shown(studio.trace(), studio.view()) == HeadMeasure::arrives);
  const Scene scene = drawn(studio);
  const auto found = large(scene);
  REQUIRE(found.size() == 2);
  for (Index i = 0; i < 6; ++i) {
    CHECK(found[0]->quad.values.at({i / 3, i % 3}) == studio.trace()[Stage::contribution_norms].at({0, 0, 2, 1 + i}));
    CHECK(found[1]->quad.values.at({i / 3, i % 3}) == studio.trace()[Stage::contribution_norms].at({0, 0, 1 + i, 2}));
  }
}

TEST_CASE(
    "a picture as a sentence has no text that is cut, crossed or too small, at every size and in every language") {
  for (const ScreenSetting& setting :
       {ScreenSetting{{1600, 900}}, ScreenSetting{{1024, 768}}, ScreenSetting{{1600, 900}, 1, false, "zh"},
        ScreenSetting{{1920, 1080}, 1, true}, ScreenSetting{{3840, 2160}, 2}}) {
    Studio studio(seeing(), setting);
    INFO(setting.window.x << " " << setting.language << setting.presenting);
    CHECK(faults(drawn(studio), studio) == "");
  }
}

TEST_CASE("the patch under the pointer is the query; a click keeps it, and a second click releases it") {
  ImVec2 first, last;
  {
    Studio studio(seeing(), {{1600, 900}});
    const Scene scene = drawn(studio);
    for (const SceneTarget& target : scene.targets) {
      // Targets over the larger picture come first.
      if (target.action != SceneAction::query_word) continue;
      if (target.index == 1 && first.x == 0) first = target.rect.centre();
      if (target.index == 6 && last.x == 0) last = target.rect.centre();
    }
  }
  HeadlessWindow window(seeing());
  window.settle();
  window.move(first);
  window.settle();
  CHECK(window.document().view.pointed.word == 1);
  window.click(last);
  window.settle();
  CHECK(window.document().view.levels.held);
  CHECK(window.document().view.levels.query == 6);
  window.move(first);
  window.settle();
  CHECK_FALSE(window.document().view.pointed.word);  // the pointer does not change the query now
  window.click(last);
  window.settle();
  CHECK_FALSE(window.document().view.levels.held);
}

TEST_CASE("opening a picture replaces the current one, and undo restores it") {
  HeadlessWindow window(seeing());
  window.settle();
  window.session.open(places::assets() + "/models/shapes/cross.png");
  window.settle();
  CHECK(window.document().scenario.image == places::assets() + "/models/shapes/cross.png");
  CHECK(window.document().error.empty());
  window.press('z', true);
  window.settle();
  CHECK(window.document().scenario.image.empty());
}

TEST_CASE("a pasted path or file URI of a picture is opened as if it were dropped") {
  const std::string file = places::assets() + "/models/shapes/cross.png";
  std::string uri = "file://" + file;
  uri.replace(uri.find("cross"), 5, "%63ross");
  for (const std::string& text : {file, uri + "\r\n", "\"" + file + "\""}) {
    HeadlessWindow window(seeing());
    window.settle();
    ImGui::SetClipboardText(text.c_str());
    window.press('v', true);
    window.settle();
    CHECK(window.document().scenario.image == file);
    CHECK(window.document().error.empty());
  }
}

TEST_CASE("what looks at the patch stands in small windows too, below what the network sees") {
  Studio studio(seeing(), {{1024, 768}});
  const Scene scene = drawn(studio);
  const auto found = overlays(scene);
  const auto wide = std::ranges::count_if(found, [](const SceneMatrix* matrix) { return matrix->seen.width() > 90; });
  CHECK(wide == 2);
}

TEST_CASE("texts about a picture speak of labels and tokens, not of words") {
  for (const char* language : {"en", "zh"}) {
    Document document = seeing();
    document.scenario.file = "model:shapes";
    Studio studio(document, {{1600, 900}, 1, false, language});
    const Trace& trace = studio.trace();
    const SentenceStory story = story_of(trace, studio.view(), -1, {});
    const NextWords next = next_words(trace, studio.view(), story, {}, -1, {});
    const WhyParts why = why_parts(trace, studio.view(), {}, -1, {}, {});
    for (const Scene& scene :
         {make_next(studio.context(), next, story, studio.place()), make_why(studio.context(), why, studio.place())}) {
      for (const SceneItem& item : scene.items) {
        const auto* const text = std::get_if<SceneText>(&item);
        if (!text) continue;
        CAPTURE(text->text);
        CHECK(text->text.find("word") == std::string::npos);
        CHECK(text->text.find("embedding") == std::string::npos);
        CHECK(text->text.find("个词 ") == std::string::npos);
        CHECK(text->text.find("词表") == std::string::npos);
        CHECK(text->text.find("top-") == std::string::npos);  // nothing is cut, and nothing divided by 1
        CHECK(text->text.find("÷ 1.00") == std::string::npos);
      }
      CHECK(has_text(scene, language == std::string("en") ? "Label" : "标签"));
    }
  }
}

TEST_CASE("a picture resized out of proportion is called squashed, another is not") {
  for (const auto& [width, height, says] : {std::tuple{90, 30, true}, {30, 30, false}}) {
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "headlight_squashed.png";
    const auto png = encode_png(Image(width, height, {200, 100, 50, 255}));
    write_whole_file(file, std::as_bytes(std::span(png)));
    Document document = seeing();
    document.scenario.file = "model:shapes";
    document.scenario.image = file.string();
    Studio studio(document, {{1600, 900}});
    const std::vector<std::string>& sides = story_of(studio.trace(), studio.view(), -1, {}).squashed;
    CHECK(sides.empty() != says);
    if (says) CHECK(sides == std::vector<std::string>{"90", "30", "48", "48"});
    std::filesystem::remove(file);
  }
}
