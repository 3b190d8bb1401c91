// A number as people type it.
#pragma once

#include <optional>
#include <string>

namespace headlight {

/// "0.5", "−1,5", "+2", "50 %" and "1e-3"; unset if the text is not a finite number, and nothing else.
std::optional<double> typed_number(std::string text);

}  // namespace headlight
