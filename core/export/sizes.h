// Sizes and themes as they are written on the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/image/theme.h"

namespace headlight {

struct PixelSize {
  int width = 0, height = 0;
};
/// "1600x900". Throws SettingError.
PixelSize parse_size(const std::string& option, const std::string& text);

enum class LengthUnit : std::uint8_t { px, cm, mm, in };

/// A figure's size as a person says it.
struct WantedSize {
  float width = 0, height = 0;  ///< a height of 0: as much as the width asks for
  LengthUnit unit = LengthUnit::px;
  bool operator==(const WantedSize&) const = default;
};
/// "1600x900" in pixels, "8x6cm", "80x60mm", "3.5x2.5in"; "8cm" or a journal's "column" and "page" for a width alone,
/// "columnx5cm". Throws SettingError.
WantedSize parse_wanted_size(const std::string& option, const std::string& text);
std::string to_text(const WantedSize& size);

inline constexpr float units_per_inch = 96;

/// The same in units of 1/96 inch, and the pixels to a unit.
struct PrintSize {
  float width = 0, height = 0, scale = 1;
};
/// At `dpi`: unset, 300 for lengths and 96 for pixels.
PrintSize print_size(const WantedSize& size, std::optional<float> dpi);

/// "light" or "dark". Throws SettingError.
Theme parse_theme(const std::string& text);

}  // namespace headlight
