// Numbers for people.
#pragma once

#include <string>

namespace headlight {

/// Real minus signs, no more digits than asked for; what is too small or large for them with an exponent.
std::string number_text(float value, int digits);

/// An end of a colour bar: two or three digits.
std::string bound_text(float value);

/// A count with its thousands apart: "1,048,576".
std::string grouped(long long count);

}  // namespace headlight
