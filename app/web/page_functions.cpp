// The functions that app/web/page.js calls, and the browser's names of keys.
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <emscripten/emscripten.h>
#include <imgui.h>

#include "app/commands/commands.h"
#include "app/web/page.h"
#include "core/base/files/whole_file.h"
#include "core/base/tensor/error.h"
#include "core/figures/export/command_words.h"

namespace headlight {

bool do_job_of_page();

namespace {

struct NamedKey {
  std::string_view code;
  ImGuiKey key;
};
constexpr NamedKey named_keys[] = {
    {"Tab", ImGuiKey_Tab},
    {"ArrowLeft", ImGuiKey_LeftArrow},
    {"ArrowRight", ImGuiKey_RightArrow},
    {"ArrowUp", ImGuiKey_UpArrow},
    {"ArrowDown", ImGuiKey_DownArrow},
    {"PageUp", ImGuiKey_PageUp},
    {"PageDown", ImGuiKey_PageDown},
    {"Home", ImGuiKey_Home},
    {"End", ImGuiKey_End},
    {"Insert", ImGuiKey_Insert},
    {"Delete", ImGuiKey_Delete},
    {"Backspace", ImGuiKey_Backspace},
    {"Space", ImGuiKey_Space},
    {"Enter", ImGuiKey_Enter},
    {"NumpadEnter", ImGuiKey_Enter},  // as in a window (InputQueue)
    {"Escape", ImGuiKey_Escape},
    {"ControlLeft", ImGuiKey_LeftCtrl},
    {"ControlRight", ImGuiKey_RightCtrl},
    {"ShiftLeft", ImGuiKey_LeftShift},
    {"ShiftRight", ImGuiKey_RightShift},
    {"AltLeft", ImGuiKey_LeftAlt},
    {"AltRight", ImGuiKey_RightAlt},
    {"MetaLeft", ImGuiKey_LeftSuper},
    {"MetaRight", ImGuiKey_RightSuper},
    {"Minus", ImGuiKey_Minus},
    {"Equal", ImGuiKey_Equal},
    {"Slash", ImGuiKey_Slash},
    {"Comma", ImGuiKey_Comma},
    {"Period", ImGuiKey_Period},
    {"Semicolon", ImGuiKey_Semicolon},
    {"Quote", ImGuiKey_Apostrophe},
    {"BracketLeft", ImGuiKey_LeftBracket},
    {"BracketRight", ImGuiKey_RightBracket},
    {"Backslash", ImGuiKey_Backslash},
    {"Backquote", ImGuiKey_GraveAccent},
    {"NumpadAdd", ImGuiKey_KeypadAdd},
    {"NumpadSubtract", ImGuiKey_KeypadSubtract},
};

/// Letters by the typed character, so that Ctrl+Z is where the keyboard layout has Z; other keys by their position.
ImGuiKey key_of(std::string_view code, std::string_view typed) {
  if (typed.size() == 1 && ((typed[0] >= 'a' && typed[0] <= 'z') || (typed[0] >= 'A' && typed[0] <= 'Z'))) {
    return static_cast<ImGuiKey>(ImGuiKey_A + ((typed[0] | 0x20) - 'a'));
  }
  if (typed == "/" || typed == "?") return ImGuiKey_Slash;
  if (code.starts_with("Key") && code.size() == 4) return static_cast<ImGuiKey>(ImGuiKey_A + (code[3] - 'A'));
  if (code.starts_with("Digit") && code.size() == 6) return static_cast<ImGuiKey>(ImGuiKey_0 + (code[5] - '0'));
  if (code.starts_with("Numpad") && code.size() == 7 && code[6] >= '0' && code[6] <= '9')
    return static_cast<ImGuiKey>(ImGuiKey_Keypad0 + (code[6] - '0'));
  if (code.size() >= 2 && code[0] == 'F' && code[1] >= '1' && code[1] <= '9') {
    const int number = code.size() == 2 ? code[1] - '0' : (code[1] - '0') * 10 + (code[2] - '0');
    if (number <= 12) return static_cast<ImGuiKey>(ImGuiKey_F1 + (number - 1));
  }
  for (const NamedKey& each : named_keys) {
    if (each.code == code) return each.key;
  }
  return ImGuiKey_None;
}

/// Passes an event to ImGui, if there is a page.
template <typename Give>
void feed(Give give) {
  Page* const page = the_page();
  if (page == nullptr) return;
  give(ImGui::GetIO());
  page->touch();
}

/// A scenario in the link becomes a file in the page's file system.
int open_link(const std::string& link) {
  try {
    LinkWords read = words_of_link(link);
    if (read.scenario) {
      constexpr const char* file = "/opened/link.json";
      write_whole_file(file, std::as_bytes(std::span(*read.scenario)));
      read.words.insert(read.words.begin(), file);
    }
    return run_command_line(read.words);
  } catch (const InputError& error) {
    std::cerr << "headlight: " << error.what() << '\n';
    return 2;
  }
}

}  // namespace
}  // namespace headlight

