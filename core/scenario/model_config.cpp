#include "core/scenario/model_config.h"

#include <fstream>

#include <nlohmann/json.hpp>

namespace headlight {

std::optional<ConfigNumber> config_number(const std::filesystem::path& tensors,
                                          std::initializer_list<const char*> names) {
  const std::filesystem::path path = tensors.parent_path() / "config.json";
  constexpr std::uintmax_t most = 1 << 20;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) > most) return {};
  std::ifstream stream(path, std::ios::binary);
  const auto config = nlohmann::json::parse(stream, nullptr, false);
  if (!config.is_object()) return {};
  for (const char* name : names) {
    const auto found = config.find(name);
    if (found != config.end() && found->is_number()) return ConfigNumber{name, found->get<double>()};
  }
  return {};
}

}  // namespace headlight
