#include "ui/session/recovery.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/scenario/scenario_json.h"
#include "core/tensor/error.h"
#include "core/text/utf8_path.h"
#include "ui/document/saved_view.h"

namespace headlight {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t undo_bytes = 4u << 20;

/// The next start may be in another folder.
Json scenario_json(Scenario scenario) {
  for (std::string* file : {&scenario.file, &scenario.mask_file}) {
    std::error_code error;
    const auto whole = std::filesystem::absolute(path_from(*file), error);
    if (!file->empty() && !error) *file = utf8_from(whole.lexically_normal());
  }
  return Json::parse(to_json(scenario));
}

Json origin_json(const Origin& origin) {
  Json json{{"lesson", origin.lesson.id}, {"file", origin.lesson.file}, {"saved", scenario_json(origin.saved)}};
  if (!origin.lesson.title.empty()) json["title"] = origin.lesson.title;
  if (!origin.lesson.description.empty()) json["description"] = origin.lesson.description;
  if (!(origin.lesson.scenario == origin.saved)) json["began"] = scenario_json(origin.lesson.scenario);
  return json;
}

Json past_json(const std::vector<Past>& all) {
  Json list = Json::array();
  std::size_t bytes = 0;
  for (auto past = all.rbegin(); past != all.rend(); ++past) {  // the newest count
    Json step{{"scenario", scenario_json(past->scenario)}};
    if (past->origin) step["origin"] = origin_json(*past->origin);
    bytes += step.dump().size();
    if (bytes > undo_bytes) break;
    list.push_back(std::move(step));
  }
  return list;
}

Json cell_json(const Cell& cell) {
  return Json::array({std::string(name(cell.stage)), cell.batch, cell.head, cell.row, cell.col});
}

Json view_json(const View& view) {
  Json json{{"view", view_text(view_address(view))},
            {"theme", static_cast<int>(view.theme)},
            {"language", view.language},
            {"colormap", view.colormap},
            {"range", static_cast<int>(view.range.mode)},
            {"lo", view.range.fixed.lo},
            {"hi", view.range.fixed.hi},
            {"batch", view.batch},
            {"head", view.head},
            {"way", static_cast<int>(view.way)},
            {"camera", {view.camera.zoom, view.camera.x, view.camera.y}},
            {"heads", std::string(name(view.heads.stage))}};
  if (view.selected) json["selected"] = cell_json(*view.selected);
  json["level"] = level_text(level_address(view));
  if (view.looking.query) json["query"] = *view.looking.query;
  if (view.looking.key) json["key"] = *view.looking.key;
  if (view.step) json["step"] = *view.step;
  if (view.packed) json["packed"] = *view.packed;
  if (view.mask_draft) json["mask_draft"] = *view.mask_draft;
  return json;
}

class Reader {
 public:
  explicit Reader(std::string subject) : subject_(std::move(subject)) {}

  Scenario scenario(const Json& json) const { return parse_scenario(json.dump(), subject_); }

  Origin origin(const Json& json) const {
    Origin origin;
    origin.lesson.id = json.at("lesson").get<std::string>();
    origin.lesson.file = json.at("file").get<std::string>();
    if (json.contains("title")) origin.lesson.title = json["title"].get<std::map<std::string, std::string>>();
    if (json.contains("description"))
      origin.lesson.description = json["description"].get<std::map<std::string, std::string>>();
    origin.saved = scenario(json.at("saved"));
    origin.lesson.scenario = json.contains("began") ? scenario(json["began"]) : origin.saved;
    return origin;
  }

  std::vector<Past> past(const Json& json) const {
    std::vector<Past> all;
    for (const Json& step : json) {
      Past& one = all.emplace_back(Past{scenario(step.at("scenario"))});
      if (step.contains("origin")) one.origin = origin(step["origin"]);
    }
    std::reverse(all.begin(), all.end());
    return all;
  }

  template <typename Choice>
  static Choice choice(const Json& json, const char* key, Choice last) {
    const int value = json.at(key).get<int>();
    return value >= 0 && value <= static_cast<int>(last) ? static_cast<Choice>(value) : Choice{};
  }

  static View view(const Json& json) {
    View view;
    view = with_view(std::move(view), parse_view("view", json.at("view").get<std::string>()));
    view.theme = choice(json, "theme", Theme::dark);
    view.language = json.at("language").get<std::string>();
    view.colormap = json.at("colormap").get<std::string>();
    view.range.mode = choice(json, "range", RangeMode::fixed);
    view.range.fixed = {json.at("lo").get<float>(), json.at("hi").get<float>()};
    view.batch = json.at("batch").get<Index>();
    view.head = json.at("head").get<Index>();
    view.way = choice(json, "way", Way::outer);
    const Json& camera = json.at("camera");
    view.camera = {camera.at(0).get<float>(), camera.at(1).get<float>(), camera.at(2).get<float>()};
    view.heads.stage = stage_named(json.at("heads").get<std::string>()).value_or(Stage::weights);
    if (json.contains("selected")) {
      const Json& cell = json["selected"];
      const std::optional<Stage> stage = stage_named(cell.at(0).get<std::string>());
      if (stage)
        view.selected = Cell{*stage, cell.at(1).get<Index>(), cell.at(2).get<Index>(), cell.at(3).get<Index>(),
                             cell.at(4).get<Index>()};
    }
    const std::optional<Cell>& at = view.selected;
    if (at && (at->batch < 0 || at->head < 0 || at->row < 0 || at->col < 0)) view.selected.reset();
    if (json.contains("level"))
      view = with_level(std::move(view), parse_level("level", json["level"].get<std::string>()));
    if (json.contains("query")) view.looking.query = std::max<Index>(json["query"].get<Index>(), 0);
    if (json.contains("key")) view.looking.key = std::max<Index>(json["key"].get<Index>(), 0);
    if (json.contains("step")) view.step = std::max(json["step"].get<int>(), 0);
    if (json.contains("packed")) view.packed = json["packed"].get<bool>();
    if (json.contains("mask_draft")) view.mask_draft = json["mask_draft"].get<std::string>();
    view.looked = true;
    return view;
  }

 private:
  std::string subject_;
};

}  // namespace

std::string recovery_text(const Document& document) {
  const Json json{{"headlight", 1},
                  {"scenario", scenario_json(document.scenario)},
                  {"origin", origin_json(document.origin)},
                  {"view", view_json(document.view)},
                  {"undo", past_json(document.undo)},
                  {"redo", past_json(document.redo)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Document recovered_document(const std::string& text, const std::string& subject) {
  try {
    const Json json = Json::parse(text);
    const Reader reader(subject);
    Document document;
    document.scenario = reader.scenario(json.at("scenario"));
    document.origin = reader.origin(json.at("origin"));
    document.view = Reader::view(json.at("view"));
    document.undo = reader.past(json.at("undo"));
    document.redo = reader.past(json.at("redo"));
    return document;
  } catch (const nlohmann::json::exception& error) {
    throw FileError(subject, std::string("cannot be brought back (") + error.what() + ")",
                    "expected what a window of Headlight wrote there");
  }
}

bool is_worth_keeping(const Document& document) {
  return !(document.scenario == document.origin.saved) || !document.undo.empty() || !document.redo.empty() ||
         document.view.mask_draft;
}

}  // namespace headlight
