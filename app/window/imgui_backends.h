// Dear ImGui's own backends: the paths of their headers, and the differences between versions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>

#include <imgui.h>

#if __has_include(<backends/imgui_impl_opengl3.h>)
#include <backends/imgui_impl_opengl3.h>
#else
#include <imgui_impl_opengl3.h>
#endif

namespace headlight {

/// ImGui 1.87 and later queue events and take one event of each key per frame. Our events are in order already, so this
/// turns the queue off.
inline void take_input_at_once() {
#if IMGUI_VERSION_NUM >= 18700
  ImGui::GetIO().ConfigInputTrickleEventQueue = false;
#endif
}

/// Call it after the backend's NewFrame(), because that of 1.86 reads the present position of the pointer.
inline void set_pointer(float x, float y, std::span<const bool, ImGuiMouseButton_COUNT> down) {
  ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM < 18700
  io.MousePos = ImVec2(x, y);
  std::copy(down.begin(), down.end(), io.MouseDown);
#else
  io.AddMousePosEvent(x, y);
  for (int i = 0; i < ImGuiMouseButton_COUNT; ++i) io.AddMouseButtonEvent(i, down[static_cast<std::size_t>(i)]);
#endif
}

inline void feed_wheel(float x, float y) {
  ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM < 18700
  io.MouseWheelH += x;
  io.MouseWheel += y;
#else
  io.AddMouseWheelEvent(x, y);
#endif
}

/// Call it after a key's event. The backend of 1.86 derives modifiers from the keys that it received; later backends
/// ask the system which keys are down now.
inline void set_modifiers([[maybe_unused]] bool ctrl, [[maybe_unused]] bool shift, [[maybe_unused]] bool alt,
                          [[maybe_unused]] bool super) {
#if IMGUI_VERSION_NUM >= 18700
#if IMGUI_VERSION_NUM >= 18900
  constexpr ImGuiKey keys[] = {ImGuiMod_Ctrl, ImGuiMod_Shift, ImGuiMod_Alt, ImGuiMod_Super};
#else
  constexpr ImGuiKey keys[] = {ImGuiKey_ModCtrl, ImGuiKey_ModShift, ImGuiKey_ModAlt, ImGuiKey_ModSuper};
#endif
  const bool held[] = {ctrl, shift, alt, super};
  for (std::size_t i = 0; i < std::size(keys); ++i) ImGui::GetIO().AddKeyEvent(keys[i], held[i]);
#endif
}

/// Call it after the atlas has changed. From 1.92 on, the backend does this itself.
inline void renew_font_texture() {
#if IMGUI_VERSION_NUM < 19200
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
}

}  // namespace headlight
