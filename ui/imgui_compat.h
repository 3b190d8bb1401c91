// What differs between Dear ImGui 1.86 (Debian 12) and 1.92, in one place. Everything else uses the subset they share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include <imgui.h>
#include <imgui_internal.h>

namespace headlight::compat {

/// From 1.92 on, fonts are rasterised at any size on demand; before, only at the sizes that were baked.
inline constexpr bool dynamic_fonts = IMGUI_VERSION_NUM >= 19200;

/// A font of a file's bytes, which outlive the atlas and are not copied.
inline ImFont* add_font(ImFontAtlas& atlas, std::string& bytes, float pixels, ImFontConfig config,
                        const ImWchar* ranges) {
  config.FontDataOwnedByAtlas = !dynamic_fonts;  // before 1.92, bytes that the atlas does not own are copied by it
  ImFont* font =
      atlas.AddFontFromMemoryTTF(bytes.data(), static_cast<int>(bytes.size()), std::round(pixels), &config, ranges);
#if IMGUI_VERSION_NUM < 19200
  atlas.ConfigData.back().FontDataOwnedByAtlas = false;
#endif
  return font;
}

inline void push_font(ImFont* font, [[maybe_unused]] float pixels) {
#if IMGUI_VERSION_NUM >= 19200
  ImGui::PushFont(font, pixels);
#else
  ImGui::PushFont(font);
#endif
}

/// Of the windows' lists from here to the next frame: lines and areas without soft edges or textures, as plain
/// triangles.
inline void draw_plainly() {
  ImDrawListSharedData& shared = *ImGui::GetDrawListSharedData();
  shared.InitialFlags &=
      ~(ImDrawListFlags_AntiAliasedLines | ImDrawListFlags_AntiAliasedLinesUseTex | ImDrawListFlags_AntiAliasedFill);
  shared.SetCircleTessellationMaxError(0.08f);
  shared.CurveTessellationTol = 0.2f;
}
/// What a list's callback asks the backend for, to draw as usual again.
inline ImDrawCallback reset_render_state() {
#if IMGUI_VERSION_NUM >= 19280
  return ImGui::GetPlatformIO().DrawCallback_ResetRenderState;
#else
  return ImDrawCallback_ResetRenderState;
#endif
}
/// How far below the top of a line of this size its baseline lies.
inline float baseline(ImFont* font, float pixels) {
#if IMGUI_VERSION_NUM >= 19200
  return font->GetFontBaked(pixels)->Ascent;
#else
  return font->Ascent * pixels / font->FontSize;
#endif
}

/// A line of whole pixels: it is sharp, and ImGui draws it as strips of a texture, not as three of triangles.
inline void add_rect(ImDrawList& list, ImVec2 min, ImVec2 max, ImU32 colour, float rounding, float thickness) {
  thickness = std::max(std::round(thickness), 1.0f);
  if (std::fmod(thickness, 2.0f) == 0)
    min = {min.x + 0.5f, min.y + 0.5f}, max = {max.x - 0.5f, max.y - 0.5f};  // ImGui's suits odd ones
#if IMGUI_VERSION_NUM >= 19280
  list.AddRect(min, max, colour, rounding, thickness);
#else
  list.AddRect(min, max, colour, rounding, 0, thickness);
#endif
}

/// Areas without soft edges, which are two of three triangles of a rounded rectangle.
class HardEdges {
 public:
  explicit HardEdges(ImDrawList& list, bool hard = true) : list_(list), before_(list.Flags) {
    if (hard) list.Flags &= ~ImDrawListFlags_AntiAliasedFill;
  }
  ~HardEdges() { list_.Flags = before_; }
  HardEdges(const HardEdges&) = delete;
  HardEdges& operator=(const HardEdges&) = delete;

