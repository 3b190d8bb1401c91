#include "app/window/window.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>

#include <imgui.h>

#include "app/gl/gl_matrix_painter.h"
#include "app/gl/gl_objects.h"
#include "app/window/glfw_window.h"
#include "app/window/imgui_host.h"
#include "app/window/preferences.h"
#include "core/base/files/own_files.h"
#include "core/base/files/places.h"
#include "core/base/tensor/error.h"
#include "ui/window/session/session.h"

namespace headlight {
namespace {

// ImGui's layout depends on what the last frame measured, so an event can need this many frames.
constexpr int frames_an_event = 3;
constexpr double caret_blink_seconds = 0.4;

/// Connects Dear ImGui's input to a window.
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

/// Whether this is the user's first visit on this machine. Notes the visit.
bool first_visit() {
  const std::filesystem::path folder = state_folder();
  std::error_code error;
  if (folder.empty() || std::filesystem::exists(folder / "welcomed", error)) return false;
  return touch_own_file(folder / "welcomed");
}

/// The frame loop. The members are in the order of their creation.
class WindowLoop {
 public:
  WindowLoop(const WindowOptions& options, const Preferences& preferences)
      : preferences_(preferences),
        window_(options.width, options.height, "Headlight"),
        input_(window_),
        session_(options.start, GlfwWindow::wake, recent_files()) {
    session_.set_texture_limit(max_texture_size());
    painter_.make_in_background();
    session_.fade_notices_after(8);
    if (const std::filesystem::path folder = state_folder(); !folder.empty()) {
      session_.remember_in(folder / "open");
      session_.remember_lessons_in(folder / "lessons", options.step_said);
      if (!options.answers.empty()) session_.open(options.answers);
    }
  }

  /// Runs until the window is closed; false if the graphics driver was reset.
  bool run() {
    while (!closed_) {
      handle_events();
      if (window_.take_close_request()) session_.ask_to_close();
      session_.update();
      if (window_.minimised()) {
        frames_due_ = 0;
        handle_requests();
        if (session_.asks()) window_.restore();  // its question must be visible
        continue;
      }
      draw_frame();
      frames_due_ = std::max(frames_due_ - 1, 0);
      if (context_is_lost()) return false;
    }
    window_.hide();  // at once: running computations stop afterwards
    return true;
  }

  Document hand_over() { return session_.hand_over(); }

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
    if (frames_due_ > 0 || window_.input_waits()) return 0;
    constexpr double check_interval = 0.05;  // for matrices that are still being made
    const double due = painter_.lacks() ? std::min(check_interval, session_.next_frame_in()) : session_.next_frame_in();
    return ImGui::GetIO().WantTextInput ? std::min(due, caret_blink_seconds) : due;
  }

  void draw_frame() {
    const bool fonts_changed = session_.prepare_fonts(window_.scale());
    window_.begin_imgui_frame();
    host_.begin_frame(fonts_changed);
    if (window_.input_waits()) frames_due_ = frames_an_event;
    painter_.begin_frame();
    const ImVec2 moved = ImGui::GetIO().MouseDelta;
    if (session_.draw(painter_) || moved.x != 0 || moved.y != 0)
      frames_due_ = frames_an_event;  // so that the last move is drawn
    host_.render(window_.width(), window_.height(), session_.ground());
    if (const Message trouble = host_.take_trouble(); !trouble.empty()) session_.warn(trouble);
    if (session_.wants_pixels()) session_.take_pixels(read_pixels(window_.width(), window_.height()));
    window_.show_frame();
    window_.set_title(session_.title());
    handle_requests();
    if (frames_due_ <= 1) remember();  // not during animations
  }

  /// Saves the preferences for the next start.
  void remember() {
    const std::filesystem::path folder = state_folder();
    const View& view = session_.document().view;
    Preferences current{view.theme, view.language, preferences_.width, preferences_.height};
    if (!view.fullscreen && !window_.minimised()) {
      current.width = window_.width();
      current.height = window_.height();
    }
    if (folder.empty() || current == preferences_) return;
    preferences_ = current;
    write_preferences(folder / "settings.json", current);
  }

  void handle_requests() {
    const Session::WindowRequests requests = session_.take_window_requests();
    closed_ = requests.close;
    if (requests.fullscreen) {
      window_.set_fullscreen(*requests.fullscreen);
      frames_due_ = frames_an_event;
    }
  }

  static constexpr double never_ = std::numeric_limits<double>::infinity();
  Preferences preferences_;
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
  Message trouble;
  const std::filesystem::path folder = state_folder();
  const Preferences last = folder.empty() ? Preferences() : read_preferences(folder / "settings.json", trouble);
  View& view = wanted.start.view;
  if (!wanted.theme_said && last.theme) view.theme = *last.theme;
  choose_language(wanted, last.language.empty() ? language_of_environment() : last.language);
  if (wanted.width == 0) {
    wanted.width = last.width;
    wanted.height = last.height;
  }
  if (!trouble.empty()) wanted.start.error = trouble;
  if (options.welcome && first_visit()) view.dialog = Dialog::welcome;
  using Clock = std::chrono::steady_clock;
  bool again = false;
  while (true) {
    const Clock::time_point begun = Clock::now();
    WindowLoop loop(wanted, last);
    if (loop.run()) return 0;
    if (again && Clock::now() - begun < std::chrono::seconds(10)) {
      throw InputError("", "the graphics driver was reset again and again",
                       "what was open is kept, and the next start offers it");
    }
    again = true;
    wanted.start = loop.hand_over();
    wanted.answers.clear();
    wanted.step_said = true;
  }
}

}  // namespace headlight
