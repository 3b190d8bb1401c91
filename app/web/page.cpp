#include "app/web/page.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>

#include <emscripten/eventloop.h>
#include <emscripten/html5_webgl.h>
#include <imgui.h>

#include "app/gl/gl_matrix_painter.h"
#include "app/gl/gl_objects.h"
#include "app/window/imgui_host.h"
#include "app/window/preferences.h"
#include "core/base/files/places.h"
#include "core/base/files/recent_files.h"
#include "core/base/parallel/jobs.h"
#include "core/base/tensor/error.h"
#include "ui/dialogs/export/export_file.h"
#include "ui/window/session/session.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int frames_an_event = 3;  // ImGui's layout depends on what the last frame measured
constexpr double caret_blink_seconds = 0.4;
constexpr double seconds_between_saves = 1;
// How long a job runs before a frame is drawn, and how long a frame may pool matrices.
constexpr auto job_time = std::chrono::milliseconds(16);

RecentFiles recent_files() { return RecentFiles(state_folder() / "recent"); }

const char* css_cursor(ImGuiMouseCursor cursor) {
  switch (cursor) {
    case ImGuiMouseCursor_TextInput: return "text";
    case ImGuiMouseCursor_ResizeAll: return "move";
    case ImGuiMouseCursor_ResizeNS: return "ns-resize";
    case ImGuiMouseCursor_ResizeEW: return "ew-resize";
    case ImGuiMouseCursor_ResizeNESW: return "nesw-resize";
    case ImGuiMouseCursor_ResizeNWSE: return "nwse-resize";
    case ImGuiMouseCursor_Hand: return "pointer";
    case ImGuiMouseCursor_NotAllowed: return "not-allowed";
    default: return "default";
  }
}

// The state of the present job: it is interrupted when its time is over.
struct JobUnderWay {
  bool running = false;
  Clock::time_point since;
};
JobUnderWay& job_under_way() {
  static JobUnderWay job;
  return job;
}

/// Whether some thread has a result or progress to show.
std::atomic<bool> woken{false};
void wake() { woken = true; }

/// Called inside a job: draws a frame if the job's time is over.
void give_way() {
  JobUnderWay& job = job_under_way();
  if (!job.running || Clock::now() - job.since < job_time) return;
  job.running = false;
  browser_give_way();
  job = {true, Clock::now()};
}

WindowOptions with_preferences(WindowOptions wanted, const Preferences& last, const Message& trouble) {
  View& view = wanted.start.view;
  if (!wanted.theme_said)
    view.theme = last.theme ? *last.theme : browser_prefers_dark() != 0 ? Theme::dark : Theme::light;
  choose_language(wanted, last.language.empty() ? language_of_environment() : last.language);
  if (!trouble.empty()) wanted.start.error = trouble;
  wanted.start.page = browser_address();
  view.alone = browser_embedded() != 0;
  return wanted;
}

std::unique_ptr<Page>& page() {
  static std::unique_ptr<Page> one;
  return one;
}

}  // namespace

Page* the_page() { return page().get(); }

/// The WebGL context of the canvas, current on this single thread.
class WebglContext {
 public:
  WebglContext() {
    EmscriptenWebGLContextAttributes wanted;
    emscripten_webgl_init_context_attributes(&wanted);
    wanted.majorVersion = 2;
    wanted.alpha = wanted.antialias = wanted.depth = wanted.stencil = false;
    context_ = emscripten_webgl_create_context("#canvas", &wanted);
    if (context_ <= 0 || emscripten_webgl_make_context_current(context_) != EMSCRIPTEN_RESULT_SUCCESS) {
      throw InputError("", "this browser draws no WebGL 2", "expected a browser and a graphics driver that do");
    }
  }
  ~WebglContext() { emscripten_webgl_destroy_context(context_); }
  WebglContext(const WebglContext&) = delete;
  WebglContext& operator=(const WebglContext&) = delete;

 private:
  EMSCRIPTEN_WEBGL_CONTEXT_HANDLE context_ = 0;
};

struct Page::State {
  State(const WindowOptions& wanted, Preferences last)
      : preferences(std::move(last)), session(wanted.start, wake, recent_files()) {
    session.set_texture_limit(max_texture_size());
    session.fade_notices_after(8);
    painter.set_frame_budget(job_time);
    ImGuiIO& io = ImGui::GetIO();
    io.SetClipboardTextFn = [](void*, const char* text) { browser_copy(text); };
    io.GetClipboardTextFn = [](void*) { return browser_clipboard(); };
    const fs::path folder = state_folder();
    session.remember_in(folder / "open");
    session.remember_lessons_in(folder / "lessons", wanted.step_said);
    if (!wanted.answers.empty()) session.open(wanted.answers);
  }

  bool is_due() const {
    if (frames_due > 0) return true;
    double seconds = session.next_frame_in();
    if (ImGui::GetIO().WantTextInput) seconds = std::min(seconds, caret_blink_seconds);
    return std::chrono::duration<double>(Clock::now() - drawn).count() >= seconds;
  }

