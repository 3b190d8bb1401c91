// Numbers as text.
#pragma once

#include <string>

namespace headlight {

/// With a real minus sign and at most `digits` significant digits; very small or large values with an exponent.
std::string number_text(float value, int digits);

/// The end of a colour bar: two or three digits.
std::string bound_text(float value);

/// With thousands separators: "1,048,576".
std::string grouped(long long count);

}  // namespace headlight
