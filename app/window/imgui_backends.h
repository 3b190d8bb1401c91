// Dear ImGui's own backends: where their headers lie, and what differs between versions.
#pragma once

#include <imgui.h>

#if __has_include(<backends/imgui_impl_opengl3.h>)
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#else
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#endif

namespace headlight {

/// After the atlas changed. From 1.92 on the backend follows the atlas by itself.
inline void renew_font_texture() {
#if IMGUI_VERSION_NUM < 19200
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
}

}  // namespace headlight
