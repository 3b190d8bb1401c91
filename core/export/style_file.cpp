#include "core/export/style_file.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "core/scenario/tensor_file.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

constexpr std::string_view not_style[] = {"stage", "batch", "head", "rows", "cols", "kind", "style"};

nlohmann::json read_object(const std::string& path) {
  std::ifstream stream(path_from(path), std::ios::binary);
  if (!stream) throw SettingError("--style", "\"" + path + "\" is no style and no file that can be read", "expected light, dark, print or a JSON file");
  nlohmann::json json = nlohmann::json::parse(stream, nullptr, false);
  if (!json.is_object()) throw FileError(path, "is no JSON object", "expected a style, such as {\"font-size\": 7}");
  return json;
}

}  // namespace

void apply_style_file(ExportOptions& options, const std::string& path) {
  for (const auto& [key, value] : read_object(path).items()) {
    const auto all = all_export_options();
    const auto found = std::find_if(all.begin(), all.end(), [&](const ExportOption& o) { return o.option == "--" + key; });
    const bool is_style = std::find(std::begin(not_style), std::end(not_style), key) == std::end(not_style);
    if (found == all.end() || !is_style) {
      throw FileError(path, "\"" + key + "\" is nothing that a style says", "expected options of a figure, such as font, font-size, norm or colormap");
    }
    const bool is_switch = found->operand.empty();
    if (is_switch && !value.is_boolean()) throw FileError(path, "\"" + key + "\" is on or off", "expected true or false");
    if (value.is_boolean() && !is_switch) throw FileError(path, "\"" + key + "\" takes " + std::string(found->operand), "expected a text or a number");
    if (is_switch && !value.get<bool>()) continue;
    found->apply(options, found->option, value.is_string() ? value.get<std::string>() : value.dump());
  }
}

}  // namespace headlight
