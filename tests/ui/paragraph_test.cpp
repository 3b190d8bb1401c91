#include "ui/parts/widgets/paragraph.h"

#include <string>
#include <vector>

#include "tests/catch.h"

using namespace headlight;

namespace {

int lines(const Fonts& fonts, const std::string& text, float width) {
  const float one = draw_paragraph(nullptr, fonts, Face::ui, 13, {0, 0}, 0, "x", 1000);
  return static_cast<int>(draw_paragraph(nullptr, fonts, Face::ui, 13, {0, 0}, 0, text, width) / one + 0.5f);
}

}  // namespace

TEST_CASE("a paragraph breaks at spaces and between Chinese characters, and keeps closing marks with what they close") {
  ImGuiContext* context = ImGui::CreateContext();
  {
    Fonts fonts;
    fonts.load(1, "每个词元，用查询发问。");
    const auto width = [&](const char* text) { return text_size(fonts, Face::ui, 13, text).x; };
    CHECK(lines(fonts, "", 100) == 0);
    CHECK(lines(fonts, "one two", width("one two")) == 1);
    CHECK(lines(fonts, "one two", width("one tw")) == 2);
    CHECK(lines(fonts, "unbreakable", 10) == 1);
    CHECK(lines(fonts, "a\nb", 100) == 2);
    CHECK(lines(fonts, "每个词元用", width("每个词")) == 2);
    CHECK(lines(fonts, "每个词元，", width("每个词元")) == 2);  // "每个词 / 元，"
    CHECK(lines(fonts, "每个词元，用查询", width("每个词元")) ==
          3);  // a comma does not begin a line: "每个词 / 元，用查 / 询"
    CHECK(lines(fonts, "每个 softmax", width("每个 ")) == 2);
    CHECK(paragraph_lines(fonts, Face::ui, 13, "only 36 %", width("only 36 ")) ==
          std::vector<std::string>{"only", "36 %"});  // a number stays with its percent sign
  }
  ImGui::DestroyContext(context);
}
