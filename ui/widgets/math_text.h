// Mathematics set as such: markup (core/explain/math_markup.h) with real fractions, roots, sub- and superscripts, all
// of it in the serif italic face.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "core/stage/stage.h"
#include "ui/look/fonts.h"
#include "ui/look/look.h"

namespace headlight {

/// How large formulas are set.
struct MathType {
  float pixels = 0;  ///< of the full-size letters
  float least = 0;   ///< nothing is smaller, no script and no word; 0: scripts are what can be read from near
  // Not explicit: most callers mean a size alone.
  MathType(float full, float smallest = 0) : pixels(full), least(smallest) {}
};

/// What formulas are drawn with.
struct MathInk {
  ImU32 colour = 0;
  const Look* lanes = nullptr;  ///< where there is one, a stage's symbols wear its lane's colour
  std::optional<Stage> lit;     ///< the stage whose symbols stand on a light ground
};

/// Draws with the top left corner at `at`.
void draw_math(ImDrawList& list, const Fonts& fonts, MathType type, ImVec2 at, const MathInk& ink,
               std::string_view markup);
void draw_math(ImDrawList& list, const Fonts& fonts, MathType type, ImVec2 at, ImU32 colour, std::string_view markup);
/// The stage whose symbol, drawn so, is at `point`.
std::optional<Stage> math_stage_at(const Fonts& fonts, MathType type, ImVec2 at, std::string_view markup, ImVec2 point);
/// What it takes: a line without fractions is as high as its full-size letters.
ImVec2 math_size(const Fonts& fonts, MathType type, std::string_view markup);
/// The size of the smallest letters in it, as they are drawn.
float smallest_in_math(const Fonts& fonts, MathType type, std::string_view markup);
/// Broken into lines of at most `width`, at spaces outside of braces; one piece alone may be wider.
std::vector<std::string> math_lines(const Fonts& fonts, float pixels, std::string_view markup, float width);

}  // namespace headlight
