#include "ui/look/fonts.h"

#include "tests/catch.h"

using namespace headlight;

TEST_CASE("text is never shrunk from the size that its glyphs were made at, so that no minus sign falls between two pixels") {
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
        CHECK((drawn <= pixels * 1.1f || drawn == fonts.crisp(face, 1)));  // nor enlarged, but for what is smaller than the smallest
      }
    }
  }
  ImGui::DestroyContext(context);
}
