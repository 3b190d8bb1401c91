#include "app/window/window.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

#include <imgui.h>

#include "app/gl/gl_matrix_painter.h"
#include "app/window/glfw_window.h"
#include "app/window/imgui_host.h"
#include "ui/session/session.h"

namespace headlight {
namespace {

// ImGui lays out by what the last frame measured: one event may take this many frames to settle.
constexpr int frames_an_event = 3;
constexpr double caret_blink_seconds = 0.4;

/// Dear ImGui's input, connected to a window while this lives.
class ImguiInput {
 public:
  explicit ImguiInput(GlfwWindow& window) : window_(window) { window_.connect_imgui(); }
  ImguiInput(const ImguiInput&) = delete;
  ImguiInput& operator=(const ImguiInput&) = delete;
  ~ImguiInput() { window_.disconnect_imgui(); }

 private:
  GlfwWindow& window_;
};

RecentFiles recent_files() {
  const std::filesystem::path folder = state_folder();
  return folder.empty() ? RecentFiles() : RecentFiles(folder / "recent");
}

/// The person's first time here, as far as this machine remembers; from now on it does.
bool first_visit() {
  const std::filesystem::path folder = state_folder();
  std::error_code error;
  if (folder.empty() || std::filesystem::exists(folder / "welcomed", error)) return false;
  std::filesystem::create_directories(folder, error);
  return std::ofstream(folder / "welcomed").good();
}

/// The frame loop. The members' order is that of their making.
class WindowLoop {
 public:
  explicit WindowLoop(const WindowOptions& options)
      : window_(options.width, options.height, "Headlight"), input_(window_), session_(options.start, GlfwWindow::wake, recent_files()) {}

  void run() {
    while (!closed_) {
      handle_events();
      if (window_.take_close_request()) session_.ask_to_close();
      if (window_.minimised()) {
        frames_due_ = 0;
        continue;
      }
      draw_frame();
      frames_due_ = std::max(frames_due_ - 1, 0);
    }
  }

 private:
  void handle_events() {
    const double seconds = window_.minimised() ? never_ : seconds_to_next_frame();
    if (seconds <= 0) {
      window_.poll();
    } else if (window_.wait(seconds)) {
      frames_due_ = frames_an_event;
    }
    for (const std::string& path : window_.take_dropped()) session_.open(path);
  }

  double seconds_to_next_frame() const {
    if (frames_due_ > 0) return 0;
    const double due = session_.next_frame_in();
    return ImGui::GetIO().WantTextInput ? std::min(due, caret_blink_seconds) : due;
  }

  void draw_frame() {
    const bool fonts_changed = session_.prepare_fonts(window_.scale());
    window_.begin_imgui_frame();
    host_.begin_frame(fonts_changed);
    painter_.begin_frame();
    session_.draw(painter_);
    host_.render(window_.width(), window_.height(), session_.ground());
    if (session_.wants_pixels()) session_.take_pixels(read_pixels(window_.width(), window_.height()));
    window_.show_frame();
    window_.set_title(session_.title());
    const Session::WindowRequests asked = session_.take_window_requests();
    closed_ = asked.close;
    if (asked.toggle_fullscreen) {
      window_.toggle_fullscreen();
      frames_due_ = frames_an_event;
    }
  }

  static constexpr double never_ = std::numeric_limits<double>::infinity();
  GlfwWindow window_;
  ImguiHost host_;
  ImguiInput input_;
  GlMatrixPainter painter_;
  Session session_;
  int frames_due_ = frames_an_event;
  bool closed_ = false;
};

}  // namespace

int run_window(const WindowOptions& options) {
  WindowOptions wanted = options;
  if (options.welcome && first_visit()) wanted.start.view.dialog = Dialog::welcome;
  WindowLoop(wanted).run();
  return 0;
}

}  // namespace headlight
