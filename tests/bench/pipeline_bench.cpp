// The pipeline beside plain loops over single numbers, within one run so that the machine cancels out; then each stage
// of one long head.   headlight_pipeline_bench [TOKENS of the long head, 4096 unless given]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <thread>

#include "core/compute/engine/engine.h"
#include "tests/attention_inputs.h"

namespace {

using namespace headlight;

double milliseconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void beside_plain_loops(const Sizes& sizes) {
  const Inputs inputs = small_inputs(sizes);
  const double naive = milliseconds([&] { naive_attention(inputs); });
  const auto with_threads = [&](int threads) {
    return milliseconds([&] { compute({}, inputs, nullptr, {.threads = threads, .stop = {}, .progress = {}}); });
  };
  const double one = with_threads(1), all = with_threads(0);
  std::printf(
      "n %5lld, d_model %5lld, %2lld heads: plain %9.2f ms, one thread %8.2f ms (%5.1f×), all threads %8.2f ms "
      "(%5.1f×)\n",
      static_cast<long long>(sizes.n_q), static_cast<long long>(sizes.d_model), static_cast<long long>(sizes.heads),
      naive, one, naive / one, all, naive / all);
}

void by_stage(const Sizes& sizes) {
  const Inputs inputs = small_inputs(sizes);
  const auto trace = compute({}, inputs, nullptr, {});
  std::printf("n %lld, d_model %lld, one head, by stage:\n", static_cast<long long>(sizes.n_q),
              static_cast<long long>(sizes.d_model));
  for (const Stage stage : trace->stages()) {
    std::printf("  %-16s %9.2f ms\n", name(stage).data(), trace->records[static_cast<std::size_t>(stage)].milliseconds);
  }
}

/// What a new mask costs beside the whole, where the stages before it are there: stages alone, then with the inputs
/// drawn, as a document is opened.
void new_mask(const Sizes& sizes) {
  const Inputs inputs = small_inputs(sizes);
  Scenario one, other;
  one.source = other.source = Source::random;
  one.queries = other.queries = sizes.n_q;
  one.d_model = other.d_model = sizes.d_model;
  one.heads = other.heads = sizes.heads;
  one.mask = "causal()";
  other.mask = "causal() && window(200)";
  const auto run = [&](const Scenario& scenario, const Trace* last) { return compute(scenario, inputs, last, {}); };
  const auto best = [](const std::function<void()>& work) {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 100; ++i) least = std::min(least, milliseconds(work));
    return least;
  };
  std::shared_ptr<const Trace> trace;
  const double whole = best([&] { trace = run(one, nullptr); });
  bool turn = false;
  const double changed = best([&] { trace = run((turn = !turn) ? other : one, trace.get()); });
  const double opened = best([&] { trace = compute(one, nullptr, {}); });
  const double changed_open = best([&] { trace = compute((turn = !turn) ? other : one, trace.get(), {}); });
  std::printf(
      "n %lld, d_model %lld, %lld heads: a new mask %.2f ms, the whole %.2f ms (%.2f of it); with inputs %.2f and %.2f "
      "ms (%.2f)\n",
      static_cast<long long>(sizes.n_q), static_cast<long long>(sizes.d_model), static_cast<long long>(sizes.heads),
      changed, whole, changed / whole, changed_open, opened, changed_open / opened);
}

/// How long a long computation keeps a short one waiting that is asked for while it is under way, at any moment of it.
void cancelled(Index tokens) {
  Scenario length, brief;
  length.source = brief.source = Source::random;
  length.queries = tokens;
  length.d_model = 512;
  length.heads = 8;
  length.mask = "causal() && (window(4096) || sink(4))";
  brief.queries = 4;
  brief.d_model = 16;
  brief.heads = 2;
  double most = 0, after = 0;
  for (int moment = 0; moment < 60; ++moment) {
    Engine engine;
    engine.submit(length);
    std::this_thread::sleep_for(std::chrono::milliseconds(50 * moment));
    const double waited = milliseconds([&] {
      engine.submit(brief);
      engine.wait();
    });
    if (waited > most) most = waited, after = 0.05 * moment;
  }
  std::printf("n %lld: cancelled within %.1f ms (the longest of 60 moments, %.2f s after the start)\n",
              static_cast<long long>(tokens), most, after);
}

}  // namespace

int main(int count, char** words) {
  const Index tokens = count > 1 ? std::atoll(words[1]) : 4096;
  beside_plain_loops({.batch = 1, .heads = 4, .kv_heads = 4, .n_q = 8, .n_k = 8, .d_model = 32});
  beside_plain_loops({.batch = 1, .heads = 8, .kv_heads = 8, .n_q = 64, .n_k = 64, .d_model = 512});
  beside_plain_loops({.batch = 1, .heads = 8, .kv_heads = 2, .n_q = 512, .n_k = 512, .d_model = 512});
  new_mask({.batch = 1, .heads = 8, .kv_heads = 8, .n_q = 512, .n_k = 512, .d_model = 512});
  cancelled(4096);
  cancelled(131072);
  by_stage({.batch = 1, .heads = 1, .kv_heads = 1, .n_q = tokens, .n_k = tokens, .d_model = 64});
  return 0;
}
