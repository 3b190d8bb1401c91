#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "app/gl/gl_matrix_painter.h"
#include "app/window/imgui_host.h"
#include "app/window/offscreen.h"
#include "app/window/window.h"
#include "core/base/tensor/error.h"
#include "core/teaching/explain/explain.h"
#include "ui/base/timeline/timeline.h"
#include "ui/window/session/session.h"

namespace headlight {
namespace {

constexpr int picture_width = 1600, picture_height = 900;
// ImGui needs a few frames for its layout, and animations take half a second at most. The upper limit is far above
// both.
constexpr int least_frames = 4, most_frames = 600;

/// Throws SettingError for a cell or a step that the run does not have.
void check_choices(const WindowOptions& options, const Trace& trace) {
  if (!options.selected.empty()) cell_named(trace, "--select", options.selected);
  if (!options.step) return;
  const int last = Timeline(trace, options.start.view.way).count() - 1;
  if (*options.step > last)
    throw SettingError("--step", Message("{0} is out of range", *options.step), Message("expected 0 to {0}", last));
}

/// Draws a window's content without a window, at first until nothing moves. The members are in the order of their
/// creation.
class OffscreenWindow {
 public:
  explicit OffscreenWindow(const WindowOptions& options)
      : width_(options.width > 0 ? options.width : picture_width),
        height_(options.height > 0 ? options.height : picture_height),
        scale_(options.scale),
        target_(width_, height_),
        session_(options.start, [] {}) {
    session_.set_texture_limit(max_texture_size());
    const Message error = session_.wait();
    if (!error.empty()) throw InputError("", error);
    if (const auto& trace = session_.document().trace) check_choices(options, *trace);
    for (int frame = 0; frame < most_frames && (frame < least_frames || !session_.idle()); ++frame) {
      draw_frame();
      session_.wait();  // waits for results that a window would draw later
    }
  }

  void draw_frame() {
    session_.update();
    const bool fonts_changed = session_.prepare_fonts(scale_);
    host_.set_frame(width_, height_);
    host_.begin_frame(fonts_changed);
    painter_.begin_frame();
    session_.draw(painter_);
    target_.bind();
    host_.render(width_, height_, session_.ground());
  }

  void film(const std::string& path, std::optional<double> seconds_per_step) {
    session_.film(path, seconds_per_step);
    record();
  }

  void save(const std::string& path, bool alone) {
    session_.picture(path, alone);
    record();
  }

  Image picture() const { return target_.read(); }

 private:
  void record() {
    while (session_.recording()) {
      draw_frame();
      if (session_.wants_pixels()) session_.take_pixels(target_.read());
    }
    if (const Message& error = session_.document().error; !error.empty()) throw InputError("", error);
  }

  int width_, height_;
  float scale_;
  OffscreenContext context_;
  Framebuffer target_;
  ImguiHost host_;
  GlMatrixPainter painter_;
  Session session_;
};

double percentile(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

Image screenshot(const WindowOptions& options) { return OffscreenWindow(options).picture(); }

void draw_view(const WindowOptions& options, const std::string& path) {
  OffscreenWindow(options).save(path, options.start.view.alone);
}

void record_animation(const WindowOptions& options, const std::string& path, std::optional<double> seconds_per_step) {
  OffscreenWindow(options).film(path, seconds_per_step);
}

FrameTimes measure_frames(const WindowOptions& options, int frames) {
  using Clock = std::chrono::steady_clock;
  OffscreenWindow window(options);
  std::vector<double> times;
  for (int frame = 0; frame < frames; ++frame) {
    const Clock::time_point start = Clock::now();
    window.draw_frame();
    glFinish();
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  return {frames, percentile(times, 0.5), percentile(times, 0.99)};
}

}  // namespace headlight
