// Engine: computes scenarios off the frame. The newest scenario wins: an older one under way is cancelled.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "core/parallel/worker.h"
#include "core/run/difference.h"
#include "core/run/pipeline.h"

namespace headlight {

/// What came of one scenario: a trace, or the sentence that says why there is none. Cancelled scenarios have no
/// outcome.
struct Outcome {
  std::uint64_t ticket = 0;  ///< as returned by submit()
  Scenario scenario;         ///< as it was submitted; that of a network's trace has the model's settings, too
  std::shared_ptr<const Trace> trace;
  std::shared_ptr<const Difference> difference;  ///< from the trace it was to be compared with; null without one
  std::string error;
  bool last =
      true;  ///< false: the trace has its first look alone (core/run/pipeline.h); the same with all of it follows
};

struct Progress {
  bool busy = false;
  Stage stage{};
  double share = 0;  ///< of the stages' estimated work, 0…1
  double elapsed_seconds = 0;
};

class Engine {
 public:
  /// `wake` is called from the worker when an outcome is ready and, some 30 times a second, when progress moved; it
  /// must be thread-safe and quick and must not throw.
  explicit Engine(std::function<void()> wake = {});
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Returns at once; tickets grow. The outcome is also subtracted from `against`, where that is given.
  std::uint64_t submit(Scenario scenario, std::shared_ptr<const Trace> against = {});
  /// The newest outcome not yet taken, if any.
  std::optional<Outcome> take();
  /// Blocks until everything submitted is settled; for the command line and tests.
  std::optional<Outcome> wait();
  Progress progress() const;

 private:
  using Clock = std::chrono::steady_clock;

  struct Job {
    Scenario scenario;
    std::shared_ptr<const Trace> against;
  };

  /// Computes what waits; false where nothing does.
  bool settle();
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
  std::uint64_t settled_ticket_ = 0;
  std::shared_ptr<const Trace> last_;  ///< the worker's alone
  Worker worker_;
};

}  // namespace headlight
