#include "ui/widgets/math_text.h"

#include <algorithm>

namespace headlight {
namespace {

constexpr float script_size = 0.7f;
constexpr float lowered = 0.38f;   // of the full size
constexpr float raised = -0.18f;

struct Run {
  std::string_view text;
  float shift = 0;
  float size = 1;
};

/// Calls visit(run) for each stretch of one size and height.
template <typename Visit>
void for_each_run(std::string_view markup, Visit visit) {
  while (!markup.empty()) {
    const std::size_t mark = markup.find_first_of("_^");
    if (mark != 0) {
      visit(Run{markup.substr(0, mark)});
      if (mark == std::string_view::npos) return;
      markup.remove_prefix(mark);
      continue;
    }
    const float shift = markup[0] == '_' ? lowered : raised;
    markup.remove_prefix(1);
    std::size_t length = 1;
    if (!markup.empty() && markup[0] == '{') {
      markup.remove_prefix(1);
      length = std::min(markup.find('}'), markup.size());
      visit(Run{markup.substr(0, length), shift, script_size});
      markup.remove_prefix(std::min(length + 1, markup.size()));
    } else {
      visit(Run{markup.substr(0, length), shift, script_size});
      markup.remove_prefix(std::min(length, markup.size()));
    }
  }
}

}  // namespace

void draw_math(ImDrawList& list, const Fonts& fonts, float pixels, ImVec2 at, ImU32 colour, std::string_view markup) {
  for_each_run(markup, [&](const Run& run) {
    const float size = pixels * run.size;
    draw_text(list, fonts, Face::math, size, {at.x, at.y + pixels * run.shift + (run.size < 1 ? pixels * 0.08f : 0)}, colour,
              run.text);
    at.x += text_size(fonts, Face::math, size, run.text).x;
  });
}

ImVec2 math_size(const Fonts& fonts, float pixels, std::string_view markup) {
  float width = 0;
  for_each_run(markup, [&](const Run& run) { width += text_size(fonts, Face::math, pixels * run.size, run.text).x; });
  return {width, pixels};
}

}  // namespace headlight