  void draw() {
    const Clock::time_point current = Clock::now();
    ImGuiIO& io = ImGui::GetIO();
    const bool fonts_changed = session.prepare_fonts(scale);
    io.DisplaySize = ImVec2(static_cast<float>(width), static_cast<float>(height));
    io.DisplayFramebufferScale = ImVec2(1, 1);
    io.DeltaTime = std::clamp(std::chrono::duration<float>(current - drawn).count(), 1e-4F, 0.25F);
    drawn = current;
    host.begin_frame(fonts_changed);
    painter.begin_frame();
    if (session.draw(painter) || io.MouseDelta.x != 0 || io.MouseDelta.y != 0) frames_due = frames_an_event;
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    host.render(width, height, session.ground());
    if (const Message trouble = host.take_trouble(); !trouble.empty()) session.warn(trouble);
    if (session.wants_pixels()) session.take_pixels(read_pixels(width, height));
    frames_due = painter.lacks() ? frames_an_event : std::max(frames_due - 1, 0);
    ++frames;
    tell_browser();
  }

  void tell_browser() {
    if (session.title() != title) browser_set_title((title = session.title()).c_str());
    if (const ImGuiMouseCursor shown = ImGui::GetMouseCursor(); shown != cursor)
      browser_set_cursor(css_cursor(cursor = shown));
    const Session::WindowRequests requests = session.take_window_requests();
    if (requests.fullscreen) browser_set_fullscreen(*requests.fullscreen ? 1 : 0);
    // The dialog lists files of the machine, which a page can only reach through the browser's dialog.
    if (session.document().view.dialog == Dialog::open) {
      session.perform(EditView{[](View& view) { view.dialog = Dialog::none; }});
      browser_choose_files();
      frames_due = frames_an_event;
    }
  }

  /// Saves preferences for the next visit, and files that the user saved.
  void keep() {
    if (frames_due > 0 || std::chrono::duration<double>(Clock::now() - kept).count() < seconds_between_saves) return;
    kept = Clock::now();
    if (frames == kept_frames) return;
    kept_frames = frames;
    const View& view = session.document().view;
    if (const Preferences current{view.theme, view.language, 0, 0}; !(current == preferences)) {
      preferences = current;
      write_preferences(state_folder() / "settings.json", current);
    }
    browser_keep_files();
  }

  Preferences preferences;
  WebglContext context;
  ImguiHost host;
  GlMatrixPainter painter;
  Session session;
  int width = 1280, height = 720;
  float scale = 1;
  int frames_due = frames_an_event, frames = 0, kept_frames = 0;
  Clock::time_point drawn{}, kept{};
  std::string title;
  ImGuiMouseCursor cursor = ImGuiMouseCursor_Arrow;
};

Page::Page(const WindowOptions& options) {
  Message trouble;
  const Preferences last = read_preferences(state_folder() / "settings.json", trouble);
  state_ = std::make_unique<State>(with_preferences(options, last, trouble), last);
}

Page::~Page() = default;

void Page::resize(int width, int height, float scale) {
  state_->width = std::max(width, 1);
  state_->height = std::max(height, 1);
  state_->scale = scale;
  touch();
}

void Page::frame() {
  poll_all();
  if (woken.exchange(false)) touch();
  state_->session.update();
  if (state_->session.lacks_letters()) browser_fetch_face();
  if (state_->is_due()) state_->draw();
  state_->keep();
}

void Page::touch() { state_->frames_due = frames_an_event; }

void Page::open(const std::string& path) {
  state_->session.open(path);
  touch();
}

void Page::warn(const std::string& sentence) {
  state_->session.warn(sentence);
  touch();
}

void Page::renew_fonts() {
  state_->session.renew_fonts();
  touch();
}

void Page::leave_fullscreen() {
  state_->session.perform(EditView{[](View& view) { view.presenting = view.presenting && !view.fullscreen; }});
  touch();
}

bool Page::wants_text() const { return ImGui::GetIO().WantTextInput; }

bool Page::idle() const { return state_->session.idle() && state_->frames_due == 0; }

std::string Page::link() const { return link_to(state_->session.document()).value_or(std::string()); }

std::string Page::said() const {
  const Document& document = state_->session.document();
  return document.error.empty() ? document.notice : document.error.english();
}

bool Page::offers_recovery() const { return state_->session.offers_recovery(); }

int Page::frames_drawn() const { return state_->frames; }

int run_window(const WindowOptions& options) {
#ifndef __EMSCRIPTEN_PTHREADS__
  breathe_by(give_way);
#endif
  page() = std::make_unique<Page>(options);
  emscripten_runtime_keepalive_push();  // main() returns, but the page and its threads go on
  return 0;
}

// There are no pictures without a window here: the page is the window.
Image screenshot(const WindowOptions&) {
  throw InputError("--screenshot", "is not of the page", "expected the export dialog, or the desktop program");
}
void draw_view(const WindowOptions& options, const std::string&) { static_cast<void>(screenshot(options)); }
void record_animation(const WindowOptions&, const std::string&, std::optional<double>) {
  throw InputError("--animation", "is not of the page", "expected the export dialog, or the desktop program");
}
FrameTimes measure_frames(const WindowOptions&, int) {
  throw InputError("--frames", "is not of the page", "expected the desktop program");
}

bool do_job_of_page() {
  job_under_way() = {browser_can_give_way() != 0, Clock::now()};
  const bool done = do_job();
  job_under_way().running = false;
  return done;
}

}  // namespace headlight
