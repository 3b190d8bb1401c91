// Mathematics in a line: "softmax(Q_{2} K_{2}^T / √d_{head})" with real sub- and superscripts.
//
// Markup: _{...} lowers, ^{...} raises, ^T is ᵀ as a raised upright T; everything else stands as written. Letters are set in the serif
// italic face, digits and words of more than one letter upright.
#pragma once

#include <string_view>

#include <imgui.h>

#include "ui/look/fonts.h"

namespace headlight {

/// Draws with the top left corner at `at`; `pixels` is the size of the full-size letters.
void draw_math(ImDrawList& list, const Fonts& fonts, float pixels, ImVec2 at, ImU32 colour, std::string_view markup);
ImVec2 math_size(const Fonts& fonts, float pixels, std::string_view markup);

}  // namespace headlight
