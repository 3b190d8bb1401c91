#include "ui/base/look/fonts.h"

#include <algorithm>

#include "core/base/text/unicode.h"
#include "tests/catch.h"
#include "ui/base/look/words.h"
#include "ui/imgui_compat.h"

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
#if IMGUI_VERSION_NUM < 19200  // later versions make glyphs at every size
        CHECK(drawn >= fonts.pick(face, drawn)->FontSize);
#endif
        CHECK(
            (drawn <= pixels * 1.1f || drawn == fonts.crisp(face, 1)));  // nor enlarged, except below the smallest size
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
      GENERATE(1.0f, 1.85f, 2.0f, 3.3f);  // 3.3 is a presentation on 3840 pixels with two pixels to a point
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

#if IMGUI_VERSION_NUM < 19200  // later versions make glyphs one by one
TEST_CASE("at every scale no glyph is larger than the builder's blocks, and the atlas fits into the texture") {
  ImGuiContext* context = ImGui::CreateContext();
  const std::string interface = Words("zh").all_text();
  const float scale = GENERATE(0.25f, 5.0f, 8.0f);
  const int limit = GENERATE(2048, 8192);
  const bool large = GENERATE(false, true);
  {
    Fonts fonts;
    fonts.set_texture_limit(limit);
    fonts.make_large(large);
    fonts.load(scale, interface, "那匹追赶狗的马");
    const ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    INFO("scale " << scale << ", limit " << limit << ", large " << large);
    CHECK(atlas.TexWidth <= limit);
    CHECK(atlas.TexHeight <= limit);
    constexpr float block = 256 * 256;
    float widest = 0;
    for (const ImFont* font : atlas.Fonts) {
      for (const ImFontGlyph& glyph : font->Glyphs)
        widest = std::max(widest, (glyph.X1 - glyph.X0) * (glyph.Y1 - glyph.Y0));
    }
    CHECK(widest > 0);
    CHECK(widest <= block);
    for (const Face face : {Face::ui, Face::bold, Face::mono, Face::math})
      CHECK(fonts.pick(face, 13 * scale)->FindGlyphNoFallback('a') != nullptr);
  }
  ImGui::DestroyContext(context);
}
#endif

TEST_CASE("control characters in a text, also NUL, do not change other letters") {
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

TEST_CASE("if an atlas has no room for all characters, the visible ones are in it from the next load on") {
  if (compat::dynamic_fonts || find_font(FontRole::cjk).path == find_font(FontRole::text).path) return;
  std::string text, in_sight;
  for (char32_t letter = 0x4E00; letter < 0x4E00 + 6000; ++letter) {
    append_utf8(text, letter);
    if (letter % 200 == 199) append_utf8(in_sight, letter);
  }
  ImGuiContext* context = ImGui::CreateContext();
  {
    Fonts fonts;
    fonts.load(1, "", text);
    const auto lacking = [&] {
      int count = 0;
      for (std::size_t at = 0; at < in_sight.size();) {
        const auto letter = static_cast<ImWchar>(next_character(in_sight, at));
        count += fonts.pick(Face::ui, 15)->FindGlyphNoFallback(letter) == nullptr ? 1 : 0;
      }
      return count;
    };
    REQUIRE(lacking() > 0);
    CHECK(fonts.covers(1, "", text));
    fonts.note(in_sight);
    CHECK(fonts.lacks_in_sight());
    CHECK_FALSE(fonts.covers(1, "", text));
    fonts.load(1, "", text);
    CHECK(lacking() == 0);
    fonts.note(in_sight);
    CHECK(fonts.covers(1, "", text));
  }
  ImGui::DestroyContext(context);
}
