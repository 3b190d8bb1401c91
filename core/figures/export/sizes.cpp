#include <string_view>
#include <utility>

#include "core/base/tensor/error.h"
#include "core/figures/export/export_options.h"
#include "core/scenario/inputs/scenario_rules.h"
#include "core/scenario/settings/settings_table.h"

namespace headlight {
namespace {

constexpr const char* suffixes[] = {"", "cm", "mm", "in"};
constexpr std::pair<const char*, float> named_widths[] = {{"column", 3.5F}, {"page", 7.2F}};  // in inches, of a journal
constexpr float per_inch[] = {units_per_inch, 2.54F, 25.4F, 1.0F};

[[noreturn]] void no_size(const std::string& option, const std::string& text, const char* expected) {
  throw SettingError(option, Message("\"{0}\" is not a size", text), expected);
}

}  // namespace

PixelSize parse_size(const std::string& option, const std::string& text) {
  const std::size_t times = text.find('x');
  if (times == std::string::npos) no_size(option, text, "expected WxH, such as 1600x900");
  return {static_cast<int>(parse_whole(option, text.substr(0, times), 1, 16384)),
          static_cast<int>(parse_whole(option, text.substr(times + 1), 1, 16384))};
}

WantedSize parse_wanted_size(const std::string& option, const std::string& text) {
  for (const auto& [name, inches] : named_widths) {
    if (text == name) return {inches, 0, LengthUnit::in};
    if (!text.starts_with(std::string(name) + "x")) continue;
    const WantedSize high = parse_wanted_size(option, "1" + text.substr(std::string_view(name).size()));
    if (high.unit == LengthUnit::px) break;
    return {inches * per_inch[static_cast<int>(high.unit)], high.height, high.unit};
  }
  for (const LengthUnit unit : {LengthUnit::cm, LengthUnit::mm, LengthUnit::in}) {
    if (!text.ends_with(suffixes[static_cast<int>(unit)])) continue;
    const std::string lengths = text.substr(0, text.size() - 2);
    const std::size_t times = lengths.find('x');
    const auto length = [&](const std::string& number) {
      const float value = number.empty() ? 0 : parse_number(option, number);
      if (!(value > 0)) no_size(option, text, "expected lengths above zero, such as 8x6cm");
      return value;
    };
    if (times == std::string::npos) return {length(lengths), 0, unit};
    return {length(lengths.substr(0, times)), length(lengths.substr(times + 1)), unit};
  }
  const bool is_pixels =
      text.find('x') != std::string::npos && text.find_first_not_of("0123456789x") == std::string::npos;
  if (!is_pixels)
    no_size(option, text,
            "expected WxH in pixels, such as 640x480, or a length in cm, mm or in, such as 3.3in or 8x6cm");
  const PixelSize pixels = parse_size(option, text);
  return {static_cast<float>(pixels.width), static_cast<float>(pixels.height), LengthUnit::px};
}

std::string to_text(const WantedSize& size) {
  if (size.height == 0 && size.unit == LengthUnit::in) {
    for (const auto& [name, inches] : named_widths) {
      if (size.width == inches) return name;
    }
  }
  return shortest(size.width) + (size.height == 0 ? "" : "x" + shortest(size.height)) +
         suffixes[static_cast<int>(size.unit)];
}

PrintSize print_size(const WantedSize& size, std::optional<float> dpi) {
  if (size.unit == LengthUnit::px) {
    const float scale = dpi.value_or(units_per_inch) / units_per_inch;
    return {size.width / scale, size.height / scale, scale};
  }
  const float units = units_per_inch / per_inch[static_cast<int>(size.unit)];
  return {size.width * units, size.height * units, dpi.value_or(300) / units_per_inch};
}

Theme parse_theme(const std::string& text) {
  if (text == "light") return Theme::light;
  if (text == "dark") return Theme::dark;
  throw SettingError("--theme", Message("\"{0}\" is not a theme", text), "expected light or dark");
}

}  // namespace headlight
