#include "ui/parts/widgets/math_text.h"

#include <algorithm>
#include <utility>

#include "core/base/text/unicode.h"
#include "core/teaching/explain/math_markup.h"
#include "ui/base/geometry/rect.h"

namespace headlight {
namespace {

// Relative to the full size.
constexpr float script_size = 0.7f, largest_script = 0.86f;
constexpr float least_script = 13;     // points, if the full size is larger
constexpr float script_foot = 1.18f;   // bottom of a subscript
constexpr float script_top = -0.1f;    // top of a superscript
constexpr float side_by_side = 0.76f;  // larger scripts than this are placed one after the other
constexpr float fraction_size = 0.95f;
constexpr float axis = 0.62f;  // height of a fraction's line
constexpr float gap = 0.1f;
constexpr float word_size = 0.76f;

bool is_east_asian(char32_t character) { return character >= 0x2E80; }

/// The extent above and below a plain line, in addition to the width.
struct MathExtent {
  float width = 0, above = 0, below = 0;
};

/// The purpose of a pass over the markup besides measuring.
struct Purpose {
  ImDrawList* list = nullptr;
  MathInk ink;
  std::optional<ImVec2> point;
};

/// Measures the text, draws it if there is a draw list, and finds the stage at a point. `at` is the top left corner of
/// a plain line.
class Setter {
 public:
  Setter(const Fonts& fonts, float least, const Purpose& purpose = {})
      : fonts_(fonts), least_(least), to_(purpose), colour_(purpose.ink.colour) {}

  std::optional<Stage> found() const { return found_; }
  float smallest() const { return smallest_; }

  MathExtent set(std::string_view markup, float pixels, ImVec2 at) {
    MathExtent extent;
    while (!markup.empty()) {
      const ImVec2 here{at.x + extent.width, at.y};
      const bool script = markup[0] == '_' || markup[0] == '^';
      const MathExtent part = markup.starts_with("\\frac")   ? fraction(markup, pixels, here)
                              : markup.starts_with("\\sqrt") ? root(markup, pixels, here)
                              : markup.starts_with("\\in{")  ? symbol(markup, pixels, here)
                              : script                       ? scripts(markup, pixels, here)
                                                             : text(markup, pixels, here);
      extent.width += part.width;
      extent.above = std::max(extent.above, part.above);
      extent.below = std::max(extent.below, part.below);
    }
    return extent;
  }

 private:
  MathExtent measure(std::string_view markup, float pixels) {
    Setter inner(fonts_, least_);
    const MathExtent extent = inner.set(markup, pixels, {0, 0});
    smallest_ = std::min(smallest_, inner.smallest_);
    return extent;
  }

  bool places() const { return to_.list || to_.point; }

  /// A symbol of a stage: in its colour, highlighted on request, and found at the pointer.
  MathExtent symbol(std::string_view& markup, float pixels, ImVec2 at) {
    const auto [stage_name, after] = markup_argument(markup.substr(3));
    const auto [inside, rest] = markup_argument(after);
    markup = rest;
    const std::optional<Stage> stage = stage_named(stage_name);
    if (!stage || !places()) return set(inside, pixels, at);
    const MathExtent extent = measure(inside, pixels);
    const Rect box{{at.x - pixels * 0.08f, at.y - extent.above},
                   {at.x + extent.width + pixels * 0.08f, at.y + pixels * 1.18f + extent.below}};
    if (to_.point && box.contains(*to_.point)) found_ = stage;
    if (to_.list && to_.ink.lanes && to_.ink.lit == stage)
      to_.list->AddRectFilled(box.min, box.max, to_.ink.lanes->field_hover, pixels * 0.2f);
    const ImU32 outside = colour_;
    if (to_.ink.lanes) colour_ = to_.ink.lanes->lane(*stage);
    set(inside, pixels, at);
    colour_ = outside;
    return extent;
  }

