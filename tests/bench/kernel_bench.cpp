// Every kernel beside oneDNN's product and a plain copy, in one run so that the machine cancels out.
//   headlight_kernel_bench [THREADS, all unless given]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <thread>

#include <dlfcn.h>

#include "core/base/tensor/sampler.h"
#include "core/compute/attention/kernels/kernels.h"
#include "core/compute/attention/projection.h"

namespace {

using namespace headlight;

double best_seconds(int runs, const std::function<void()>& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

// Loaded where it is installed (Debian: libdnnl2), so that nobody has to build against it.
using Sgemm = int (*)(char, char, Index, Index, Index, float, const float*, Index, const float*, Index, float, float*,
                      Index);
Sgemm onednn() {
  for (const char* library : {"libdnnl.so.3", "libdnnl.so.2"}) {
    if (void* handle = dlopen(library, RTLD_NOW)) return reinterpret_cast<Sgemm>(dlsym(handle, "dnnl_sgemm"));
  }
  return nullptr;
}

void projections(int threads) {
  const Sgemm sgemm = onednn();
  if (!sgemm) std::printf("oneDNN is not installed (Debian: libdnnl2)\n");
  Workers workers;
  workers.threads = threads;
  for (const auto& [rows, width] : {std::pair<Index, Index>{10, 512}, {512, 512}, {2048, 1024}}) {
    const Tensor x = Sampler(1, "x").normal({1, rows, width}), w = Sampler(1, "w").normal({width, width});
    const double work = 2e-9 * static_cast<double>(rows * width * width);
    const double ours = best_seconds(40, [&] { project(x, w, {}, workers); });
    std::printf("projection [%5lld x %4lld] [%4lld x %4lld]   ours %8.3f ms %6.1f GFLOP/s",
                static_cast<long long>(rows), static_cast<long long>(width), static_cast<long long>(width),
                static_cast<long long>(width), ours * 1e3, work / ours);
    if (sgemm) {
      Buffer c(static_cast<std::size_t>(rows * width));
      const double theirs = best_seconds(40, [&, rows = rows, width = width] {
        sgemm('N', 'T', rows, width, width, 1, x.values().data(), width, w.values().data(), width, 0, c.data(), width);
      });
      std::printf("   oneDNN %8.3f ms %6.1f GFLOP/s   %3.0f %%", theirs * 1e3, work / theirs, 100 * theirs / ours);
    }
    std::printf("\n");
  }
}

void loops() {
  constexpr Index n = 2048;
  const Tensor values = Sampler(2, "x").normal({n});
  std::vector<float> x(static_cast<std::size_t>(n)), y(x.size());
  const auto fresh = [&] { std::memcpy(x.data(), values.values().data(), x.size() * sizeof(float)); };
  constexpr int times = 200;
  const auto nanoseconds = [&](auto loop) {
    return 1e9 / (times * static_cast<double>(n)) * best_seconds(20, [&] {
             for (int i = 0; i < times; ++i) {
               fresh();
               loop();
             }
           });
  };
  const double copy = nanoseconds([] {});
  std::printf("a row of %lld numbers, ns a number beside the copy of it (%.3f):\n", static_cast<long long>(n), copy);
  for (const Kernels* use : available_kernels()) {
    std::printf("  %-7s scale %.3f  mask %.3f  softmax %.3f  tanh %.3f\n", use->name,
                nanoseconds([&] { use->scale(x.data(), n, 1.5F); }) - copy,
                nanoseconds([&] { use->mask(x.data(), values.values().data(), n, 0); }) - copy,
                nanoseconds([&] { use->softmax(x.data(), n, -std::numeric_limits<float>::infinity()); }) - copy,
                nanoseconds([&] { use->cap(x.data(), n, 5); }) - copy);
  }
}

}  // namespace

int main(int count, char** words) {
  const int threads = count > 1 ? std::atoi(words[1]) : static_cast<int>(std::thread::hardware_concurrency());
  std::printf("kernels in use: %s, %d threads\n", kernels().name, threads);
  projections(threads);
  loops();
  return 0;
}
