// headlight list: lists what can be chosen, for people and, with --json, for programs.
#include <algorithm>
#include <filesystem>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/commands/commands.h"
#include "core/base/assets/assets.h"
#include "core/base/files/load_budget.h"
#include "core/base/text/utf8_path.h"
#include "core/compute/network/network.h"
#include "core/compute/network/shipped_models.h"
#include "core/compute/training/task.h"
#include "core/figures/figure/colormap.h"
#include "core/rules/mask/patterns.h"
#include "core/rules/stage/stage.h"
#include "core/scenario/documents/lesson.h"
#include "core/scenario/settings/settings_table.h"
#include "core/teaching/lesson/course.h"

namespace headlight {
namespace {

using Json = nlohmann::ordered_json;

/// The shape as text: "[B, H, n_q, n_k]".
std::string shape_of(const StageInfo& stage) {
  std::string text;
  for (const Axis axis : {stage.lead[0], stage.lead[1], stage.rows, stage.cols}) {
    if (axis != Axis::none) text.append(text.empty() ? "[" : ", ").append(symbol(axis));
  }
  return text + "]";
}

Json stages() {
  Json list = Json::array();
  const auto add = [&](Stage stage) {
    list.push_back({{"name", std::string(name(stage))},
                    {"shape", shape_of(info(stage))},
                    {"formula", std::string(info(stage).formula)}});
  };
  for (const Stage stage : all_stages()) add(stage);
  add(Stage::contribution_norms);  // files contain it only if it is requested
  return list;
}

Json masks() {
  Json list = Json::array();
  for (const Pattern& pattern : all_patterns()) {
    list.push_back({{"name", signature(pattern)},
                    {"predicate", std::string(pattern.predicate)},
                    {"known_from", std::string(pattern.known_from)}});
  }
  return list;
}

/// Expressions to begin with. Only for people: programs read the patterns.
void print_mask_examples() {
  std::cout << "\nExamples\n";
  for (const MaskExample& example : mask_examples()) {
    std::cout << "  " << example.name << ": " << example.known_from << "\n    " << example.expression << '\n';
  }
}

Json lessons() {
  Json list = Json::array();
  const auto add = [&](const Course& course) {
    list.push_back({{"id", course.card.id},
                    {"title", course.card.title.at("en")},
                    {"kind", course.bug ? "bug" : "lesson"},
                    {"steps", course.steps.size()},
                    {"questions", course.questions()},
                    {"languages", course.languages()},
                    {"description", course.card.description.at("en")}});
  };
  for (const Course& course : shipped_courses()) add(course);
  std::vector<Message> troubles;
  for (const Course& course : own_courses(&troubles)) add(course);
  for (const Message& trouble : troubles) say("headlight", trouble.english());
  for (const Lesson& lesson : shipped_lessons()) {
    Json languages = Json::array();
    for (const auto& [known, unused] : lesson.title) languages.push_back(known);
    list.push_back({{"id", lesson.id},
                    {"title", lesson.title.at("en")},
                    {"kind", "preset"},
                    {"steps", 0},
                    {"questions", 0},
                    {"languages", languages},
                    {"description", lesson.description.at("en")}});
  }
  return list;
}

/// The fields of `headlight list models`, with texts in English.
Json models() {
  Json list = Json::array();
  for (const ShippedModel& model : shipped_models()) {
    Json claims = Json::array();
    for (const HeadClaim& claim : model.claims) {
      claims.push_back(
          {{"layer", claim.layer}, {"head", claim.head}, {"does", claim.does.at("en")}, {"measured", claim.measured}});
      if (!claim.rests_on.empty()) claims.back()["rests"] = {{"on", claim.rests_on}, {"share", claim.rests}};
    }
    list.push_back({{"id", model.id},
                    {"title", model.title.at("en")},
                    {"layers", model.layers},
                    {"heads", model.heads},
                    {"task", model.task.at("en")},
                    {"vocabulary", model.vocabulary},
                    {"accuracy", model.accuracy},
                    {"perplexity", model.perplexity > 0 ? Json(model.perplexity) : Json()},
                    {"examples", model.examples},
                    {"claims", claims}});
  }
  return list;
}

Json tasks() {
  Json list = Json::array();
  for (const TrainingTask& task : training_tasks()) {
    list.push_back({{"id", std::string(task.id)},
                    {"title", task.title},
                    {"teaches", task.teaches},
                    {"letters", task.letters},
                    {"length", task.length},
                    {"layers", task.layers},
                    {"mask", task.mask},
                    {"steps", task.steps}});
  }
  return list;
}

Json colormaps() {
  Json list = Json::array();
  for (const std::string& name : list_colormaps()) {
    const bool diverging = colormap(name, Theme::light).kind() == ColormapKind::diverging;
    list.push_back({{"name", name}, {"kind", diverging ? "diverging" : "sequential"}});
  }
  return list;
}

Json layers(const std::string& model) {
  if (model.empty()) throw UsageError("list layers needs a MODEL");
  const auto network = open_network(model);
  Json list = Json::array();
  for (const NetworkLayer& layer : network->layers()) {
    list.push_back({{"layer", layer.layer},
                    {"name", layer.name},
                    {"kind", layer.cross ? "cross" : "self"},
                    {"heads", layer.heads},
                    {"kv_heads", layer.kv_heads},
                    {"d_head", layer.d_head}});
  }
  return list;
}

Json languages() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(asset("translations"))) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  Json list = Json::array();
  for (const std::string& name : names) list.push_back({{"name", name}});
  return list;
}

/// Prints a line for each entry, with all fields except the description in columns.
void print(const Json& list) {
  std::vector<std::vector<std::string>> table;
  for (const Json& entry : list) {
    std::vector<std::string>& row = table.emplace_back();
    for (const auto& [field, text] : entry.items()) {
      if (field == "description" || field == "claims" || field == "examples") continue;
      if (text.is_array()) {
        std::string words;
        for (const auto& word : text) words += (words.empty() ? "" : " ") + word.get<std::string>();
        row.push_back(words);
      } else {
        row.push_back(text.is_string() ? text.get<std::string>() : text.dump());
      }
    }
  }
  print_columns(table);
}

constexpr std::pair<std::string_view, Json (*)()> lists[] = {
    {"stages", stages}, {"masks", masks},         {"lessons", lessons},    {"models", models},
    {"tasks", tasks},   {"colormaps", colormaps}, {"languages", languages}};

}  // namespace

int list_command(const CommandLine& line) {
  const std::string& what = line.list_what;
  if (what == "schema") {
    std::cout << whole_text(utf8_from(asset("scenario.schema.json")), 1'000'000);
    return 0;
  }
  const auto found = std::ranges::find(lists, what, [](const auto& each) { return each.first; });
  if (found == std::end(lists) && what != "layers")
    throw InputError("list", what.empty() ? "of what?" : "there is no list of \"" + what + "\"",
                     "expected stages, masks, lessons, models, tasks, colormaps, languages or layers MODEL");
  const Json list = what == "layers" ? layers(line.file) : found->second();
  if (line.has("--json")) print_json(list);
  else print(list);
  if (what == "masks" && !line.has("--json")) print_mask_examples();
  return 0;
}

}  // namespace headlight
