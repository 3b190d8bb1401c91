#include "ui/lessons/save_answers.h"

#include <cstdlib>
#include <filesystem>

#include "core/text/utf8_path.h"
#include "ui/imgui_compat.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/main_button.h"

namespace headlight {
namespace {

std::string suggested_answers_path() {
  const char* home = std::getenv("HOME");
  std::error_code none;
  const std::filesystem::path folder =
      home && *home ? std::filesystem::path(home) : std::filesystem::current_path(none);
  return utf8_from(folder / "headlight-answers.json");
}

}  // namespace

void toggle_saving_answers(const Frame& frame) {
  frame.show(
      [](View& v) { v.saving_answers ? v.saving_answers.reset() : void(v.saving_answers = suggested_answers_path()); });
}

bool save_button(const Frame& frame, const char* id) {
  const View& view = frame.view();
  const bool alone = view.saving_answers.has_value() != view.saving_step.has_value();
  const bool entered = alone && view.kind == ViewKind::lesson && view.dialog == Dialog::none &&
                       !ImGui::GetIO().WantTextInput && !frame.focus.shown() &&
                       compat::pressed_once(compat::Key::enter);
  return main_button(frame, id, frame.words("lesson.save")) || entered;
}

void draw_saving_answers(const Frame& frame, ImVec2 at, float width) {
  ImGui::SetCursorScreenPos(at);
  note(frame, frame.words("lesson.answers_path"));
  ImGui::SetCursorScreenPos({at.x, ImGui::GetCursorScreenPos().y});
  ImGui::PushItemWidth(width);
  const auto typed = text_field(frame, "##answers_path", *frame.view().saving_answers, Face::mono);
  ImGui::PopItemWidth();
  if (typed) frame.show([path = *typed](View& v) { v.saving_answers = path; });
  ImGui::SetCursorScreenPos({at.x, ImGui::GetCursorScreenPos().y + 4 * frame.u});
  if (save_button(frame, "save_answers_to"))
    frame.actions.push_back(SaveAnswers{typed.value_or(*frame.view().saving_answers)});
  ImGui::SetCursorScreenPos({at.x, ImGui::GetCursorScreenPos().y + 6 * frame.u});
}

}  // namespace headlight
