// ImguiHost: Dear ImGui's context and its OpenGL 3 backend, for the window and off screen alike.
#pragma once

#include <string>

#include "core/image/theme.h"
#include "core/tensor/message.h"

namespace headlight {

class ImguiHost {
 public:
  /// OpenGL must be current and loaded, whenever this is called and when it goes. ImGui writes no files.
  ImguiHost();
  ~ImguiHost();
  ImguiHost(const ImguiHost&) = delete;
  ImguiHost& operator=(const ImguiHost&) = delete;

  /// Off screen, sets what a window would: width × height pixels, 1/60 s after the last frame.
  void set_frame(int width, int height);
  /// Begins ImGui's frame; `fonts_changed`: since the last one.
  void begin_frame(bool fonts_changed);
  /// Ends the frame and draws it into the framebuffer that is bound, of width × height pixels, over `ground`.
  void render(int width, int height, Rgba ground);
  /// What the driver complains of since the last call, as a sentence; "" for nothing new.
  Message take_trouble();
  /// The largest texture it takes, each way.
  static int texture_limit();

 private:
  bool fonts_uploaded_ = false;
  unsigned int last_error_ = 0;
  Message trouble_;
};

}  // namespace headlight
