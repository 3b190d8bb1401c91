#include "app/window/glfw_window.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/gl/gl_objects.h"
// After glad, so that GLFW brings no OpenGL header of its own.
#include <GLFW/glfw3.h>

#include "app/window/imgui_backends.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

constexpr int default_width = 1600, default_height = 900, least_width = 640, least_height = 400;

std::string last_glfw_error() {
  const char* text = nullptr;
  glfwGetError(&text);
  return text != nullptr ? text : "no reason given";
}

struct Area {
  int x = 0, y = 0, width = default_width, height = default_height;
};

Area free_area(GLFWmonitor* monitor) {
  Area area;
  if (monitor != nullptr) glfwGetMonitorWorkarea(monitor, &area.x, &area.y, &area.width, &area.height);
  return area;
}

/// The monitor that shows most of the window.
GLFWmonitor* monitor_of(GLFWwindow* window) {
  int x = 0, y = 0, width = 0, height = 0, count = 0;
  glfwGetWindowPos(window, &x, &y);
  glfwGetWindowSize(window, &width, &height);
  GLFWmonitor** monitors = glfwGetMonitors(&count);
  GLFWmonitor* best = glfwGetPrimaryMonitor();
  long largest = 0;
  for (int i = 0; i < count; ++i) {
    const Area area = free_area(monitors[i]);
    const int across = std::min(x + width, area.x + area.width) - std::max(x, area.x);
    const int down = std::min(y + height, area.y + area.height) - std::max(y, area.y);
    if (const long shared = long{std::max(across, 0)} * std::max(down, 0); shared > largest) {
      largest = shared;
      best = monitors[i];
    }
  }
  return best;
}

float primary_scale() {
  float x = 1, y = 1;
  if (GLFWmonitor* monitor = glfwGetPrimaryMonitor()) glfwGetMonitorContentScale(monitor, &x, &y);
  return x;
}

void set_hints(GlfwWindow::Visible visible) {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  glfwWindowHint(GLFW_VISIBLE, visible == GlfwWindow::Visible::yes ? GLFW_TRUE : GLFW_FALSE);
#ifndef NDEBUG
  glfwWindowHint(GLFW_OPENGL_DEBUG_CONTEXT, GLFW_TRUE);
#endif
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "Headlight");
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "headlight");
}

}  // namespace

GlfwWindow::GlfwWindow(int width, int height, const std::string& title, Visible visible) : title_(title) {
  if (!glfwInit()) {
    throw InputError("", "there is no display to open a window on (" + last_glfw_error() + ")",
                     "expected one; --screenshot OUT.png and render need none");
  }
  set_hints(visible);
  const Area area = free_area(glfwGetPrimaryMonitor());
  const float scale = primary_scale();
  const auto fit = [&](int asked, int usual, int room) {
    return std::min(asked > 0 ? asked : static_cast<int>(std::lround(static_cast<float>(usual) * scale)), room);
  };
  window_ = glfwCreateWindow(fit(width, default_width, area.width), fit(height, default_height, area.height),
                             title.c_str(), nullptr, nullptr);
  if (window_ == nullptr) {
    const std::string reason = last_glfw_error();
    glfwTerminate();
    throw InputError("", "the window's OpenGL 3.3 context could not be made (" + reason + ")",
                     "expected a graphics driver with OpenGL 3.3; --screenshot OUT.png and render need no window");
  }
  glfwMakeContextCurrent(window_);
  try {
    load_opengl(glfwGetProcAddress);
  } catch (...) {
    glfwDestroyWindow(window_);
    glfwTerminate();
    throw;
  }
  glfwSwapInterval(1);
  glfwSetWindowSizeLimits(window_, least_width, least_height, GLFW_DONT_CARE, GLFW_DONT_CARE);
  glfwSetWindowUserPointer(window_, this);
  glfwSetDropCallback(window_, [](GLFWwindow* window, int count, const char** paths) {
    auto& dropped = static_cast<GlfwWindow*>(glfwGetWindowUserPointer(window))->dropped_;
    dropped.insert(dropped.end(), paths, paths + count);
  });
}

