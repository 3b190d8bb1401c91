// A style in a file: the options of a figure that say how it looks.
#include <algorithm>
#include <filesystem>
#include <iterator>

#include <nlohmann/json.hpp>

#include "core/base/files/error_place.h"
#include "core/base/files/load_budget.h"
#include "core/base/tensor/error.h"
#include "core/base/text/utf8_path.h"
#include "core/figures/export/export_options.h"

namespace headlight {

void apply_style_file(ExportOptions& options, const std::string& path) {
  constexpr std::string_view not_style[] = {"stage", "batch", "head", "rows", "cols",   "kind",
                                            "style", "over",  "by",   "fuse", "discard"};
  std::error_code error;
  if (!std::filesystem::is_regular_file(path_from(path), error)) {
    throw SettingError("--style", Message("{0} is no style and no file that can be read", in_quotes(path)),
                       "expected light, dark, print or a JSON file");
  }
  const nlohmann::json style = read_json_object(path_from(path), "a style, such as {\"font-size\": 7}", 1 << 20);
  for (const auto& [key, value] : style.items()) {
    const auto all = all_export_options();
    const std::string option = "--" + key;
    const auto found = std::ranges::find(all, option, &ExportOption::option);
    const bool is_style = std::ranges::find(not_style, key) == std::end(not_style);
    if (found == all.end() || !is_style) {
      throw FileError(path, Message("{0} is nothing that a style says", in_quotes(key)),
                      "expected options of a figure, such as font, font-size, norm or colormap");
    }
    const bool is_switch = found->operand.empty();
    if (is_switch && !value.is_boolean())
      throw FileError(path, Message("\"{0}\" is on or off", key), "expected true or false");
    if (value.is_boolean() && !is_switch)
      throw FileError(path, Message("\"{0}\" takes {1}", key, std::string(found->operand)),
                      "expected a text or a number");
    if (is_switch && !value.get<bool>()) continue;
    found->apply(options, found->option, value.is_string() ? value.get<std::string>() : value.dump());
  }
}

}  // namespace headlight
