// Typeset formulas: markup (core/teaching/explain/math_markup.h) with fractions, roots, subscripts and superscripts, in
// the serif italic face.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "core/rules/stage/stage.h"
#include "ui/base/look/fonts.h"
#include "ui/base/look/look.h"
#include "ui/base/look/words.h"

namespace headlight {

/// The size of a formula.
struct MathType {
  float pixels = 0;  ///< of full-size letters
  float least = 0;   ///< minimum size of any letter; 0: subscripts as small as can be read up close
  // Implicit, since most callers give one size only.
  MathType(float full, float smallest = 0) : pixels(full), least(smallest) {}
};

/// The colours of a formula.
struct MathInk {
  ImU32 colour = 0;
  const Look* lanes = nullptr;  ///< if set, a stage's symbols have its lane's colour
  std::optional<Stage> lit;     ///< the stage whose symbols are highlighted
};

/// Draws with the top left corner at `at`.
void draw_math(ImDrawList& list, const Fonts& fonts, MathType type, ImVec2 at, const MathInk& ink,
               std::string_view markup);
void draw_math(ImDrawList& list, const Fonts& fonts, MathType type, ImVec2 at, ImU32 colour, std::string_view markup);
/// The stage whose symbol is at `point` of a formula drawn at `at`.
std::optional<Stage> math_stage_at(const Fonts& fonts, MathType type, ImVec2 at, std::string_view markup, ImVec2 point);
/// Its size; a line without fractions is as high as its full-size letters.
ImVec2 math_size(const Fonts& fonts, MathType type, std::string_view markup);
/// The size of its smallest letters.
float smallest_in_math(const Fonts& fonts, MathType type, std::string_view markup);
/// Broken at spaces outside braces into lines of at most `width`; a single piece may be wider.
std::vector<std::string> math_lines(const Fonts& fonts, float pixels, std::string_view markup, float width);

/// For core/teaching/explain: "s where m, else −∞", "… 13 more: 0.84".
std::string formula_in_words(const Words& words, std::string markup);
/// A stage's formula; valid as long as `words`.
std::string_view stage_formula(const Words& words, Stage stage);

}  // namespace headlight