  /// Chinese words are set upright in the window's font, since the mathematical font does not have them.
  MathExtent text(std::string_view& markup, float pixels, ImVec2 at) {
    std::string_view plain = markup.substr(0, markup.find_first_of("_^\\", 1));
    markup.remove_prefix(plain.size());
    MathExtent extent;
    while (!plain.empty()) {
      std::size_t end = 0, next = 0;
      const bool words = is_east_asian(next_character(plain, next));
      do end = next;
      while (end < plain.size() && is_east_asian(next_character(plain, next)) == words);
      const std::string_view run = plain.substr(0, end);
      plain.remove_prefix(end);
      const Face face = words ? Face::ui : Face::math;
      const float size = words ? size_not_below(fonts_, face, std::max(pixels * word_size, least_)) : pixels;
      const float down = words ? (pixels - size) * 0.75f : 0;
      smallest_ = std::min(smallest_, fonts_.crisp(face, size));
      if (to_.list) draw_text(*to_.list, fonts_, face, size, {at.x + extent.width, at.y + down}, colour_, run);
      extent.width += text_size(fonts_, face, size, run).x;
    }
    return extent;
  }

  /// Small next to large type, but never too small to read.
  float script(float pixels) const {
    if (least_ > 0) return fonts_.crisp(Face::math, std::clamp(pixels * script_size, std::min(least_, pixels), pixels));
    const float share = std::clamp(least_script * fonts_.scale() / pixels, script_size, largest_script);
    return share > script_size ? fonts_.crisp(Face::math, pixels * share) : pixels * share;
  }

  static float line_width(float pixels) { return std::max(1.0f, pixels / 16); }

  /// A subscript, a superscript, or both in either order. Small ones are stacked; of large ones, the subscript comes
  /// first.
  MathExtent scripts(std::string_view& markup, float pixels, ImVec2 at) {
    std::optional<std::string_view> lower, upper;
    while (!markup.empty() && (markup[0] == '_' || markup[0] == '^')) {
      std::optional<std::string_view>& argument = markup[0] == '_' ? lower : upper;
      if (argument) break;
      const auto [inside, rest] = markup_argument(markup.substr(1));
      argument = inside;
      markup = rest;
    }
    const float size = script(pixels);
    const bool stacked = size <= pixels * side_by_side;
    const float foot = at.y + pixels * script_foot - size * 1.03f, top = at.y + pixels * script_top;
    const float below = lower ? set(*lower, size, {at.x, foot}).width : 0;
    const float above = upper ? set(*upper, size, {stacked ? at.x : at.x + below, top}).width : 0;
    return {stacked ? std::max(below, above) : below + above, 0, 0};
  }

  MathExtent fraction(std::string_view& markup, float pixels, ImVec2 at) {
    const auto [over, after] = markup_argument(markup.substr(5));
    const auto [under, rest] = markup_argument(after);
    markup = rest;
    const float size = pixels * fraction_size;
    const MathExtent top = measure(over, size), bottom = measure(under, size);
    const float side = pixels * 0.12f, width = std::max(top.width, bottom.width) + 2 * side;
    const float line = pixels * axis, tail = pixels * 0.12f;  // the tails of subscripts
    if (places()) {
      set(over, size, {at.x + (width - top.width) / 2, at.y + line - pixels * gap - tail - top.below - size});
      set(under, size, {at.x + (width - bottom.width) / 2, at.y + line + pixels * gap + bottom.above});
      if (to_.list)
        to_.list->AddLine({at.x + side / 2, at.y + line}, {at.x + width - side / 2, at.y + line}, colour_,
                          line_width(pixels));
    }
    const float above = top.above + top.below + size + tail + pixels * gap - line;
    return {width, above, line + pixels * gap + bottom.above + bottom.below + size + tail - pixels};
  }

