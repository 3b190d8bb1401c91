// The settings of the command line that are about looking, not about numbers.
#pragma once

#include <optional>
#include <string>

#include "core/figure/theme.h"

namespace headlight {

struct PixelSize {
  int width = 0, height = 0;
};

// Both throw SettingError.

/// "1600x900"
PixelSize parse_size(const std::string& option, const std::string& text);
/// A figure's size in units of 1/96 inch, and the pixels to a unit.
struct PrintSize {
  float width = 0, height = 0, scale = 1;
};
inline constexpr float units_per_inch = 96;

/// "1600x900" in pixels, "8x6cm", "80x60mm" or "3.5x2.5in" at `dpi`: unset, 300 for lengths and 96 for pixels.
PrintSize parse_print_size(const std::string& option, const std::string& text, std::optional<float> dpi);
/// "light" or "dark"
Theme parse_theme(const std::string& text);

}  // namespace headlight
