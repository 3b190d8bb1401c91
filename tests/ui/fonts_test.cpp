#include "ui/look/fonts.h"

#include "core/text/utf8.h"
#include "tests/catch.h"
#include "ui/look/words.h"

using namespace headlight;

TEST_CASE(
    "text is never shrunk from the size that its glyphs were made at, so that no minus sign falls between two pixels") {
  ImGuiContext* context = ImGui::CreateContext();
  const float scale = GENERATE(1.0f, 1.6f);
  {
    Fonts fonts;
    fonts.load(scale, "");
    for (const Face face : {Face::ui, Face::bold, Face::mono, Face::math}) {
      for (float pixels = 8; pixels < 80; pixels += 0.25f) {
        const float drawn = fonts.crisp(face, pixels);
        INFO("face " << static_cast<int>(face) << " at " << pixels << " is drawn at " << drawn);
#if IMGUI_VERSION_NUM < 19200  // which makes every size that is asked for
        CHECK(drawn >= fonts.pick(face, drawn)->FontSize);
#endif
        CHECK((drawn <= pixels * 1.1f ||
               drawn == fonts.crisp(face, 1)));  // nor enlarged, but for what is smaller than the smallest
      }
    }
  }
  ImGui::DestroyContext(context);
}

TEST_CASE(
    "the words of a Chinese sentence have their letters at every scale of a screen, whatever the interface takes") {
  if (find_font(FontRole::cjk).path == find_font(FontRole::text).path) return;  // no Chinese face is installed
  ImGuiContext* context = ImGui::CreateContext();
  const float scale =
      GENERATE(1.0f, 1.85f, 2.0f, 3.3f);  // the last: a presentation on 3840 pixels at two of them to a point
  const std::string interface = Words("zh").all_text(), sentence = "那匹追赶狗的马奔跑，因为它很累。";
  {
    Fonts fonts;
    fonts.load(scale, GENERATE(true, false) ? interface : Words("en").all_text(), sentence);
    for (const Face face : {Face::ui, Face::bold}) {
      for (const float points : {13.0f, 21.0f, 34.0f}) {
        ImFont* font = fonts.pick(face, points * scale);
        for (std::size_t at = 0; at < sentence.size();) {
          const std::size_t begin = at;
          const char32_t character = next_character(sentence, at);
          INFO(sentence.substr(begin, at - begin) << " at " << points * scale << " pixels");
          CHECK(font->FindGlyphNoFallback(static_cast<ImWchar>(character)) != nullptr);
        }
      }
    }
#if IMGUI_VERSION_NUM < 19200
    CHECK(ImGui::GetIO().Fonts->TexWidth <= 16384);
    CHECK(ImGui::GetIO().Fonts->TexHeight <= 16384);
#endif
  }
  ImGui::DestroyContext(context);
}

TEST_CASE("control characters in a text, NUL too, leave every other letter what it was") {
  ImGuiContext* context = ImGui::CreateContext();
  {
    Fonts fonts;
    fonts.load(1, "words", std::string("the\0 \x01\x1f cat", 9));
    for (const Face face : {Face::ui, Face::bold, Face::mono, Face::math}) {
      ImFont* const font = fonts.pick(face, 13);
      REQUIRE(font->IsLoaded());
      CHECK(font->FindGlyphNoFallback('a') != nullptr);
    }
  }
  ImGui::DestroyContext(context);
}
