#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "core/base/assets/assets.h"
#include "core/base/files/places.h"
#include "core/base/files/whole_file.h"
#include "core/base/tensor/error.h"
#include "core/base/text/utf8_path.h"
#include "core/scenario/documents/scenario_json.h"
#include "core/teaching/lesson/course.h"
#include "ui/base/document/view.h"
#include "ui/base/document/wanted.h"
#include "ui/base/look/measure.h"
#include "ui/imgui_compat.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/views/lessons/lesson_panel.h"

namespace headlight {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson pose_of(const View& view) {
  // A step cannot show the list of lessons.
  const std::string at = view.kind == ViewKind::lesson ? std::string(name(ViewKind::pipeline)) : view_address(view);
  OrderedJson pose{{"view", at}, {"level", name(view.levels.level)}};
  const bool operation = view.levels.level == Level::operation;
  if (operation && view.levels.facet != Facet::step) pose["level"] = level_address(view);
  if (view.measure != HeadMeasure::weight) pose["measure"] = name(view.measure);
  if (operation) pose["stage"] = std::string(name(view.levels.stage));
  if (view.selected && !is_parameter(view.selected->stage)) {
    pose["select"] = cell_text(*view.selected);
    if (!pose.contains("stage")) pose["stage"] = std::string(name(view.selected->stage));
  }
  if (view.step) pose["step"] = *view.step;
  if (view.camera.zoom > 0) pose["camera"] = {{"zoom", view.camera.zoom}, {"at", {view.camera.x, view.camera.y}}};
  return pose;
}

/// A lesson without steps.
OrderedJson begun(const std::filesystem::path& file, const OrderedJson& scenario, const Words& words) {
  return {{"id", utf8_from(file.stem())},
          {"title", {{"en", utf8_from(file.stem())}}},
          {"description", {{"en", words("lesson.description_to_write")}}},
          {"scenario", scenario},
          {"steps", OrderedJson::array()}};
}

/// The whole file, with its fields in their order, so that fields that are not read here are kept.
OrderedJson read_whole(const std::string& path) {
  read_course(path);  // throws if it is no lesson
  std::ifstream stream(path_from(path), std::ios::binary);
  return OrderedJson::parse(stream);
}

std::string suggested_answers_path() {
  std::error_code none;
  const std::filesystem::path home = home_folder();
  const std::filesystem::path folder = home.empty() ? std::filesystem::current_path(none) : home;
  return utf8_from(folder / "headlight-answers.json");
}

/// A click on "Save"; in the list of lessons also Enter, while nothing is typed into and only one path is asked for.
bool save_button(const Frame& frame, const char* id) {
  const View& view = frame.view();
  const bool alone = view.saving_answers.has_value() != view.saving_step.has_value();
  const bool entered = alone && view.kind == ViewKind::lesson && view.dialog == Dialog::none &&
                       !ImGui::GetIO().WantTextInput && !frame.focus.shown() &&
                       compat::pressed_once(compat::Key::enter);
  return main_button(frame, id, frame.words("lesson.save")) || entered;
}

}  // namespace

std::string suggested_lesson_path() {
  const std::vector<std::filesystem::path> own = own_data_folders();
  const std::filesystem::path folder = own.empty() ? std::filesystem::path() : own.front() / "lessons";
  return utf8_from(folder / "my-lesson.json");
}

void save_step(Document& document, const std::string& path, const Words& words) {
  try {
    if (!path.ends_with(".json"))
      throw FileError(path, "is no name for such a lesson", "expected one that ends in .json");
    const std::filesystem::path file = path_from(path);
    std::error_code error;
    if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), error);
    const OrderedJson scenario = OrderedJson::parse(to_json(with_whole_paths(document.scenario)));
    OrderedJson lesson = std::filesystem::exists(file, error) ? read_whole(path) : begun(file, scenario, words);
    OrderedJson pose = pose_of(document.view);
    pose["scenario"] = scenario;
    lesson["steps"].push_back({{"text", {{"en", words("lesson.text_to_write")}}}, {"pose", pose}});
    write_whole_file(file, lesson.dump(2) + "\n");
    document.view.saving_step.reset();
    document.notice = words.fill("lesson.step_saved", {lesson["steps"].size(), path});
  } catch (const InputError& error) { document.error = error.message(); }
}

void toggle_saving_answers(const Frame& frame) {
  frame.show(
      [](View& v) { v.saving_answers ? v.saving_answers.reset() : void(v.saving_answers = suggested_answers_path()); });
}

std::optional<std::string> draw_path_field(const Frame& frame, ImVec2 at, float width, const char* story,
                                           const char* id, std::optional<std::string> View::*path, const char* button) {
  ImGui::SetCursorScreenPos(at);
  note(frame, frame.words(story));
  ImGui::SetCursorScreenPos({at.x, ImGui::GetCursorScreenPos().y});
  ImGui::PushItemWidth(width);
  const auto typed = text_field(frame, id, *(frame.view().*path), Face::mono);
  ImGui::PopItemWidth();
  if (typed) frame.show([path, text = *typed](View& v) { v.*path = text; });
  ImGui::SetCursorScreenPos({at.x, ImGui::GetCursorScreenPos().y + Space::tight * frame.u});
  if (!save_button(frame, button)) return {};
  return typed ? typed : frame.view().*path;
}

void draw_saving_answers(const Frame& frame, ImVec2 at, float width) {
  if (const auto path = draw_path_field(frame, at, width, "lesson.answers_path", "##answers_path",
                                        &View::saving_answers, "save_answers_to"))
    frame.actions.push_back(SaveAnswers{*path});
  ImGui::SetCursorScreenPos({at.x, ImGui::GetCursorScreenPos().y + Space::near * frame.u});
}

}  // namespace headlight
