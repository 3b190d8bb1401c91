#include "app/window/glfw_window.h"
#include "app/window/offscreen.h"

namespace headlight {

struct OffscreenContext::State {
  GlfwWindow window{1, 1, "Headlight", GlfwWindow::Visible::no};
};

OffscreenContext::OffscreenContext() : state_(std::make_unique<State>()) {}

OffscreenContext::~OffscreenContext() = default;

}  // namespace headlight
