#include "core/scenario/model_config.h"

#include <cstdlib>
#include <fstream>

#include <nlohmann/json.hpp>

#include "core/text/json_depth.h"

namespace headlight {
namespace {

using nlohmann::json;

json whole_config(const std::filesystem::path& tensors) {
  const std::filesystem::path path = config_path(tensors);
  constexpr std::uintmax_t most = 1 << 20;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) > most) return {};
  std::ifstream stream(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (nested_deeper_than(text, deepest_json)) return {};
  json config = json::parse(text, nullptr, false);
  if (!config.is_object()) return {};
  if (path.filename() == "params.json") config["model_type"] = "meta_llama";
  return config;
}

/// "vision" or "audio" for a layer of such a tower, else "".
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
    // A config.json of the tower alone says no vocabulary.
    const bool other = config.contains("vocab_size") || config.contains("text_config");
    return other ? json() : config;
  }
  json part = *found;
  // Under the name of the whole model it would be taken for the language model.
  if (!part.contains("model_type") || part["model_type"] == type) part["model_type"] = type + "_" + tower;
  return part;
}

}  // namespace

std::filesystem::path config_path(const std::filesystem::path& tensors) {
  const std::filesystem::path folder = tensors.parent_path();
  std::error_code error;
  const bool of_meta = !std::filesystem::exists(folder / "config.json", error) &&
                       std::filesystem::is_regular_file(folder / "params.json", error);
  return folder / (of_meta ? "params.json" : "config.json");
}

json config_beside(const std::filesystem::path& tensors, const std::string& layer) {
  json config = whole_config(tensors);
  if (!config.is_object()) return {};
  if (const std::string tower = tower_of(layer); !tower.empty()) return tower_config(config, tower);
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

std::optional<ConfigNumber> config_number(const std::filesystem::path& tensors, const std::string& layer,
                                          std::initializer_list<const char*> names) {
  const json config = config_beside(tensors, layer);
  if (!config.is_object()) return {};
  for (const char* name : names) {
    const auto found = config.find(name);
    if (found != config.end() && found->is_number()) return ConfigNumber{name, found->get<double>()};
    // Swin says a number for each of its stages, "encoder.layers.1.".
    const std::size_t stage = layer.find("layers.");
    if (found == config.end() || !found->is_array() || stage == std::string::npos) continue;
    const auto at = static_cast<std::size_t>(std::atoi(layer.c_str() + stage + 7));
    if (at < found->size() && (*found)[at].is_number()) return ConfigNumber{name, (*found)[at].get<double>()};
  }
  return {};
}

}  // namespace headlight
