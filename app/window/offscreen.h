// An OpenGL 3.3 context that needs no window: through EGL without any display where there is EGL (offscreen_egl.cpp),
// else behind a hidden window (offscreen_glfw.cpp).
#pragma once

#include <memory>

namespace headlight {

class OffscreenContext {
 public:
  /// Current on this thread, OpenGL loaded. Throws InputError where the machine offers none.
  OffscreenContext();
  ~OffscreenContext();
  OffscreenContext(const OffscreenContext&) = delete;
  OffscreenContext& operator=(const OffscreenContext&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headlight
