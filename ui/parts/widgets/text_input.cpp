#include "ui/parts/widgets/text_input.h"

#include <algorithm>

#include "ui/base/look/measure.h"
#include "ui/imgui_compat.h"
#include "ui/parts/widgets/controls.h"

namespace headlight {
namespace {

/// ImGui's text ends at a NUL: while it is edited, NULs are shown as this sign.
constexpr char nul_sign[] = "\xE2\x90\x80";  // ␀

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

struct Callback {
  std::string* buffer;
  ImGuiInputTextCallback listen;
  void* listener;
  bool at_end = false;  ///< nothing is selected; typing continues at the end
};

int call(ImGuiInputTextCallbackData* data) {
  const Callback& callback = *static_cast<Callback*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackResize) {
    callback.buffer->resize(static_cast<std::size_t>(data->BufTextLen));
    data->Buf = callback.buffer->data();
    return 0;
  }
  if (callback.at_end) data->CursorPos = data->SelectionStart = data->SelectionEnd = data->BufTextLen;
  const bool ours = callback.at_end && data->EventFlag == ImGuiInputTextFlags_CallbackAlways;
  if (callback.listen == nullptr || ours) return 0;
  data->UserData = callback.listener;
  return callback.listen(data);
}

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
    // ImGui selects the whole text of a field that gets the focus: the next letter would erase the folder.
    data->CursorPos = data->BufTextLen;
    data->SelectionStart = data->SelectionEnd = data->CursorPos;
  }
  return 0;
}

}  // namespace

void type_in_next_field() {
  ImGui::SetWindowFocus();  // ImGui 1.90 focuses only fields of the window that already has the focus
  ImGui::SetKeyboardFocusHere();
}

void begin_field(const Frame& frame, Face face) {
  compat::push_font(frame.fonts.pick(face, TypeSize::body * frame.u), TypeSize::body * frame.u);
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
}

void draw_field_frame(const Frame& frame) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  // A field may reach past its window by a part of a pixel, where its right side would be cut off.
  const float left = std::max(ImGui::GetItemRectMin().x, list.GetClipRectMin().x),
              right = std::min(ImGui::GetItemRectMax().x, list.GetClipRectMax().x);
  compat::add_rect(list, {left, ImGui::GetItemRectMin().y}, {right, ImGui::GetItemRectMax().y}, frame.look.accent,
                   Corner::control * frame.u, Stroke::frame(frame.u));
}

void go_on_typing(const Frame& frame, const char* id, std::string_view text) {
  ImGui::SetKeyboardFocusHere(-1);
  frame.typing.recovered = TypedLine{ImGui::GetID(id), std::string(text)};
  frame.typing.tries = 0;
}

Typed text_input(const Frame& frame, const char* id, std::string_view text, const char* hint, ImGuiInputTextFlags flags,
                 ImGuiInputTextCallback listen, void* listener, bool stop) {
  Typing& typing = frame.typing;
  KeyboardFocus& focus = frame.focus;
  const ImGuiID own = ImGui::GetID(id);
  if ((stop || focus.at(own)) && focus.visit(own) && focus.moved()) type_in_next_field();
  const bool gives_back = typing.recovered && typing.recovered->field == own;
  std::string& buffer = typing.buffer;
  buffer.assign(gives_back ? std::string_view(typing.recovered->text) : text);
  const std::string_view nul("\0", 1);
  const bool has_nul = buffer.find('\0') != std::string::npos;
  if (has_nul) replace_all(buffer, nul, nul_sign);
  compat::forget_steps_of_other_text(own, buffer);
  constexpr std::size_t most_seen = 300;  // bytes; a field hardly shows more
  frame.fonts.note(std::string_view(buffer).substr(0, most_seen));
  if (gives_back) {
    type_in_next_field();
    flags |= ImGuiInputTextFlags_CallbackAlways;
    if (++typing.tries > 20) typing.recovered.reset();
  }
  Callback callback{&buffer, listen, listener, gives_back};
  const bool entered = ImGui::InputTextWithHint(
      id, hint, buffer.data(), buffer.capacity() + 1,
      flags | ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackResize, call, &callback);
  if (has_nul) replace_all(buffer, nul_sign, nul);
  const unsigned int field = ImGui::GetItemID();
  const int now = ImGui::GetFrameCount();
  const bool had = typing.field == field && typing.frame >= now - 1;
  Typed typed{buffer, false, entered, false, ImGui::IsItemActive()};
  if (typed.active) {
    typed.changed = had ? buffer != typing.text : buffer != text;
    typing.edited = (had && typing.edited) || typed.changed;
    if (gives_back) typing.recovered.reset(), typing.tries = 0;
    typing.field = field;
    typing.frame = now;
    typing.text = buffer;
    typing.takes_tab = (flags & ImGuiInputTextFlags_CallbackCompletion) != 0;
    focus.follow(own);
    return typed;
  }
  if (!had) return typed;
  typing.field = 0;
  const bool given_up = compat::pressed(compat::Key::escape);
  if (!given_up && !entered && buffer == text) buffer = typing.text;  // the field lost the focus before it was drawn
  typed.changed = buffer != typing.text;
  typed.left = !given_up;
  return typed;
}

PathKeys path_field(const Frame& frame, const char* id, std::string& text, bool focus,
                    const std::function<std::string(const std::string&)>& complete, const char* hint) {
  Listener listener{{}, focus, false, &complete};
  ImGuiInputTextFlags flags = ImGuiInputTextFlags_CallbackHistory | ImGuiInputTextFlags_CallbackAlways;
  if (complete) flags |= ImGuiInputTextFlags_CallbackCompletion;
  begin_field(frame, Face::ui);
  if (focus) type_in_next_field();
  const Typed field = text_input(frame, id, text, hint, flags, listen, &listener);
  if (listener.nothing_to_complete && !ImGui::GetIO().KeyShift) frame.focus.pass_tab();
  listener.keys.entered = field.entered;
  listener.keys.has_keyboard = field.active;
  if (field.active) draw_field_frame(frame);
  ImGui::PopFont();
  listener.keys.changed = text != field.text;
  if (listener.keys.changed) text = field.text;
  return listener.keys;
}

}  // namespace headlight
