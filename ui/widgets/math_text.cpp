#include "ui/widgets/math_text.h"

#include <algorithm>
#include <utility>

namespace headlight {
namespace {

// In shares of the full size.
constexpr float script_size = 0.7f;
constexpr float lowered = 0.46f;
constexpr float raised = -0.1f;
constexpr float fraction_size = 0.88f;
constexpr float axis = 0.62f;  // where a fraction's line runs
constexpr float gap = 0.1f;

/// Beside the width: what stands out above and below a plain line.
struct Extent {
  float width = 0, above = 0, below = 0;
};

/// The inside of the braces that `text` starts with, or its first word or character; and what follows.
std::pair<std::string_view, std::string_view> argument(std::string_view text) {
  if (!text.starts_with('{')) {
    std::size_t length = std::min<std::size_t>(1, text.size());
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    while (length < text.size() && ((static_cast<unsigned char>(text[length]) & 0xC0) == 0x80 || (is_letter(text[0]) && is_letter(text[length])))) ++length;
    return {text.substr(0, length), text.substr(length)};
  }
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
    if (depth == 0) return {text.substr(1, i - 1), text.substr(i + 1)};
  }
  return {text.substr(1), {}};
}

/// Measures, and draws where there is a list. `at` is the top left corner of a plain line.
class Setter {
 public:
  Setter(ImDrawList* list, const Fonts& fonts, ImU32 colour) : list_(list), fonts_(fonts), colour_(colour) {}

  Extent set(std::string_view markup, float pixels, ImVec2 at) {
    Extent extent;
    while (!markup.empty()) {
      const ImVec2 here{at.x + extent.width, at.y};
      if (markup.starts_with("\\frac")) {
        join(extent, fraction(markup, pixels, here));
      } else if (markup.starts_with("\\sqrt")) {
        join(extent, root(markup, pixels, here));
      } else if (markup[0] == '_' || markup[0] == '^') {
        join(extent, scripts(markup, pixels, here));
      } else {
        const std::string_view plain = markup.substr(0, markup.find_first_of("_^\\", 1));
        markup.remove_prefix(plain.size());
        join(extent, text(plain, pixels, here));
      }
    }
    return extent;
  }

 private:
  static void join(Extent& whole, const Extent& part) {
    whole.width += part.width;
    whole.above = std::max(whole.above, part.above);
    whole.below = std::max(whole.below, part.below);
  }

  Extent measure(std::string_view markup, float pixels) {
    return Setter(nullptr, fonts_, colour_).set(markup, pixels, {0, 0});
  }

  Extent text(std::string_view plain, float pixels, ImVec2 at) {
    if (list_) draw_text(*list_, fonts_, Face::math, pixels, at, colour_, plain);
    return {text_size(fonts_, Face::math, pixels, plain).x, 0, 0};
  }

  /// One script, or a lower and an upper one over one another.
  Extent scripts(std::string_view& markup, float pixels, ImVec2 at) {
    Extent extent;
    const char first = markup[0];
    for (int i = 0; i < 2 && !markup.empty() &&
                    (i == 0 ? markup[0] == first : markup[0] != first && (markup[0] == '_' || markup[0] == '^'));
         ++i) {
      const float shift = pixels * (markup[0] == '_' ? lowered : raised);
      const auto [inside, rest] = argument(markup.substr(1));
      markup = rest;
      const Extent script = set(inside, pixels * script_size, {at.x, at.y + shift});
      extent.width = std::max(extent.width, script.width);
    }
    return extent;
  }

  Extent fraction(std::string_view& markup, float pixels, ImVec2 at) {
    const auto [over, after] = argument(markup.substr(5));
    const auto [under, rest] = argument(after);
    markup = rest;
    const float size = pixels * fraction_size;
    const Extent top = measure(over, size);
    const Extent bottom = measure(under, size);
    const float side = pixels * 0.12f;
    const float width = std::max(top.width, bottom.width) + 2 * side;
    const float line = pixels * axis;
    const float tail = pixels * 0.12f;  // of subscripts
    if (list_) {
      set(over, size, {at.x + (width - top.width) / 2, at.y + line - pixels * gap - tail - top.below - size});
      set(under, size, {at.x + (width - bottom.width) / 2, at.y + line + pixels * gap + bottom.above});
      list_->AddLine({at.x + side / 2, at.y + line}, {at.x + width - side / 2, at.y + line}, colour_,
                     std::max(1.0f, pixels / 16));
    }
    const float above = top.above + top.below + size + tail + pixels * gap - line;
    return {width, above, line + pixels * gap + bottom.above + bottom.below + size + tail - pixels};
  }

  Extent root(std::string_view& markup, float pixels, ImVec2 at) {
    const auto [inside, rest] = argument(markup.substr(5));
    markup = rest;
    const float sign = pixels * 0.55f;
    const Extent body = set(inside, pixels, {at.x + sign, at.y});
    const float end = pixels * 0.08f;
    if (list_) {
      const float thick = std::max(1.0f, pixels / 16);
      const float top = at.y - body.above;
      const float foot = at.y + pixels * 1.02f + body.below;
      const ImVec2 points[] = {{at.x + pixels * 0.08f, at.y + pixels * 0.66f},
                               {at.x + pixels * 0.2f, at.y + pixels * 0.6f},
                               {at.x + pixels * 0.34f, foot},
                               {at.x + sign - end, top},
                               {at.x + sign + body.width + end, top}};
      list_->AddPolyline(points, 5, colour_, 0, thick);
    }
    return {sign + body.width + 2 * end, body.above, body.below};
  }

  ImDrawList* list_;
  const Fonts& fonts_;
  ImU32 colour_;
};

}  // namespace

void draw_math(ImDrawList& list, const Fonts& fonts, float pixels, ImVec2 at, ImU32 colour, std::string_view markup) {
  const float above = markup.find("\\frac") == std::string_view::npos
                          ? 0
                          : Setter(nullptr, fonts, colour).set(markup, pixels, at).above;
  Setter(&list, fonts, colour).set(markup, pixels, {at.x, at.y + above});
}

ImVec2 math_size(const Fonts& fonts, float pixels, std::string_view markup) {
  const Extent extent = Setter(nullptr, fonts, 0).set(markup, pixels, {0, 0});
  return {extent.width, pixels + extent.above + extent.below};
}

std::vector<std::string> math_lines(const Fonts& fonts, float pixels, std::string_view markup, float width) {
  std::vector<std::string> lines;
  std::size_t start = 0, last_space = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= markup.size(); ++i) {
    const bool end = i == markup.size();
    if (!end) depth += markup[i] == '{' ? 1 : markup[i] == '}' ? -1 : 0;
    if (!end && (markup[i] != ' ' || depth != 0)) continue;
    if (last_space > start && math_size(fonts, pixels, markup.substr(start, i - start)).x > width) {
      lines.emplace_back(markup.substr(start, last_space - start));
      start = last_space + 1;
    }
    last_space = i;
  }
  if (start < markup.size()) lines.emplace_back(markup.substr(start));
  return lines;
}

}  // namespace headlight
