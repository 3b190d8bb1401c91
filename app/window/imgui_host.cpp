#include "app/window/imgui_host.h"

#include <stdexcept>
#include <utility>

#include <glad/gl.h>

#include "app/gl/gl_objects.h"
#include "app/window/imgui_backends.h"

namespace headlight {

ImguiHost::ImguiHost() {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  if (!ImGui_ImplOpenGL3_Init(shader_version())) {
    ImGui::DestroyContext();
    throw std::runtime_error("Dear ImGui found no OpenGL library");
  }
}

ImguiHost::~ImguiHost() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext();
}

void ImguiHost::set_frame(int width, int height) {
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = ImVec2(static_cast<float>(width), static_cast<float>(height));
  io.DisplayFramebufferScale = ImVec2(1, 1);
  io.DeltaTime = 1.0f / 60.0f;
}

void ImguiHost::begin_frame(bool fonts_changed) {
  if (fonts_changed && fonts_uploaded_) renew_font_texture();
  ImGui_ImplOpenGL3_NewFrame();  // the first call uploads the fonts
  fonts_uploaded_ = true;
  ImGui::NewFrame();
}

void ImguiHost::render(int width, int height, Rgba ground) {
  ImGui::Render();
  glViewport(0, 0, width, height);
  glDisable(GL_SCISSOR_TEST);
  glClearColor(static_cast<float>(ground.r) / 255, static_cast<float>(ground.g) / 255,
               static_cast<float>(ground.b) / 255, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  const GLenum error = glGetError();
  if (error == GL_NO_ERROR || error == last_error_) return;
  last_error_ = error;
  trouble_ = error == GL_OUT_OF_MEMORY
                 ? Message("the graphics driver has no memory left: parts of the picture may be missing")
                 : Message("the graphics driver reports error {0}: parts of the picture may be missing", error);
}

Message ImguiHost::take_trouble() { return std::exchange(trouble_, {}); }

}  // namespace headlight