GlfwWindow::~GlfwWindow() {
  glfwDestroyWindow(window_);
  glfwTerminate();
}

bool GlfwWindow::take_close_request() {
  const bool asked = glfwWindowShouldClose(window_) != 0;
  glfwSetWindowShouldClose(window_, GLFW_FALSE);
  return asked;
}

bool GlfwWindow::minimised() const {
  return glfwGetWindowAttrib(window_, GLFW_ICONIFIED) != 0 || width() == 0 || height() == 0;
}

int GlfwWindow::width() const {
  int width = 0;
  glfwGetFramebufferSize(window_, &width, nullptr);
  return width;
}

int GlfwWindow::height() const {
  int height = 0;
  glfwGetFramebufferSize(window_, nullptr, &height);
  return height;
}

float GlfwWindow::scale() const {
  float content = 1;
  int points = 0;
  glfwGetWindowContentScale(window_, &content, nullptr);
  glfwGetWindowSize(window_, &points, nullptr);
  const int pixels = width();
  return points > 0 && pixels > 0 ? content * static_cast<float>(points) / static_cast<float>(pixels) : content;
}

void GlfwWindow::set_title(const std::string& title) {
  if (title == title_) return;
  title_ = title;
  glfwSetWindowTitle(window_, title.c_str());
}

void GlfwWindow::restore() { glfwRestoreWindow(window_); }

void GlfwWindow::set_fullscreen(bool full) {
  Placement& old = before_fullscreen_;
  if (full == (glfwGetWindowMonitor(window_) != nullptr)) return;
  if (!full) {
    glfwSetWindowMonitor(window_, nullptr, old.x, old.y, old.width, old.height, GLFW_DONT_CARE);
    return;
  }
  GLFWmonitor* monitor = monitor_of(window_);
  if (monitor == nullptr) return;
  glfwGetWindowPos(window_, &old.x, &old.y);
  glfwGetWindowSize(window_, &old.width, &old.height);
  const GLFWvidmode* mode = glfwGetVideoMode(monitor);
  glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
}

std::vector<std::string> GlfwWindow::take_dropped() { return std::exchange(dropped_, {}); }

void GlfwWindow::show_frame() { glfwSwapBuffers(window_); }

void GlfwWindow::poll() { glfwPollEvents(); }

bool GlfwWindow::wait(double seconds) {
  const double start = glfwGetTime();
  if (std::isinf(seconds)) {
    glfwWaitEvents();
    return true;
  }
  glfwWaitEventsTimeout(std::max(seconds, 1e-3));
  return glfwGetTime() - start < seconds;
}

void GlfwWindow::wake() { glfwPostEmptyEvent(); }

void GlfwWindow::connect_imgui() {
  ImGui_ImplGlfw_InitForOpenGL(window_, true);
  glfwSetKeyCallback(window_, [](GLFWwindow* window, int key, int scancode, int action, int modifiers) {
    static_cast<GlfwWindow*>(glfwGetWindowUserPointer(window))->on_key({key, scancode, action, modifiers});
  });
}

void GlfwWindow::on_key(KeyEvent event) {
  if (!later_.empty() || (event.action == GLFW_RELEASE && pressed_)) {
    later_.push_back(event);
    return;
  }
  if (event.action == GLFW_PRESS) pressed_ = true;
  ImGui_ImplGlfw_KeyCallback(window_, event.key, event.scancode, event.action, event.modifiers);
}

void GlfwWindow::disconnect_imgui() { ImGui_ImplGlfw_Shutdown(); }

void GlfwWindow::begin_imgui_frame() {
  // What was pressed before this frame is seen by it; what came after its release, by the next.
  if (!pressed_) {
    for (const KeyEvent& event : std::exchange(later_, {})) on_key(event);
  }
  pressed_ = false;
  ImGui_ImplGlfw_NewFrame();
}

}  // namespace headlight
