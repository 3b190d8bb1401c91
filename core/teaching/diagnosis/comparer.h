// Compares the user's own stages with a trace on a worker: first the differences, then the mistakes that explain them.
// A newer pair replaces an older one.
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
#include "core/teaching/diagnosis/diagnosis.h"

namespace headlight {

/// The source of the stages: a file, or a known mistake made on purpose.
struct OwnSource {
  std::string path{};
  std::string mistake{};    ///< id of core/teaching/diagnosis/mistakes.h; "" for a file
  std::size_t variant = 0;  ///< index of the mistake's variant
  bool mended = false;      ///< the mistake is corrected
  bool operator==(const OwnSource&) const = default;
};

/// The comparison points into `own`, so that a result is not changed or copied once it is published.
struct Compared {
  OwnSource source;
  std::shared_ptr<const Trace> trace;  ///< the trace to compare with
  OwnStages own{};
  Comparison comparison{};
  bool searching = false;  ///< only the differences are known, mistakes are still being searched
  bool stopped = false;    ///< the search was stopped
  Message error{};         ///< why they cannot be compared; "" if they can

  /// What they were compared with: the trace, or the same under the mask that the numbers reveal.
  const std::shared_ptr<const Trace>& right() const { return comparison.assumed ? comparison.assumed->run : trace; }
};

struct SearchProgress {
  bool busy = false;
  std::string mistake;  ///< the one being tried
  double seconds = 0;
};

class Comparer {
 public:
  /// `wake` is called on the worker when there is a result, and a few times a second during the search.
  explicit Comparer(std::function<void()> wake = {});
  ~Comparer();
  Comparer(const Comparer&) = delete;
  Comparer& operator=(const Comparer&) = delete;

  /// Returns at once and drops any running comparison.
  void submit(std::shared_ptr<const Trace> trace, OwnSource source);
  /// Ends the search with what is known so far.
  void stop();
  /// The newest result that was not taken yet; null if there is none.
  std::shared_ptr<const Compared> take();
  /// Blocks until nothing is running.
  std::shared_ptr<const Compared> wait();
  SearchProgress progress() const;

 private:
  using Clock = std::chrono::steady_clock;
  /// Compares a waiting pair; false if there is none.
  bool perform_next();
  void perform(const Compared& job, std::stop_token stop);
  void publish(std::shared_ptr<const Compared> result, const std::stop_token& stop);
  void report(std::string_view mistake);

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::optional<Compared> waiting_;  ///< its source and trace
  std::shared_ptr<const Compared> ready_;
  std::stop_source current_;
  bool called_off_ = false;  ///< by stop(), not by a newer pair
  SearchProgress progress_;
  Clock::time_point started_, woken_;
  Worker worker_;
};

}  // namespace headlight
