// What config.json (Hugging Face) or params.json (Meta) beside a model's tensors says of one layer.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace headlight {

/// config.json in the folder of `tensors`; params.json if there is only that.
std::filesystem::path config_path(const std::filesystem::path& tensors);

/// The part of config.json that concerns the layer with this prefix: vision_config or audio_config for a layer of such
/// a tower, text_config for another, else all of it. Null if there is no such file or part, or if it is no object.
nlohmann::json config_beside(const std::filesystem::path& tensors, const std::string& layer);

/// The first of `names` that has a number there. Only a hint: if it is missing, the user is asked.
struct ConfigNumber {
  std::string name;
  double value = 0;
};
std::optional<ConfigNumber> config_number(const std::filesystem::path& tensors, const std::string& layer,
                                          std::initializer_list<const char*> names);

}  // namespace headlight
