// Numbers as text.
#pragma once

#include <string>

namespace headlight {

/// The shortest decimal that reads back as the same number; "inf", "-inf", "nan". Independent of the locale.
std::string shortest(float value);
std::string shortest(double value);

}  // namespace headlight
