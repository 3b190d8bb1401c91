#include "app/commands/view_options.h"

#include <utility>

#include "app/commands/settings_table.h"
#include "core/tensor/error.h"

namespace headlight {

PixelSize parse_size(const std::string& option, const std::string& text) {
  const std::size_t times = text.find('x');
  if (times == std::string::npos) {
    throw SettingError(option, "\"" + text + "\" is not a size", "expected WxH, such as 1600x900");
  }
  return {static_cast<int>(parse_whole(option, text.substr(0, times), 1, 16384)),
          static_cast<int>(parse_whole(option, text.substr(times + 1), 1, 16384))};
}

PrintSize parse_print_size(const std::string& option, const std::string& text, std::optional<float> dpi) {
  for (const auto& [unit, per_inch] : {std::pair{"cm", 2.54F}, {"mm", 25.4F}, {"in", 1.0F}}) {
    if (!text.ends_with(unit)) continue;
    const std::string lengths = text.substr(0, text.size() - 2);
    const std::size_t times = lengths.find('x');
    if (times == std::string::npos) {
      throw SettingError(option, "\"" + text + "\" is not a size", "expected WxH, such as 8x6cm");
    }
    const float units = units_per_inch / per_inch;
    return {parse_number(option, lengths.substr(0, times)) * units,
            parse_number(option, lengths.substr(times + 1)) * units, dpi.value_or(300) / units_per_inch};
  }
  const PixelSize pixels = parse_size(option, text);
  const float scale = dpi.value_or(units_per_inch) / units_per_inch;
  return {static_cast<float>(pixels.width) / scale, static_cast<float>(pixels.height) / scale, scale};
}

Theme parse_theme(const std::string& text) {
  if (text == "light") return Theme::light;
  if (text == "dark") return Theme::dark;
  throw SettingError("--theme", "\"" + text + "\" is not a theme", "expected light or dark");
}

}  // namespace headlight
