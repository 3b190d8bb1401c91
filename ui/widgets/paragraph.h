// Text in lines, as English and Chinese break them: at spaces and between Chinese characters, but never before a
// closing mark or after an opening one (ImGui wraps at spaces alone).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "ui/look/fonts.h"

namespace headlight {

/// The first UTF-8 character of a text that is not empty.
std::string_view first_character(std::string_view text);
/// Whether a line may end between two neighbouring characters.
bool may_break_between(std::string_view before, std::string_view after);

/// The same lines as text; where there may be only so many, the last takes what is left, ended by "…".
std::vector<std::string> paragraph_lines(const Fonts& fonts, Face face, float pixels, std::string_view text,
                                         float width, std::size_t most = std::string_view::npos);

/// Draws lines of at most `width` pixels, the first with its top left corner at `at`; gives the height of all. Without
/// a list it only measures. A word wider than a line has one of its own.
float draw_paragraph(ImDrawList* list, const Fonts& fonts, Face face, float pixels, ImVec2 at, ImU32 colour,
                     std::string_view text, float width);

}  // namespace headlight
