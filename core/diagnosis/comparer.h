// Somebody's own stages beside a trace, compared off the frame: the differences at once, the mistakes behind them when
// they are found. The newest pair wins.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "core/diagnosis/diagnosis.h"
#include "core/parallel/worker.h"

namespace headlight {

/// Where the stages come from: a file, or a known mistake that is made on purpose.
struct OwnSource {
  std::string path{};
  std::string mistake{};    ///< an id of core/diagnosis/mistakes.h; "" for a file
  std::size_t variant = 0;  ///< of the mistake's
  bool mended = false;      ///< the mistake is not made any more
  bool operator==(const OwnSource&) const = default;
};

/// Immutable: the comparison points into `own`.
struct Beside {
  OwnSource source;
  std::shared_ptr<const Trace> trace;  ///< what they were to be compared with
  OwnStages own{};
  Comparison comparison{};
  bool searching = false;  ///< the differences alone, mistakes are still looked for
  bool stopped = false;    ///< the search was called off
  std::string error{};     ///< why they cannot be compared; "" if they are

  /// What they were compared with: the trace, or the same under the mask that the numbers show.
  const std::shared_ptr<const Trace>& right() const { return comparison.assumed ? comparison.assumed->run : trace; }
};

struct SearchProgress {
  bool busy = false;
  std::string mistake;  ///< that is tried
  double seconds = 0;
};

class Comparer {
 public:
  /// `wake` is called from the worker when there is something new, and a few times a second while it searches.
  explicit Comparer(std::function<void()> wake = {});
  ~Comparer();
  Comparer(const Comparer&) = delete;
  Comparer& operator=(const Comparer&) = delete;

  /// Returns at once. What was under way is dropped.
  void submit(std::shared_ptr<const Trace> trace, OwnSource source);
  /// The search ends with what is known so far.
  void stop();
  /// The newest result that was not taken yet; null where there is none.
  std::shared_ptr<const Beside> take();
  /// Blocks until nothing is under way.
  std::shared_ptr<const Beside> wait();
  SearchProgress progress() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Job {
    std::shared_ptr<const Trace> trace;
    OwnSource source;
  };
  /// Compares what waits; false where nothing does.
  bool settle();
  void perform(const Job& job, std::stop_token stop);
  void publish(std::shared_ptr<const Beside> result, const std::stop_token& stop);
  void report(std::string_view mistake);

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::optional<Job> waiting_;
  std::shared_ptr<const Beside> ready_;
  std::stop_source current_;
  bool called_off_ = false;  ///< by stop(), not by a newer pair
  SearchProgress progress_;
  Clock::time_point started_, woken_;
  Worker worker_;
};

}  // namespace headlight
