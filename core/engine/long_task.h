// LongTask: one long computation on a worker, with progress and a stop. It leaves its results where its creator reads
// them.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "core/parallel/worker.h"
#include "core/tensor/message.h"

namespace headlight {

class LongTask {
 public:
  /// Throws Cancelled if `stop` asks for it, and InputError. `told` receives the finished share.
  using Work = std::function<void(const std::stop_token& stop, const std::function<void(double share)>& told)>;
  struct Now {
    bool running = false;
    bool stopped = false;  ///< before it was finished
    double share = 0;
    std::optional<double> seconds_left{};
    Message error{};
    std::uint64_t version = 0;  ///< increases with every change
  };

  /// `wake` is called on the worker when something changes.
  explicit LongTask(std::function<void()> wake = {});
  ~LongTask();
  LongTask(const LongTask&) = delete;
  LongTask& operator=(const LongTask&) = delete;

  /// Call in each frame that shows it. Work starts if `of` differs from the last call; it replaces what was running.
  void want(const std::shared_ptr<const void>& of, Work work);
  void stop();
  /// Restarts a stopped task.
  void again();
  /// Drops the work, and what it holds.
  void forget();
  /// Call after each frame: the work stops if nothing was requested in it.
  void end_frame();
  Now now() const;
  bool settled() const;
  /// Blocks until the work ends; for pictures and tests.
  void wait();

 private:
  bool advance();
  void begin();      ///< requires mutex_
  void stop_held();  ///< requires mutex_
  void tell(double share, const std::stop_token& stop);

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::shared_ptr<const void> of_;
  Work work_;
  std::stop_source current_;
  Now now_;
  std::chrono::steady_clock::time_point began_, woke_;
  bool wanted_ = false, waits_ = false;
  Worker worker_;
};

}  // namespace headlight
