// Saving the scenario: where to, and whether to before the window closes or shows something else.
#include "ui/imgui_compat.h"
#include "ui/panels/registry.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/dialog.h"
#include "ui/widgets/pressable.h"
#include "ui/widgets/text_input.h"

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
  frame.show([](View& v) { v.dialog = Dialog::none; });
}

}  // namespace

void draw_save_dialog(const Frame& frame, Rect place) {
  const float u = frame.u;
  const DialogArea area(frame, place, Dialog::save, "save", frame.words("save.title"), {640 * u, 190 * u});
  if (!area.open()) return;
  const Rect content = area.content();
  const SaveChoice& saving = frame.view().saving;
  if (ImGui::IsWindowAppearing()) type_in_next_field();
  const auto typed = text_field(frame, "##path", saving.path, Face::mono);
  const bool entered =
      (ImGui::IsItemActive() || ImGui::IsItemDeactivated()) && compat::pressed_once(compat::Key::enter);
  if (typed) frame.show([path = *typed](View& v) { v.saving.path = path; });
  note(frame, frame.words("save.story"));
  ImGui::SetCursorScreenPos({content.min.x, content.max.y - 28 * u});
  float right = content.max.x;
  if (button(frame, "save", "save.save", true, right) || entered)
    frame.actions.push_back(Save{typed.value_or(saving.path)});
  if (button(frame, "cancel", "save.cancel", false, right)) close(frame);
}

void draw_leave_dialog(const Frame& frame, Rect place) {
  const float u = frame.u;
  const SaveChoice& saving = frame.view().saving;
  const bool opens = saving.next == Next::open;
  const bool changed_on_disk = opens && saving.opens == frame.document.origin.lesson.file;
  const char* title = changed_on_disk ? "save.disk_title" : "save.leave_title";
  const char* story = changed_on_disk ? "save.disk_story" : opens ? "save.open_story" : "save.leave_story";
  const char* without = changed_on_disk ? "save.read" : opens ? "save.open" : "save.leave";
  const DialogArea area(frame, place, Dialog::leave, "leave", frame.words(title), {520 * u, 160 * u});
  if (!area.open()) return;
  const Rect content = area.content();
  ImGui::PushTextWrapPos(content.width());
  ImGui::TextUnformatted(frame.words(story));
  ImGui::PopTextWrapPos();
  ImGui::SetCursorScreenPos({content.min.x, content.max.y - 28 * u});
  float right = content.max.x;
  if (button(frame, "save", "save.save", true, right)) frame.actions.push_back(AskToSave{saving.next});
  if (button(frame, "leave", without, false, right))
    frame.actions.push_back(opens ? Action(OpenFile{saving.opens, true}) : Quit{true});
  if (button(frame, "cancel", "save.cancel", false, right)) close(frame);
}

}  // namespace headlight
