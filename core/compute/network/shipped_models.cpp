#include "core/compute/network/shipped_models.h"

#include <algorithm>
#include <fstream>

#include "core/base/assets/assets.h"
#include "core/base/files/error_place.h"
#include "core/base/text/unicode.h"
#include "core/base/text/utf8_path.h"
#include "core/models/architecture/model_folder.h"

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
    json.at("vocabulary").get_to(model.vocabulary);
    model.perplexity = json.value("perplexity", 0.0);
    model.language = json.value("language", std::string());
    const auto& opens = json.at("opens");
    opens.at("layer").get_to(model.opens.layer);
    opens.at("head").get_to(model.opens.head);
    opens.at("query").get_to(model.opens.query);
    opens.at("key").get_to(model.opens.key);
    json.at("examples").get_to(model.examples);
    for (const auto& item : json.at("claims")) {
      HeadClaim& claim = model.claims.emplace_back();
      const auto& layer = item.at("layer");
      claim.layer = layer.is_string() ? layer.get<std::string>() : std::to_string(layer.get<Index>());
      item.at("head").get_to(claim.head);
      item.at("does").get_to(claim.does);
      if (item.contains("brief")) item.at("brief").get_to(claim.brief);
      claim.measured = item.at("measured");
      if (!item.contains("rests")) continue;
      item.at("rests").at("on").get_to(claim.rests_on);
      item.at("rests").at("share").get_to(claim.rests);
    }
    return model;
  } catch (const nlohmann::ordered_json::exception& error) {
    place.fail(Message("is no description of a model: {0}", std::string(error.what())),
               "id, title, task, layers, heads, vocabulary, accuracy, examples, opens, claims");
  }
}

}  // namespace

std::vector<ShippedModel> shipped_models() {
  std::vector<ShippedModel> models;
  for (const auto& entry : std::filesystem::directory_iterator(asset("models"))) {
    if (std::filesystem::is_regular_file(entry.path() / "model.json"))
      models.push_back(read_model(entry.path() / "model.json"));
  }
  std::ranges::sort(models, {}, [](const ShippedModel& model) { return std::pair(model.language != "en", model.id); });
  return models;
}

void read_first_example(const ShippedModel& model, Scenario& scenario) {
  const std::string& first = model.examples.front();
  (first.starts_with(shipped_model_prefix) ? scenario.image : scenario.text) = first;
}

Lesson opening_of(const ShippedModel& model) {
  Lesson opened;
  opened.title = model.title;
  opened.description = model.task;
  opened.scenario.source = Source::file;
  opened.scenario.file = shipped_model_prefix + model.id;
  opened.scenario.layer = model.opens.layer;
  read_first_example(model, opened.scenario);
  opened.view = "select=" + cell_text({Stage::weights, 0, model.opens.head, model.opens.query, model.opens.key});
  return opened;
}

std::optional<Lesson> trained_document(const std::string& language) {
  const std::vector<ShippedModel> models = shipped_models();
  auto found = std::ranges::find(models, language, &ShippedModel::language);
  if (language.empty() || found == models.end()) found = std::ranges::find(models, "en", &ShippedModel::language);
  return found == models.end() ? std::nullopt : std::optional(opening_of(*found));
}

std::string model_of_script(const std::string& file, std::string_view text) {
  Index ideographs = 0, others = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_character(text, at);
    if (is_ideograph(c)) ++ideographs;
    else if (is_letter(c)) ++others;
  }
  if (ideographs == 0 && others == 0) return {};
  const std::string language = ideographs > 0 ? "zh" : "en";
  const std::vector<ShippedModel> models = shipped_models();
  const auto is_file = [&](const ShippedModel& model) { return shipped_model_prefix + model.id == file; };
  const auto now = std::ranges::find_if(models, is_file);
  const auto other = std::ranges::find(models, language, &ShippedModel::language);
  if (now == models.end() || now->language.empty() || other == models.end() || now == other) return {};
  return shipped_model_prefix + other->id;
}

}  // namespace headlight
