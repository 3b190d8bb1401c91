// Text in lines, for pages of paper.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "core/figure/typesetter.h"

namespace headlight {

/// Lines of at most `width`: broken at blanks, and anywhere within Chinese.
std::vector<std::string> broken_lines(const std::string& text, float size, float width, Typesetter& typesetter,
                                      FontRole role = FontRole::text);

/// "page {0} of {1}" with numbers in their places.
std::string filled(std::string pattern, std::initializer_list<int> numbers);

}  // namespace headlight
