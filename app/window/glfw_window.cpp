#include "app/window/glfw_window.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/gl/gl_objects.h"
// After glad, so that GLFW does not include its own OpenGL header.
#include <GLFW/glfw3.h>

#if __has_include(<backends/imgui_impl_glfw.h>)
#include <backends/imgui_impl_glfw.h>
#else
#include <imgui_impl_glfw.h>
#endif

#include "app/window/imgui_backends.h"
#include "core/base/tensor/error.h"

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

/// The monitor with the largest part of the window.
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

bool any_button_down(GLFWwindow* window) {
  for (int button = GLFW_MOUSE_BUTTON_1; button <= GLFW_MOUSE_BUTTON_LAST; ++button) {
    if (glfwGetMouseButton(window, button) == GLFW_PRESS) return true;
  }
  return false;
}

int modifier_of(int key) {
  switch (key) {
    case GLFW_KEY_LEFT_SHIFT:
    case GLFW_KEY_RIGHT_SHIFT: return GLFW_MOD_SHIFT;
    case GLFW_KEY_LEFT_CONTROL:
    case GLFW_KEY_RIGHT_CONTROL: return GLFW_MOD_CONTROL;
    case GLFW_KEY_LEFT_ALT:
    case GLFW_KEY_RIGHT_ALT: return GLFW_MOD_ALT;
    case GLFW_KEY_LEFT_SUPER:
    case GLFW_KEY_RIGHT_SUPER: return GLFW_MOD_SUPER;
    default: return 0;
  }
}

KeyEvent::Kind kind_of(int key) {
  if (const int modifier = modifier_of(key))
    return modifier == GLFW_MOD_SHIFT ? KeyEvent::Kind::shift : KeyEvent::Kind::modifier;
  switch (key) {
    case GLFW_KEY_BACKSPACE:
    case GLFW_KEY_DELETE:
    case GLFW_KEY_LEFT:
    case GLFW_KEY_RIGHT:
    case GLFW_KEY_UP:
    case GLFW_KEY_DOWN:
    case GLFW_KEY_HOME:
    case GLFW_KEY_END:
    case GLFW_KEY_PAGE_UP:
    case GLFW_KEY_PAGE_DOWN: return KeyEvent::Kind::editing;
    case GLFW_KEY_KP_ENTER: return KeyEvent::Kind::command;
    default: break;
  }
  const bool prints = key < GLFW_KEY_ESCAPE || (key >= GLFW_KEY_KP_0 && key <= GLFW_KEY_KP_EQUAL);
  return prints ? KeyEvent::Kind::text : KeyEvent::Kind::command;
}

/// The position that ImGui uses for a pointer outside the window.
constexpr double nowhere = -std::numeric_limits<float>::max();

void set_hints(GlfwWindow::Visible visible) {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_CONTEXT_ROBUSTNESS, GLFW_LOSE_CONTEXT_ON_RESET);  // so that a reset is reported
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
  const auto fit = [&](int requested, int by_default, int most) {
    return std::min(requested > 0 ? requested : static_cast<int>(std::lround(static_cast<float>(by_default) * scale)),
                    most);
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
  ask_sizes();
  // An event gives both sizes, so they belong together once it is handled.
  glfwSetWindowSizeCallback(window_, [](GLFWwindow* window, int points_wide, int points_high) {
    of(window).points_ = {points_wide, points_high};
  });
  glfwSetFramebufferSizeCallback(window_, [](GLFWwindow* window, int pixels_wide, int pixels_high) {
    of(window).pixels_ = {pixels_wide, pixels_high};
  });
  glfwSetDropCallback(window_, [](GLFWwindow* window, int count, const char** paths) {
    auto& dropped = of(window).dropped_;
    dropped.insert(dropped.end(), paths, paths + count);
  });
}

GlfwWindow& GlfwWindow::of(GLFWwindow* window) { return *static_cast<GlfwWindow*>(glfwGetWindowUserPointer(window)); }

GlfwWindow::~GlfwWindow() {
  glfwDestroyWindow(window_);
  glfwTerminate();
}

bool GlfwWindow::take_close_request() {
  const bool requested = glfwWindowShouldClose(window_) != 0;
  glfwSetWindowShouldClose(window_, GLFW_FALSE);
  return requested;
}

bool GlfwWindow::minimised() const {
  return glfwGetWindowAttrib(window_, GLFW_ICONIFIED) != 0 || width() == 0 || height() == 0;
}

