// What config.json beside a file says about one layer.
#include <cstdlib>

#include <nlohmann/json.hpp>

#include "core/scenario/inputs/file_source.h"

namespace headlight {
namespace {

using nlohmann::json;

/// "vision" or "audio" if the layer is in such a tower, else "".
std::string tower_of(const std::string& layer) {
  for (std::size_t at = 0; at < layer.size();) {
    const std::size_t end = std::min(layer.find('.', at), layer.size());
    const std::string part = layer.substr(at, end - at);
    if (part.find("vision") != std::string::npos || part.starts_with("visual") || part == "vpm" || part == "vit" ||
        part == "image_encoder")
      return "vision";
    if (part.find("audio") != std::string::npos) return "audio";
    at = end + 1;
  }
  return {};
}

json tower_config(const json& config, const std::string& tower) {
  const std::string type =
      config.value("model_type", json()).is_string() ? config["model_type"].get<std::string>() : "";
  const auto found = config.find(tower + "_config");
  if (found == config.end() || !found->is_object()) {
    // A config.json of the tower alone has no vocabulary.
    const bool other = config.contains("vocab_size") || config.contains("text_config");
    return other ? json() : config;
  }
  json part = *found;
  // With the name of the whole model it would be read as the language model.
  if (!part.contains("model_type") || part["model_type"] == type) part["model_type"] = type + "_" + tower;
  return part;
}

}  // namespace

json config_of_layer(const json& whole, const std::string& layer) {
  if (!whole.is_object()) return {};
  if (const std::string tower = tower_of(layer); !tower.empty()) return tower_config(whole, tower);
  json config = whole;
  for (const char* part : {"text_config", "llm_config", "language_config", "thinker_config"}) {
    const auto found = config.find(part);
    if (found == config.end() || !found->is_object()) continue;
    const json inner = *found;
    config.update(inner);
    return config;
  }
  for (const std::string side : {"encoder", "decoder"}) {
    const auto found = config.find(side);
    if (found != config.end() && found->is_object() && layer.starts_with(side + ".")) return *found;
  }
  return config;
}

std::optional<FileReading::Number> FileReading::config_number(std::initializer_list<const char*> names) const {
  const json& config = layer_config();
  if (!config.is_object()) return {};
  for (const char* name : names) {
    const auto found = config.find(name);
    if (found != config.end() && found->is_number()) return Number{name, found->get<double>()};
    if (found != config.end() && found->is_boolean()) return Number{name, *found == true ? 1.0 : 0.0};
    // Swin has a number for each of its stages, "encoder.layers.1.".
    const std::size_t stage = attention.prefix.find("layers.");
    if (found == config.end() || !found->is_array() || stage == std::string::npos) continue;
    const auto at = static_cast<std::size_t>(std::atoi(attention.prefix.c_str() + stage + 7));
    if (at < found->size() && (*found)[at].is_number()) return Number{name, (*found)[at].get<double>()};
  }
  return {};
}

const json& FileReading::layer_config() const {
  if (!found->config) found->config = std::make_shared<const json>(config_of_layer(*file.config(), attention.prefix));
  return *found->config;
}

std::string FileReading::config_name() const { return utf8_from(file.config_path().filename()); }

}  // namespace headlight
