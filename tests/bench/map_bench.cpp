// What the map of a long sequence costs, drawn without a display until the GPU is done with each frame: from the start
// to the first whole picture and to the exact one, and frames while one pans over tiles that are there, and while one
// zooms from the whole to single cells and back. Usage: headlight_map_bench [TOKENS [MASK]]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>

#include "app/gl/gl_matrix_painter.h"
#include "app/window/imgui_host.h"
#include "app/window/offscreen.h"
#include "ui/window/session/session.h"

using namespace headlight;

namespace {

constexpr int width = 1600, height = 900;

Document on_map(Index tokens, const char* mask) {
  Document document;
  Scenario& scenario = document.scenario;
  scenario.source = Source::random;
  scenario.queries = tokens;
  scenario.d_model = 512;
  scenario.heads = 8;
  scenario.mask = mask;
  document.view.kind = ViewKind::map;
  return document;
}

class Bench {
 public:
  explicit Bench(Document start) : session_(std::move(start), [this] { wake(); }) {
    session_.set_texture_limit(ImguiHost::texture_limit());
  }

  Session& session() { return session_; }
  double frame_ms() {
    const auto start = std::chrono::steady_clock::now();
    session_.update();
    const bool fonts_changed = session_.prepare_fonts(1);
    host_.set_frame(width, height);
    host_.begin_frame(fonts_changed);
    painter_.begin_frame();
    session_.draw(painter_);
    target_.bind();
    host_.render(width, height, session_.ground());
    glFinish();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }
  /// As a window does between frames: until there is something new, or a frame is due.
  void sleep() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::duration<double>(std::min(session_.next_frame_in(), 1.0)),
                      [this] { return woken_; });
    woken_ = false;
  }
  /// At first the one coarse tile of the whole.
  bool shows_tiles() const { return painter_.textures().uploads() > 0; }
  void settle() {
    for (int frame = 0; frame < 4 || !session_.idle(); ++frame) {
      frame_ms();
      session_.wait();
    }
  }
  /// `where` gives what is in sight in frame i, 60 frames a second at most.
  void report(const char* name, int frames, const std::function<MapRegion(int)>& where) {
    std::vector<double> times;
    for (int i = 0; i < frames; ++i) {
      session_.perform(EditView{[region = where(i)](View& view) { view.map.region = region; }});
      times.push_back(frame_ms());
      std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(std::max(0.0, 1000.0 / 60 - times.back())));
    }
    std::sort(times.begin(), times.end());
    std::printf("%-40s median %6.2f  p99 %6.2f ms a frame\n", name, times[times.size() / 2],
                times[times.size() * 99 / 100]);
  }

 private:
  void wake() {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    changed_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
  OffscreenContext context_;
  Framebuffer target_{width, height};
  ImguiHost host_;
  GlMatrixPainter painter_;
  Session session_;
};

MapRegion around(double middle, double across) {
  return {middle - across / 2, middle + across / 2, middle - across / 2, middle + across / 2};
}

}  // namespace

int main(int argc, char** argv) try {
  const Index tokens = argc > 1 ? std::atoll(argv[1]) : 131072;
  const char* const mask = argc > 2 ? argv[2] : "causal() && (window(4096) || sink(4))";
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  Bench bench(on_map(tokens, mask));
  while (!bench.session().document().trace) {
    bench.frame_ms();
    bench.sleep();
    if (const Message& error = bench.session().document().error; !error.empty())
      throw std::runtime_error(error.english());
  }
  const double computed = seconds();
  while (!bench.shows_tiles()) {
    bench.sleep();
    bench.frame_ms();
  }
  std::printf("%lld tokens, %s: trace after %.2f s, whole picture after %.2f s", static_cast<long long>(tokens), mask,
              computed, seconds());
  bench.settle();
  std::printf(", exact after %.2f s\n", seconds());
  const double n = static_cast<double>(tokens), middle = n / 2;
  bench.session().perform(EditView{[&](View& view) { view.map.region = around(middle, n / 8); }});
  bench.settle();
  bench.report("pan, tiles there", 240, [&](int i) { return around(middle + n / 400 * std::sin(i / 20.0), n / 8); });
  bench.report("zoom, tiles come", 480, [&](int i) {
    return around(middle - n / 200, n * std::pow(8 / n, 0.5 - 0.5 * std::cos(i * 6.28318 / 480)));
  });
  bench.report("pan, tiles come", 240, [&](int i) { return around(n / 8 + n / 400 * i, n / 8); });
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  std::printf("at most %.2f GB\n", static_cast<double>(used.ru_maxrss) / (1 << 20));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "headlight_map_bench: %s\n", error.what());
  return 2;
}
