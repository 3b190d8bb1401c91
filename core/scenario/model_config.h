// config.json, which Hugging Face keeps beside a model's tensors, or Meta's params.json: what it says of one layer.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace headlight {

/// config.json in the folder of `tensors`; params.json where only that is there.
std::filesystem::path config_path(const std::filesystem::path& tensors);

/// What the config.json in the folder of `tensors` says of the layer whose arrays' names begin with `layer`: its
/// vision_config or audio_config for a layer of such a tower, its text_config for another, else all of it. Null where
/// there is no such file or part, or none that is an object.
nlohmann::json config_beside(const std::filesystem::path& tensors, const std::string& layer);

/// The first of `names` that is a number there: a hint, and what it does not say is asked for.
struct ConfigNumber {
  std::string name;
  double value = 0;
};
std::optional<ConfigNumber> config_number(const std::filesystem::path& tensors, const std::string& layer,
                                          std::initializer_list<const char*> names);

}  // namespace headlight
