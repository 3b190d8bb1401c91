#include "core/scenario/model_config.h"

#include <fstream>

#include <nlohmann/json.hpp>

#include "core/text/json_depth.h"

namespace headlight {

nlohmann::json config_beside(const std::filesystem::path& tensors) {
  const std::filesystem::path path = tensors.parent_path() / "config.json";
  constexpr std::uintmax_t most = 1 << 20;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) > most) return {};
  std::ifstream stream(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (nested_deeper_than(text, deepest_json)) return {};
  nlohmann::json config = nlohmann::json::parse(text, nullptr, false);
  return config.is_object() ? config : nlohmann::json();
}

std::optional<ConfigNumber> config_number(const std::filesystem::path& tensors,
                                          std::initializer_list<const char*> names) {
  const nlohmann::json config = config_beside(tensors);
  if (!config.is_object()) return {};
  for (const char* name : names) {
    const auto found = config.find(name);
    if (found != config.end() && found->is_number()) return ConfigNumber{name, found->get<double>()};
  }
  return {};
}

}  // namespace headlight
