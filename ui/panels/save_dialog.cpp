// Saving the scenario: where to, and whether to before the window closes.
#include "ui/panels/registry.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/dialog.h"
#include "ui/widgets/main_button.h"

namespace headlight {
namespace {

/// From the right: buttons side by side, of which the main one comes first.
bool button(const Frame& frame, const char* id, const char* word, bool main, float& right) {
  const char* words = frame.words(word);
  const float width = button_width(frame, words), y = ImGui::GetCursorScreenPos().y;
  right -= width;
  ImGui::SetCursorScreenPos({right, y});
  const bool clicked = main ? main_button(frame, id, words) : chip(frame, id, words, false, width);
  ImGui::SetCursorScreenPos({right, y});
  right -= 8 * frame.u;
  return clicked;
}

void close(const Frame& frame) {
  View changed = frame.view();
  changed.dialog = Dialog::none;
  frame.change(std::move(changed));
}

}  // namespace

void draw_save_dialog(const Frame& frame, Rect place) {
  const float u = frame.u;
  const DialogArea area(frame, place, Dialog::save, "save", frame.words("save.title"), {640 * u, 190 * u});
  if (!area.open()) return;
  const Rect content = area.content();
  const SaveChoice& saving = frame.view().saving;
  const auto typed = text_field(frame, "##path", saving.path, Face::mono);
  if (typed) {
    View changed = frame.view();
    changed.saving.path = *typed;
    frame.change(std::move(changed));
  }
  note(frame, frame.words("save.story"));
  ImGui::SetCursorScreenPos({content.min.x, content.max.y - 28 * u});
  float right = content.max.x;
  if (button(frame, "save", "save.save", true, right)) frame.actions.push_back(Save{typed.value_or(saving.path)});
  if (button(frame, "cancel", "save.cancel", false, right)) close(frame);
}

void draw_leave_dialog(const Frame& frame, Rect place) {
  const float u = frame.u;
  const DialogArea area(frame, place, Dialog::leave, "leave", frame.words("save.leave_title"), {520 * u, 160 * u});
  if (!area.open()) return;
  const Rect content = area.content();
  ImGui::PushTextWrapPos(content.width());
  ImGui::TextUnformatted(frame.words("save.leave_story"));
  ImGui::PopTextWrapPos();
  ImGui::SetCursorScreenPos({content.min.x, content.max.y - 28 * u});
  float right = content.max.x;
  if (button(frame, "save", "save.save", true, right)) frame.actions.push_back(AskToSave{true});
  if (button(frame, "leave", "save.leave", false, right)) frame.actions.push_back(Quit{true});
  if (button(frame, "cancel", "save.cancel", false, right)) close(frame);
}

}  // namespace headlight
