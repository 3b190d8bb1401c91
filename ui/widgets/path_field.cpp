#include "ui/widgets/path_field.h"

#include "ui/imgui_compat.h"
#include "ui/look/measure.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/text_input.h"

namespace headlight {
namespace {

struct Listener {
  PathKeys keys;
  bool caret_to_end = false, nothing_to_complete = false;
  const std::function<std::string(const std::string&)>* complete = nullptr;
};

int listen(ImGuiInputTextCallbackData* data) {
  auto& listener = *static_cast<Listener*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackHistory) {
    listener.keys.moved = data->EventKey == ImGuiKey_UpArrow ? -1 : 1;
  } else if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion) {
    const std::string begun(data->Buf, static_cast<std::size_t>(data->BufTextLen));
    const std::string whole = (*listener.complete)(begun);
    if (whole == begun) {
      listener.nothing_to_complete = true;
      return 0;
    }
    data->DeleteChars(0, data->BufTextLen);
    data->InsertChars(0, whole.data(), whole.data() + whole.size());
  } else if (listener.caret_to_end) {
    // ImGui selects all of a field that is given the keyboard: the next letter would erase the folder.
    data->CursorPos = data->BufTextLen;
    data->SelectionStart = data->SelectionEnd = data->CursorPos;
  }
  return 0;
}

}  // namespace

PathKeys path_field(const Frame& frame, const char* id, std::string& text, bool focus,
                    const std::function<std::string(const std::string&)>& complete, const char* hint) {
  Listener listener{{}, focus, false, &complete};
  ImGuiInputTextFlags flags = ImGuiInputTextFlags_CallbackHistory | ImGuiInputTextFlags_CallbackAlways;
  if (complete) flags |= ImGuiInputTextFlags_CallbackCompletion;
  compat::push_font(frame.fonts.pick(Face::ui, TypeSize::body * frame.u), 13 * frame.u);
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  if (focus) type_in_next_field();
  const Typed field = text_input(frame, id, text, hint, flags, listen, &listener);
  if (listener.nothing_to_complete && !ImGui::GetIO().KeyShift) frame.focus.pass_tab();
  listener.keys.entered = field.entered;
  listener.keys.has_keyboard = field.active;
  if (listener.keys.has_keyboard) {
    compat::add_rect(*ImGui::GetWindowDrawList(), ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), frame.look.accent,
                     Corner::control * frame.u, 1.5f * frame.u);
  }
  ImGui::PopFont();
  listener.keys.changed = text != field.text;
  if (listener.keys.changed) text = field.text;
  return listener.keys;
}

}  // namespace headlight
