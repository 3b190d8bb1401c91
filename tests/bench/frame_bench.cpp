// What one matrix on screen costs a frame, by its size: prints the median and the 99th percentile of N frames, each
// until the GPU is done with it. Usage: headlight_frame_bench [N]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <vector>

#include "app/gl/gl_matrix_painter.h"
#include "app/window/imgui_host.h"
#include "app/window/offscreen.h"

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

  double frame_ms(const MatrixQuad* quad) {
    const auto start = std::chrono::steady_clock::now();
    host.set_frame(width, height);
    host.begin_frame(false);
    painter.begin_frame();
    if (quad != nullptr) painter.draw(*ImGui::GetBackgroundDrawList(), *quad);
    target.bind();
    host.render(width, height, colours(Theme::light).card);
    glFinish();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
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

}  // namespace

int main(int argc, char** argv) try {
  const int frames = std::max(argc > 1 ? std::atoi(argv[1]) : 200, 1);
  Bench bench;
  std::printf("%s, %d x %d, %d frames\n", opengl_renderer().c_str(), width, height, frames);
  bench.report("nothing", nullptr, frames);
  const Colormap map = colormap("attention", Theme::light);
  for (const bool masked : {false, true}) {
    for (const Index n : {8, 64, 512, 2048, 4096}) {
      MatrixQuad quad;
      quad.max = ImVec2(800, 800);
      quad.values = ramp(n);
      if (masked) quad.mask = causal(n);
      quad.colormap = &map;
      quad.cell_gap = n <= 64 ? 1.0f : 0.0f;
      char name[64];
      std::snprintf(name, sizeof name, "%d x %d%s", static_cast<int>(n), static_cast<int>(n), masked ? ", masked" : "");
      bench.report(name, &quad, frames);
    }
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "headlight_frame_bench: %s\n", error.what());
  return 2;
}
