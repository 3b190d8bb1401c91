// Text in lines, for pages of paper.
#pragma once

#include <string>
#include <vector>

#include "core/figure/typesetter.h"

namespace headlight {

/// Lines of at most `width`: broken at blanks, and anywhere within Chinese.
std::vector<std::string> broken_lines(const std::string& text, float size, float width, Typesetter& typesetter, FontRole role = FontRole::text);

}  // namespace headlight