void GlfwWindow::ask_sizes() {
  constexpr int most_tries = 10;
  Size before;
  for (int tries = 0; tries < most_tries; ++tries) {  // until nobody has changed the window between the questions
    glfwGetWindowSize(window_, &before.width, &before.height);
    glfwGetFramebufferSize(window_, &pixels_.width, &pixels_.height);
    glfwGetWindowSize(window_, &points_.width, &points_.height);
    if (before == points_) return;
  }
}

float GlfwWindow::scale() const {
  float content = 1;
  glfwGetWindowContentScale(window_, &content, nullptr);
  if (points_.width <= 0 || pixels_.width <= 0) return content;
  return content * static_cast<float>(points_.width) / static_cast<float>(pixels_.width);
}

void GlfwWindow::set_title(const std::string& title) {
  if (title == title_) return;
  title_ = title;
  glfwSetWindowTitle(window_, title.c_str());
}

void GlfwWindow::restore() { glfwRestoreWindow(window_); }

void GlfwWindow::hide() { glfwHideWindow(window_); }

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
  take_input_at_once();
  // These callbacks replace the backend's. Those apply events at once, so several events of one frame lose their order.
  glfwSetCursorPosCallback(window_, [](GLFWwindow* window, double x, double y) {
    of(window).input_.push(MoveEvent{x, y});
  });
  glfwSetCursorEnterCallback(window_, [](GLFWwindow* window, int entered) {
    MoveEvent at{nowhere, nowhere};
    if (entered == GLFW_TRUE) glfwGetCursorPos(window, &at.x, &at.y);  // where it left, it causes no other event
    else if (any_button_down(window)) return;
    of(window).input_.push(at);
  });
  glfwSetMouseButtonCallback(window_, [](GLFWwindow* window, int button, int action, int) {
    of(window).input_.push(ButtonEvent{button, action == GLFW_PRESS});
  });
  glfwSetScrollCallback(window_, [](GLFWwindow* window, double x, double y) {
    of(window).input_.push(WheelEvent{x, y});
  });
  glfwSetCharCallback(window_,
                      [](GLFWwindow* window, unsigned int code) { of(window).input_.push(CharacterEvent{code}); });
  glfwSetKeyCallback(window_, [](GLFWwindow* window, int key, int scancode, int action, int modifiers) {
    if (action == GLFW_REPEAT) return;  // ImGui generates repeats
    const bool chord = (modifiers & (GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER)) != 0;
    of(window).input_.push(KeyEvent{kind_of(key), key, scancode, modifiers, action == GLFW_PRESS, chord});
  });
}

void GlfwWindow::disconnect_imgui() { ImGui_ImplGlfw_Shutdown(); }

void GlfwWindow::feed(const MoveEvent& event) {
  pointer_x_ = static_cast<float>(event.x);
  pointer_y_ = static_cast<float>(event.y);
}

void GlfwWindow::feed(const ButtonEvent& event) {
  if (event.button >= 0 && event.button < static_cast<int>(buttons_.size()))
    buttons_[static_cast<std::size_t>(event.button)] = event.down;
}

void GlfwWindow::feed(const WheelEvent& event) { feed_wheel(static_cast<float>(event.x), static_cast<float>(event.y)); }

void GlfwWindow::feed(const CharacterEvent& event) { ImGui::GetIO().AddInputCharacter(event.code); }

void GlfwWindow::feed(const KeyEvent& event) {
  ImGui_ImplGlfw_KeyCallback(window_, event.key, event.scancode, event.down ? GLFW_PRESS : GLFW_RELEASE,
                             event.modifiers);
  // GLFW's modifiers are from before the event, and those of glfwGetKey() can be from long after it.
  const int own = modifier_of(event.key);
  const int now = event.down ? event.modifiers | own : event.modifiers & ~own;
  set_modifiers((now & GLFW_MOD_CONTROL) != 0, (now & GLFW_MOD_SHIFT) != 0, (now & GLFW_MOD_ALT) != 0,
                (now & GLFW_MOD_SUPER) != 0);
}

void GlfwWindow::begin_imgui_frame() {
  ImGui_ImplGlfw_NewFrame();
  // The backend has asked for the two sizes one after the other.
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(points_.width), static_cast<float>(points_.height)};
  if (points_.width > 0 && points_.height > 0)
    io.DisplayFramebufferScale = {static_cast<float>(pixels_.width) / io.DisplaySize.x,
                                  static_cast<float>(pixels_.height) / io.DisplaySize.y};
  for (const InputEvent& event : input_.take_frame(ImGui::GetIO().WantTextInput)) {
    std::visit([this](const auto& each) { feed(each); }, event);
  }
  set_pointer(pointer_x_, pointer_y_, buttons_);
}

}  // namespace headlight
