// An OpenGL 3.3 context without a window: through EGL without a display if EGL is available (offscreen_egl.cpp),
// otherwise with a hidden window (offscreen_glfw.cpp).
#pragma once

#include <memory>

namespace headlight {

class OffscreenContext {
 public:
  /// Makes the context current on this thread and loads OpenGL. Throws InputError if the machine has none.
  OffscreenContext();
  ~OffscreenContext();
  OffscreenContext(const OffscreenContext&) = delete;
  OffscreenContext& operator=(const OffscreenContext&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headlight
