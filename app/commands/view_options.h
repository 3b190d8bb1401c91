// The settings of the command line that are about looking, not about numbers.
#pragma once

#include <string>

#include "core/figure/theme.h"

namespace headlight {

struct PixelSize {
  int width = 0, height = 0;
};

// Both throw SettingError.

/// "1600x900"
PixelSize parse_size(const std::string& option, const std::string& text);
/// "light" or "dark"
Theme parse_theme(const std::string& text);

}  // namespace headlight
