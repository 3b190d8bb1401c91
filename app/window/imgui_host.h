// ImguiHost: Dear ImGui's context and its OpenGL 3 backend, for the window and for off-screen drawing.
#pragma once

#include <string>

#include "core/base/image/theme.h"
#include "core/base/tensor/message.h"

namespace headlight {

class ImguiHost {
 public:
  /// OpenGL must be loaded and current for all calls and for destruction. ImGui writes no files.
  ImguiHost();
  ~ImguiHost();
  ImguiHost(const ImguiHost&) = delete;
  ImguiHost& operator=(const ImguiHost&) = delete;

  /// Off screen, sets the size in pixels, and 1/60 s since the last frame.
  void set_frame(int width, int height);
  /// Begins ImGui's frame; `fonts_changed`: since the last frame.
  void begin_frame(bool fonts_changed);
  /// Ends the frame and draws it into the bound framebuffer of width × height pixels, over `ground`.
  void render(int width, int height, Rgba ground);
  /// The driver's errors since the last call, as a sentence; "" if there are no new ones.
  Message take_trouble();

 private:
  bool fonts_uploaded_ = false;
  unsigned int last_error_ = 0;
  Message trouble_;
};

}  // namespace headlight
