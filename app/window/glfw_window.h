// The only user of GLFW: a window with an OpenGL 3.3 context, its events and its position on the monitor.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "app/window/input_queue.h"

struct GLFWwindow;

namespace headlight {

class GlfwWindow {
 public:
  enum class Visible { yes, no };
  /// Makes its context current on this thread and loads OpenGL. A size of 0 means 1600 × 900 points at the monitor's
  /// scale; a window is never larger than its monitor's free area. Throws InputError if there is no display or no
  /// OpenGL 3.3.
  GlfwWindow(int width, int height, const std::string& title, Visible visible = Visible::yes);
  ~GlfwWindow();
  GlfwWindow(const GlfwWindow&) = delete;
  GlfwWindow& operator=(const GlfwWindow&) = delete;

  /// Whether the user asked to close the window since the last call.
  bool take_close_request();
  bool minimised() const;
  /// Framebuffer pixels, since the last poll() or wait().
  int width() const { return pixels_.width; }
  int height() const { return pixels_.height; }
  /// ImGui units per point: the monitor's scale, or 1 on systems whose window coordinates are in points. From sizes
  /// that belong together: between two questions to the window system the user may change the window.
  float scale() const;
  void set_title(const std::string& title);
  void set_fullscreen(bool full);
  /// Restores a minimised window.
  void restore();
  void hide();
  /// The files dropped since the last call.
  std::vector<std::string> take_dropped();
  void show_frame();

  /// Handles pending events without waiting.
  void poll();
  /// Waits for an event, at most this many seconds (infinity: no limit). Returns whether there was one.
  bool wait(double seconds);
  /// Ends a wait() from any thread, while a window exists.
  static void wake();

  /// Connects Dear ImGui's input to this window, until disconnect_imgui().
  void connect_imgui();
  void disconnect_imgui();
  /// Passes to ImGui as much of the pending input as one frame can handle in order.
  void begin_imgui_frame();
  /// Whether there is input for another frame.
  bool input_waits() const { return !input_.empty(); }

 private:
  struct Placement {
    int x = 0, y = 0, width = 0, height = 0;
  };

  struct Size {
    int width = 0, height = 0;
    bool operator==(const Size&) const = default;
  };

  void ask_sizes();
  std::string title_;
  Size points_, pixels_;  ///< of the window, of its framebuffer
  void feed(const MoveEvent& event);
  void feed(const ButtonEvent& event);
  void feed(const WheelEvent& event);
  void feed(const CharacterEvent& event);
  void feed(const KeyEvent& event);
  static GlfwWindow& of(GLFWwindow* window);

  std::vector<std::string> dropped_;
  InputQueue input_;
  // The values of the last frame.
  float pointer_x_ = -std::numeric_limits<float>::max(), pointer_y_ = -std::numeric_limits<float>::max();
  std::array<bool, 5> buttons_{};
  Placement before_fullscreen_;
  GLFWwindow* window_ = nullptr;  ///< owned; glfwDestroyWindow in the destructor
};

}  // namespace headlight
