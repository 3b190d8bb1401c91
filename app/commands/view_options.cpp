#include "app/commands/view_options.h"

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

Theme parse_theme(const std::string& text) {
  if (text == "light") return Theme::light;
  if (text == "dark") return Theme::dark;
  throw SettingError("--theme", "\"" + text + "\" is not a theme", "expected light or dark");
}

}  // namespace headlight
