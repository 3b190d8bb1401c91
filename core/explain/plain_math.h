// Math markup as a line of plain text, for terminals: "\frac{s_{2,3}}{\sqrt{d}}" becomes "s[2,3] / √d".
#pragma once

#include <string>
#include <string_view>

namespace headlight {

/// Numbered subscripts go into brackets, other scripts keep their mark ("W^q"), fractions and roots get the parentheses
/// they need. Takes any text.
std::string plain_math(std::string_view markup);

}  // namespace headlight
