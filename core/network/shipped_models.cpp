#include "core/network/shipped_models.h"

#include <algorithm>
#include <fstream>

#include "core/assets/assets.h"
#include "core/files/error_place.h"
#include "core/text/utf8_path.h"

namespace headlight {
namespace {

ShippedModel read_model(const std::filesystem::path& path) {
  const ErrorPlace place{utf8_from(path)};
  std::ifstream stream(path, std::ios::binary);
  try {
    const auto json = nlohmann::ordered_json::parse(stream);
    ShippedModel model;
    model.folder = path.parent_path();
    json.at("id").get_to(model.id);
    json.at("title").get_to(model.title);
    json.at("task").get_to(model.task);
    json.at("layers").get_to(model.layers);
    json.at("heads").get_to(model.heads);
    json.at("accuracy").get_to(model.accuracy);
    json.at("examples").get_to(model.examples);
    for (const auto& item : json.at("claims")) {
      HeadClaim& claim = model.claims.emplace_back();
      const auto& layer = item.at("layer");
      claim.layer = layer.is_string() ? layer.get<std::string>() : std::to_string(layer.get<Index>());
      item.at("head").get_to(claim.head);
      item.at("does").get_to(claim.does);
      claim.measured = item.at("measured");
    }
    return model;
  } catch (const nlohmann::ordered_json::exception& error) {
    place.fail(std::string("is no description of a model: ") + error.what(),
               "id, title, task, layers, heads, accuracy, examples, claims");
  }
}

}  // namespace

std::vector<ShippedModel> shipped_models() {
  std::vector<ShippedModel> models;
  for (const auto& entry : std::filesystem::directory_iterator(asset("models"))) {
    if (std::filesystem::is_regular_file(entry.path() / "model.json"))
      models.push_back(read_model(entry.path() / "model.json"));
  }
  std::ranges::sort(models, {}, [](const ShippedModel& model) { return std::pair(model.id != "sentences", model.id); });
  return models;
}

}  // namespace headlight