 private:
  ImDrawList& list_;
  ImDrawListFlags before_;
};

/// A filled rectangle; corners of a few pixels have hard edges.
inline void add_fill(ImDrawList& list, ImVec2 min, ImVec2 max, ImU32 colour, float rounding) {
  const HardEdges hard(list, rounding <= 4);
  list.AddRectFilled(min, max, colour, rounding);
}

/// The keys that shortcuts use, besides letters. 1.86 indexes keys by the platform's codes; those that ImGui's own
/// KeyMap lacks are GLFW's, the only backend that is used with it.
enum class Key : std::uint8_t {
  space,
  left,
  right,
  up,
  down,
  home,
  end,
  page_up,
  page_down,
  escape,
  enter,
  tab,
  del,
  f1,
  f5,
  f11,
  slash,
  plus,
  minus,
  zero
};

#if IMGUI_VERSION_NUM >= 18700
using KeyIndex = ImGuiKey;
inline KeyIndex index_of(Key key) {
  constexpr ImGuiKey codes[] = {ImGuiKey_Space,     ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow,
                                ImGuiKey_DownArrow, ImGuiKey_Home,      ImGuiKey_End,        ImGuiKey_PageUp,
                                ImGuiKey_PageDown,  ImGuiKey_Escape,    ImGuiKey_Enter,      ImGuiKey_Tab,
                                ImGuiKey_Delete,    ImGuiKey_F1,        ImGuiKey_F5,         ImGuiKey_F11,
                                ImGuiKey_Slash,     ImGuiKey_Equal,     ImGuiKey_Minus,      ImGuiKey_0};
  return codes[static_cast<int>(key)];
}
/// The key of a letter, 'a' to 'z'.
inline KeyIndex index_of(char letter) { return static_cast<ImGuiKey>(ImGuiKey_A + (letter - 'a')); }
#else
using KeyIndex = int;
inline KeyIndex index_of(Key key) {
  struct Code {
    int mapped;  // an ImGuiKey, or −1
    int glfw;
  };
  constexpr Code codes[] = {{ImGuiKey_Space, 0},
                            {ImGuiKey_LeftArrow, 0},
                            {ImGuiKey_RightArrow, 0},
                            {ImGuiKey_UpArrow, 0},
                            {ImGuiKey_DownArrow, 0},
                            {ImGuiKey_Home, 0},
                            {ImGuiKey_End, 0},
                            {ImGuiKey_PageUp, 0},
                            {ImGuiKey_PageDown, 0},
                            {ImGuiKey_Escape, 0},
                            {ImGuiKey_Enter, 0},
                            {ImGuiKey_Tab, 0},
                            {ImGuiKey_Delete, 0},
                            {-1, 290},
                            {-1, 294},
                            {-1, 300},
                            {-1, '/'},
                            {-1, '='},
                            {-1, '-'},
                            {-1, '0'}};
  const Code code = codes[static_cast<int>(key)];
  return code.mapped >= 0 ? ImGui::GetIO().KeyMap[code.mapped] : code.glfw;
}
/// The key of a letter, 'a' to 'z'.
inline KeyIndex index_of(char letter) { return letter - 'a' + 'A'; }
#endif

/// What is open in ImGui where drawing may throw, and closing what was opened since.
class Recovery {
 public:
  Recovery() {
#if IMGUI_VERSION_NUM >= 19130
    ImGui::ErrorRecoveryStoreState(&state_);
#else
    fonts_ = ImGui::GetCurrentContext()->FontStack.Size;
#endif
  }
  /// Nothing but ImGui's own first window is open afterwards.
  void close_all() {
#if IMGUI_VERSION_NUM >= 19130
    const bool asserts = ImGui::GetIO().ConfigErrorRecoveryEnableAssert;
    ImGui::GetIO().ConfigErrorRecoveryEnableAssert = false;
    ImGui::ErrorRecoveryTryToRecoverState(&state_);
    ImGui::GetIO().ConfigErrorRecoveryEnableAssert = asserts;
#else
    while (ImGui::GetCurrentContext()->FontStack.Size > fonts_) ImGui::PopFont();
    ImGui::ErrorCheckEndFrameRecover(nullptr);
#endif
  }

 private:
#if IMGUI_VERSION_NUM >= 19130
  ImGuiErrorRecoveryState state_;
#else
  int fonts_ = 0;
#endif
};

inline bool pressed(Key key) { return ImGui::IsKeyPressed(index_of(key), true); }
/// The same without the repeats of a key that is held: for what toggles, saves or asks.
inline bool pressed_once(Key key) { return ImGui::IsKeyPressed(index_of(key), false); }
inline bool pressed_once(char letter) { return ImGui::IsKeyPressed(index_of(letter), false); }
inline bool pressed(char letter) { return ImGui::IsKeyPressed(index_of(letter), true); }

/// Before a field is drawn: 1.86 keeps the undo steps of one that comes back with another text, and an assertion fails
/// when they are undone. Later versions forget them by themselves.
inline void forget_steps_of_other_text([[maybe_unused]] ImGuiID field, [[maybe_unused]] const std::string& text) {
#if IMGUI_VERSION_NUM < 19000
  ImGuiInputTextState* const state = ImGui::GetInputTextState(field);
  if (state == nullptr || ImGui::GetActiveID() == field) return;
  const char *at = text.data(), *const end = at + text.size();
  bool same = true;
  for (int i = 0; same && i < state->CurLenW; ++i) {
    unsigned int character = 0;
    if (at < end) at += ImTextCharFromUtf8(&character, at, end);
    same = static_cast<ImWchar>(character) == state->TextW[i];
  }
  if (!same || at != end) state->ID = 0;
#endif
}

}  // namespace headlight::compat