using namespace headlight;

extern "C" {

EMSCRIPTEN_KEEPALIVE void page_resize(int width, int height, float scale) {
  if (Page* page = the_page()) page->resize(width, height, scale);
}

EMSCRIPTEN_KEEPALIVE void page_frame() {
  if (Page* page = the_page()) page->frame();
}

/// Runs on a stack of its own if the browser supports it.
EMSCRIPTEN_KEEPALIVE int page_job() { return the_page() != nullptr && do_job_of_page() ? 1 : 0; }

EMSCRIPTEN_KEEPALIVE void page_pointer(float x, float y, int pen_or_finger) {
  feed([=](ImGuiIO& io) {
    io.AddMouseSourceEvent(pen_or_finger != 0 ? ImGuiMouseSource_TouchScreen : ImGuiMouseSource_Mouse);
    io.AddMousePosEvent(x, y);
  });
}

EMSCRIPTEN_KEEPALIVE void page_button(int button, int down) {
  if (button < 0 || button >= ImGuiMouseButton_COUNT) return;
  feed([=](ImGuiIO& io) { io.AddMouseButtonEvent(button, down != 0); });
}

EMSCRIPTEN_KEEPALIVE void page_wheel(float x, float y) {
  feed([=](ImGuiIO& io) { io.AddMouseWheelEvent(x, y); });
}

/// `modifiers`: 1 Ctrl, 2 Shift, 4 Alt, 8 Meta, as the event has them.
EMSCRIPTEN_KEEPALIVE void page_key(const char* code, const char* typed, int down, int modifiers) {
  feed([=](ImGuiIO& io) {
    io.AddKeyEvent(ImGuiMod_Ctrl, (modifiers & 1) != 0);
    io.AddKeyEvent(ImGuiMod_Shift, (modifiers & 2) != 0);
    io.AddKeyEvent(ImGuiMod_Alt, (modifiers & 4) != 0);
    io.AddKeyEvent(ImGuiMod_Super, (modifiers & 8) != 0);
    if (const ImGuiKey key = key_of(code, typed); key != ImGuiKey_None) io.AddKeyEvent(key, down != 0);
  });
}

EMSCRIPTEN_KEEPALIVE void page_text(const char* text) {
  feed([=](ImGuiIO& io) { io.AddInputCharactersUTF8(text); });
}

/// The page gets or loses the keyboard focus.
EMSCRIPTEN_KEEPALIVE void page_focus(int has) {
  feed([=](ImGuiIO& io) { io.AddFocusEvent(has != 0); });
}

EMSCRIPTEN_KEEPALIVE void page_touch() {
  if (Page* page = the_page()) page->touch();
}

EMSCRIPTEN_KEEPALIVE void page_open(const char* path) {
  if (Page* page = the_page()) page->open(path);
}

EMSCRIPTEN_KEEPALIVE int page_is_open() { return the_page() != nullptr ? 1 : 0; }

EMSCRIPTEN_KEEPALIVE void page_warn(const char* sentence) {
  if (Page* page = the_page()) page->warn(sentence);
}

EMSCRIPTEN_KEEPALIVE void page_faces_arrived() {
  if (Page* page = the_page()) page->renew_fonts();
}

EMSCRIPTEN_KEEPALIVE void page_left_fullscreen() {
  if (Page* page = the_page()) page->leave_fullscreen();
}

EMSCRIPTEN_KEEPALIVE int page_wants_text() { return the_page() != nullptr && the_page()->wants_text() ? 1 : 0; }
EMSCRIPTEN_KEEPALIVE int page_settled() { return the_page() != nullptr && the_page()->idle() ? 1 : 0; }
/// Valid until the next call.
EMSCRIPTEN_KEEPALIVE const char* page_link() {
  static std::string link;
  link = the_page() != nullptr ? the_page()->link() : std::string();
  return link.c_str();
}

EMSCRIPTEN_KEEPALIVE const char* page_said() {
  static std::string text;
  text = the_page() != nullptr ? the_page()->said() : std::string();
  return text.c_str();
}

EMSCRIPTEN_KEEPALIVE int page_offers() { return the_page() != nullptr && the_page()->offers_recovery() ? 1 : 0; }
EMSCRIPTEN_KEEPALIVE int page_frames() { return the_page() != nullptr ? the_page()->frames_drawn() : 0; }
}

/// The arguments are the query and fragment of a link, which open the page, or another command.
int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  const bool is_link = words.size() == 1 && (words[0].empty() || words[0][0] == '?' || words[0][0] == '#');
  return is_link ? open_link(words[0]) : run_command_line(words);
}
