// Engine: computes scenarios on a worker thread. A newer scenario cancels an older one that is still being computed.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "core/base/parallel/worker.h"
#include "core/base/tensor/message.h"
#include "core/compute/run/difference.h"
#include "core/compute/run/pipeline.h"

namespace headlight {

/// The result of one scenario: a trace, or an error sentence. Cancelled scenarios have no result.
struct Outcome {
  std::uint64_t ticket = 0;  ///< as returned by submit()
  Scenario scenario;         ///< as submitted; a network's trace also has the model's settings in its own scenario
  std::shared_ptr<const Trace> trace;
  std::shared_ptr<const Difference> difference;  ///< from the trace to compare with; null if there was none
  Message error;
  bool last = true;  ///< false: only a first look (core/compute/run/pipeline.h); the complete trace follows
};

struct Progress {
  bool busy = false;
  Stage stage{};
  double share = 0;  ///< share of the estimated work, 0…1
  double elapsed_seconds = 0;
};

class Engine {
 public:
  /// `wake` is called on the worker when a result is ready and, about 30 times a second, when progress was made; it
  /// must be thread-safe, fast, and must not throw.
  explicit Engine(std::function<void()> wake = {});
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Returns at once; tickets increase. If `against` is given, the result includes the difference from it. If `loss` is
  /// given, the trace is that of its gradients (core/compute/network/gradients.h).
  std::uint64_t submit(Scenario scenario, std::shared_ptr<const Trace> against = {},
                       std::optional<std::string> loss = {});
  /// The newest result that was not taken yet.
  std::optional<Outcome> take();
  /// Blocks until everything submitted is finished; for the command line and tests.
  std::optional<Outcome> wait();
  Progress progress() const;

 private:
  using Clock = std::chrono::steady_clock;

  struct Job {
    Scenario scenario;
    std::shared_ptr<const Trace> against;
    std::optional<std::string> loss;
  };

  /// Computes a waiting scenario; false if there is none.
  bool perform_next();
  static void perform(const Job& job, const Trace* last, const Run& run, Outcome& outcome);
  static bool attempt(Outcome& outcome, const std::function<void()>& work);
  void publish(const Outcome& outcome);
  void report(Stage stage, double share);

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::optional<Job> waiting_;
  std::optional<Outcome> ready_;
  std::stop_source current_;
  Progress progress_;
  Clock::time_point started_, woken_;
  std::uint64_t last_ticket_ = 0;
  std::uint64_t finished_ticket_ = 0;
  std::shared_ptr<const Trace> last_;  ///< used by the worker only
  Worker worker_;
};

}  // namespace headlight
