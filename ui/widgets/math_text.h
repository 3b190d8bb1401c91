// Mathematics set as such: "s = \frac{q_{2}·k_{3}}{\sqrt{d_{head}}}" with a real fraction, root, sub- and superscripts.
//
// Markup: _{...} lowers, ^{...} raises (both on one letter stand over one another), \frac{over}{under}, \sqrt{...};
// everything else stands as written. They nest. All of it is set in the serif italic face.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "ui/look/fonts.h"

namespace headlight {

/// Draws with the top left corner at `at`; `pixels` is the size of the full-size letters.
void draw_math(ImDrawList& list, const Fonts& fonts, float pixels, ImVec2 at, ImU32 colour, std::string_view markup);
/// What it takes: a line without fractions is `pixels` high.
ImVec2 math_size(const Fonts& fonts, float pixels, std::string_view markup);
/// Broken into lines of at most `width`, at spaces outside of braces; one piece alone may be wider.
std::vector<std::string> math_lines(const Fonts& fonts, float pixels, std::string_view markup, float width);

}  // namespace headlight
