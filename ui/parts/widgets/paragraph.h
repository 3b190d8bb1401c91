// Line breaking for English and Chinese: at spaces and between Chinese characters, but never before a closing mark or
// after an opening one (ImGui breaks at spaces only).
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "ui/base/look/fonts.h"

namespace headlight {

/// The first UTF-8 character of a non-empty text.
std::string_view first_character(std::string_view text);
/// Whether a line may end between two characters.
bool may_break_between(std::string_view before, std::string_view after);

/// The lines as text. With at most `most` lines, the last one is cut and ended by "…".
std::vector<std::string> paragraph_lines(const Fonts& fonts, Face face, float pixels, std::string_view text,
                                         float width, std::size_t most = std::string_view::npos);

/// The lines of the first of these texts that fits into `most` lines without being cut; empty if none does.
std::vector<std::string> whole_lines(const Fonts& fonts, Face face, float pixels,
                                     std::initializer_list<std::string_view> texts, float width, std::size_t most);

/// Draws lines of at most `width` pixels, with the top left corner at `at`; returns their height. Without a list it
/// only measures. A longer word gets a line of its own.
float draw_paragraph(ImDrawList* list, const Fonts& fonts, Face face, float pixels, ImVec2 at, ImU32 colour,
                     std::string_view text, float width);

}  // namespace headlight
