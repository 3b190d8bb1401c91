// config.json, which Hugging Face keeps beside a model's tensors: how many heads its layers have.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace headlight {

/// The config.json in the folder of `tensors`; null where there is none that is an object.
nlohmann::json config_beside(const std::filesystem::path& tensors);

/// The first of `names` that is a number in the config.json in the folder of `tensors`; nothing where there is none, or
/// no such file, or one that is no JSON object: it is a hint, and what it does not say is asked for.
struct ConfigNumber {
  std::string name;
  double value = 0;
};
std::optional<ConfigNumber> config_number(const std::filesystem::path& tensors,
                                          std::initializer_list<const char*> names);

}  // namespace headlight
