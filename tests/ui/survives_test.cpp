#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "tests/catch.h"
#include "tests/places.h"
#include "tests/ui/headless.h"
#include "ui/base/look/words.h"

using namespace headlight;
using namespace headlight::test;
namespace fs = std::filesystem;

namespace {

/// A copy of the program's assets that a test may damage.
class OwnAssets {
 public:
  OwnAssets() : folder_(fs::temp_directory_path() / ("headlight-assets-" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    for (const char* part : {"lessons", "translations", "colormaps"}) {
      fs::copy(fs::path(places::assets()) / part, folder_ / part, fs::copy_options::recursive);
    }
    setenv("HEADLIGHT_ASSETS", folder_.c_str(), 1);
  }
  ~OwnAssets() {
    unsetenv("HEADLIGHT_ASSETS");
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  void damage(const std::string& file) const { std::ofstream(folder_ / file) << "{ this is no JSON"; }
  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

}  // namespace

TEST_CASE("a lesson that cannot be read is left out, and the others open") {
  const OwnAssets assets;
  assets.damage("lessons/99-damaged.json");
  Document document = sentence();
  document.view.kind = ViewKind::lesson;
  HeadlessWindow window(document);
  window.settle();
  CHECK(window.painter.quads.size() > 3);
  window.session.open("lesson:first-light");
  window.settle();
  CHECK(window.document().error.empty());
  CHECK(window.document().origin.lesson.id == "first-light");
}

TEST_CASE("a translation that cannot be read gives a message, and the language stays") {
  const OwnAssets assets;
  assets.damage("translations/zh.json");
  Document document = sentence();
  const bool at_start = GENERATE(true, false);
  if (at_start) document.view.language = "zh";
  HeadlessWindow window(document);
  if (!at_start) window.click(window.find("top_bar", {"language"}));
  CHECK(window.document().view.language == "en");
  CHECK(window.document().error.english().find("zh.json") != std::string::npos);
  CHECK(window.document().trace);
}

TEST_CASE("a text that a language lacks is shown in English") {
  const OwnAssets assets;
  std::ofstream(assets.folder() / "translations/xx.json") << R"({"views": {"heads": "Köpfe"}})";
  const Words words("xx");
  CHECK(std::string(words("views.heads")) == "Köpfe");
  CHECK(std::string(words("views.pipeline")) == Words("en")("views.pipeline"));
}

TEST_CASE(
    "any number of characters leaves an atlas that a texture can hold, with the words and the most frequent in it") {
  Document document = sentence();
  document.scenario.text.clear();
  for (int i = 0; i < 60; ++i) {
    for (int j = 0; j < 100; ++j) {
      const int character = 0x4E00 + i * 100 + j;
      document.scenario.text +=
          {static_cast<char>(0xE0 | character >> 12), static_cast<char>(0x80 | (character >> 6 & 0x3F)),
           static_cast<char>(0x80 | (character & 0x3F))};
    }
    document.scenario.text += ' ';
  }
  document.scenario.text += "的的的";
  document.scenario.d_model = 8;
  HeadlessWindow window(document);
  window.settle();
#if IMGUI_VERSION_NUM < 19200
  const ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  CHECK(atlas.TexWidth <= 8192);
  CHECK(atlas.TexHeight <= 16384);
  CHECK(ImGui::GetIO().FontDefault->FindGlyphNoFallback(0x7684) != nullptr);  // 的
  CHECK(ImGui::GetIO().FontDefault->FindGlyphNoFallback('a') != nullptr);
#endif
}

TEST_CASE("a window goes on with what another hands over: changes are unsaved still, and can be undone") {
  Document handed;
  {
    HeadlessWindow window(sentence());
    window.settle();
    window.session.perform(EditScenario{[](Scenario& s) { s.mask = "window(2)"; }, {}});
    window.settle();
    handed = window.session.hand_over();
  }
  HeadlessWindow window(handed);
  window.settle();
  CHECK(window.document().scenario.mask == "window(2)");
  CHECK(window.session.title().find('*') != std::string::npos);
  CHECK_FALSE(window.document().notice.empty());
  window.press('z', true);
  window.settle();
  CHECK(window.document().scenario.mask == sentence().scenario.mask);
}