  MathExtent root(std::string_view& markup, float pixels, ImVec2 at) {
    const auto [inside, rest] = markup_argument(markup.substr(5));
    markup = rest;
    const float sign = pixels * 0.55f, end = pixels * 0.08f;
    const MathExtent body = set(inside, pixels, {at.x + sign, at.y});
    if (to_.list) {
      const float top = at.y - body.above, foot = at.y + pixels * 1.02f + body.below;
      const ImVec2 points[] = {{at.x + pixels * 0.08f, at.y + pixels * 0.66f},
                               {at.x + pixels * 0.2f, at.y + pixels * 0.6f},
                               {at.x + pixels * 0.34f, foot},
                               {at.x + sign - end, top},
                               {at.x + sign + body.width + end, top}};
      to_.list->AddPolyline(points, 5, colour_, 0, line_width(pixels));
    }
    return {sign + body.width + 2 * end, body.above, body.below};
  }

  const Fonts& fonts_;
  const float least_;
  const Purpose to_;
  ImU32 colour_;
  std::optional<Stage> found_;
  float smallest_ = 1e6f;
};

/// The position of the plain line within a formula whose top is at `at`.
ImVec2 line_in(const Fonts& fonts, MathType type, ImVec2 at, std::string_view markup) {
  if (markup.find("\\frac") == std::string_view::npos) return at;
  return {at.x, at.y + Setter(fonts, type.least).set(markup, type.pixels, at).above};
}

}  // namespace

void draw_math(ImDrawList& list, const Fonts& fonts, MathType type, ImVec2 at, const MathInk& ink,
               std::string_view markup) {
  Setter(fonts, type.least, {&list, ink, {}}).set(markup, type.pixels, line_in(fonts, type, at, markup));
}

void draw_math(ImDrawList& list, const Fonts& fonts, MathType type, ImVec2 at, ImU32 colour, std::string_view markup) {
  draw_math(list, fonts, type, at, MathInk{colour, nullptr, {}}, markup);
}

std::optional<Stage> math_stage_at(const Fonts& fonts, MathType type, ImVec2 at, std::string_view markup,
                                   ImVec2 point) {
  Setter setter(fonts, type.least, {nullptr, {}, point});
  setter.set(markup, type.pixels, line_in(fonts, type, at, markup));
  return setter.found();
}

ImVec2 math_size(const Fonts& fonts, MathType type, std::string_view markup) {
  const MathExtent extent = Setter(fonts, type.least).set(markup, type.pixels, {0, 0});
  return {extent.width, type.pixels + extent.above + extent.below};
}

float smallest_in_math(const Fonts& fonts, MathType type, std::string_view markup) {
  Setter setter(fonts, type.least);
  setter.set(markup, type.pixels, {0, 0});
  return setter.smallest();
}

constexpr std::string_view signs[] = {" =", " +", " −", " ×"};

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
    const std::string_view before = markup.substr(start, i - start);
    const bool after_sign = std::ranges::any_of(signs, [&](std::string_view sign) { return before.ends_with(sign); });
    if (!after_sign) last_space = i;  // a sign begins the next line
  }
  if (start < markup.size()) lines.emplace_back(markup.substr(start));
  return lines;
}

std::string formula_in_words(const Words& words, std::string markup) {
  constexpr std::pair<std::string_view, const char*> english[] = {{" more: ", "inspector.more_terms"},
                                                                  {"dropped: ", "inspector.dropped"},
                                                                  {"all keys masked: ", "inspector.all_masked"},
                                                                  {" = 0: ", "inspector.masked_case"},
                                                                  {" = 1: ", "inspector.seen_case"}};
  for (const auto& [phrase, key] : english) {
    const std::size_t at = markup.find(phrase);
    if (at != std::string::npos) markup.replace(at, phrase.size(), words(key));
  }
  return markup;
}

std::string_view stage_formula(const Words& words, Stage stage) {
  switch (stage) {
    case Stage::mask: return words("formulas.mask");
    case Stage::masked_scores: return words("formulas.masked_scores");
    case Stage::weights: return words("formulas.weights");
    default: return info(stage).formula;
  }
}

}  // namespace headlight
