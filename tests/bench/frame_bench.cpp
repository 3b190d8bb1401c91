// What a frame costs, each until the GPU is done with it: of the whole window, and of one matrix by its size. Prints
// the median and the 99th percentile of N frames, and what the largest matrix costs more than the smallest, drawn by
// turns so that whatever else the machine does weighs on both. Usage: headlight_frame_bench [N]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "app/gl/gl_matrix_painter.h"
#include "app/window/imgui_host.h"
#include "app/window/offscreen.h"
#include "app/window/window.h"
#include "core/compute/engine/learning.h"
#include "core/scenario/documents/open_source.h"
#include "ui/window/session/session.h"

using namespace headlight;

namespace {

constexpr int width = 1600, height = 900;

/// Columns beyond the diagonal are masked, as under a causal mask.
Tensor causal(Index n) {
  Buffer values(static_cast<std::size_t>(n * n));
  for (Index at = 0; at < n * n; ++at) values[static_cast<std::size_t>(at)] = at % n <= at / n ? 1.0f : 0.0f;
  return Tensor({n, n}, std::move(values));
}

Tensor ramp(Index n) {
  Buffer values(static_cast<std::size_t>(n * n));
  for (std::size_t at = 0; at < values.size(); ++at) values[at] = static_cast<float>(at * 7919 % 1000) / 1000.0f;
  return Tensor({n, n}, std::move(values));
}

struct Bench {
  OffscreenContext context;
  Framebuffer target{width, height};
  ImguiHost host;
  GlMatrixPainter painter;

  /// `prepare()` says whether the fonts changed; `draw()` gives the ground's colour.
  template <typename Prepare, typename Draw>
  double frame_ms(Prepare prepare, Draw draw) {
    const auto start = std::chrono::steady_clock::now();
    const bool fonts_changed = prepare();
    host.set_frame(width, height);
    host.begin_frame(fonts_changed);
    painter.begin_frame();
    const auto ground = draw();
    target.bind();
    host.render(width, height, ground);
    glFinish();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }
  double frame_ms(const MatrixQuad* quad) {
    return frame_ms([] { return false; },
                    [&] {
                      if (quad != nullptr) painter.draw(*ImGui::GetBackgroundDrawList(), *quad);
                      return colours(Theme::light).card;
                    });
  }

  /// Blocks of ten frames by turns, the first three of each to settle; gives the medians.
  std::pair<double, double> by_turns(const MatrixQuad& a, const MatrixQuad& b, int frames) {
    std::vector<double> times[2];
    for (int block = 0; block < frames / 7 + 1; ++block) {
      for (const int which : {0, 1}) {
        for (int frame = 0; frame < 10; ++frame) {
          const double time = frame_ms(which == 0 ? &a : &b);
          if (frame >= 3) times[which].push_back(time);
        }
      }
    }
    for (std::vector<double>& each : times) std::sort(each.begin(), each.end());
    return {times[0][times[0].size() / 2], times[1][times[1].size() / 2]};
  }

  void report(const char* name, const MatrixQuad* quad, int frames) {
    const double first = frame_ms(quad);
    for (int warming = 0; warming < 10; ++warming) frame_ms(quad);
    std::vector<double> times(static_cast<std::size_t>(frames));
    const std::clock_t start = std::clock();
    for (double& time : times) time = frame_ms(quad);
    const double processor = 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / frames;
    std::sort(times.begin(), times.end());
    std::printf("%-22s first %7.2f  median %6.2f  p99 %6.2f  of all processors %6.2f ms\n", name, first,
                times[times.size() / 2], times[times.size() * 99 / 100], processor);
  }
};

MatrixQuad quad_of(Index n, bool masked, const Colormap& map) {
  MatrixQuad quad;
  quad.max = ImVec2(800, 800);
  quad.values = ramp(n);
  if (masked) quad.mask = causal(n);
  quad.colormap = &map;
  quad.cell_gap = n <= 64 ? 1.0f : 0.0f;
  return quad;
}

/// As `headlight --queries N --frames N`; 0: the document that it opens without a word.
void report_window(const char* name, Index queries, int frames) {
  WindowOptions options;
  options.width = width;
  options.height = height;
  if (queries == 0) {
    options.start.origin.lesson = open_source(std::string("lesson:") + default_lesson);
    options.start.scenario = options.start.origin.lesson.scenario;
  } else {
    options.start.scenario.source = Source::random;
    options.start.scenario.queries = queries;
  }
  const FrameTimes times = measure_frames(options, frames);
  std::printf("%-22s                median %6.2f  p99 %6.2f ms\n", name, times.median_ms, times.p99_ms);
}

Index learned_step(const Session& session) {
  const auto& learned = session.document().learned;
  return learned ? learned->step : 0;
}

/// The view Train, while a network learns as fast as it can.
void report_learning(Bench& bench, const char* name, const std::string& run, int frames) {
  Document start;
  start.scenario.source = Source::file;
  start.scenario.file = run;
  start.view.kind = ViewKind::train;
  start.view.train.pace = TrainPace::at_once;
  start.view.train.until = 20000;
  Session session(std::move(start), [] {});
  const auto prepare = [&] {
    session.update();
    return session.prepare_fonts(1);
  };
  const auto draw = [&] {
    session.draw(bench.painter);
    return session.ground();
  };
  const auto frame = [&] { return bench.frame_ms(prepare, draw); };
  while (learned_step(session) == 0 && session.document().error.empty()) frame();
  const Index first = learned_step(session);
  std::vector<double> times(static_cast<std::size_t>(frames));
  for (double& time : times) time = frame();
  const Index steps = learned_step(session) - first;
  std::sort(times.begin(), times.end());
  std::printf("%-22s                median %6.2f  p99 %6.2f ms, %d steps learned meanwhile\n", name,
              times[times.size() / 2], times[times.size() * 99 / 100], static_cast<int>(steps));
}

}  // namespace

int main(int argc, char** argv) try {
  const int frames = std::max(argc > 1 ? std::atoi(argv[1]) : 200, 1);
  report_window("window", 0, frames);
  report_window("window, 8 tokens", 8, frames);
  report_window("window, 2048 tokens", 2048, frames);
  Bench bench;
  report_learning(bench, "learns: reverse", "train:reverse;steps=20000@0", frames);
  report_learning(bench, "learns: two layers",
                  "train:reverse;steps=20000;batch_size=32;length=64;d_model=128;layers=2;mlp=true@0", frames);
  std::printf("%s, %d x %d, %d frames\n", opengl_renderer().c_str(), width, height, frames);
  bench.report("nothing", nullptr, frames);
  const Colormap map = colormap("attention", Theme::light);
  for (const bool masked : {false, true}) {
    for (const Index n : {8, 64, 512, 2048, 4096}) {
      const MatrixQuad quad = quad_of(n, masked, map);
      char name[64];
      std::snprintf(name, sizeof name, "%d x %d%s", static_cast<int>(n), static_cast<int>(n), masked ? ", masked" : "");
      bench.report(name, &quad, frames);
    }
  }
  for (const bool masked : {false, true}) {
    const auto [small, large] = bench.by_turns(quad_of(8, masked, map), quad_of(2048, masked, map), frames);
    std::printf("2048 x 2048 beside 8 x 8%s: %.2f and %.2f, %+.2f ms a frame\n", masked ? ", masked" : "", large, small,
                large - small);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "headlight_frame_bench: %s\n", error.what());
  return 2;
}
