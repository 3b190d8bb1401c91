// LongTask: one long computation off the frame. It says how far it is and can be stopped; what it finds it leaves where
// its maker reads it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "core/parallel/worker.h"

namespace headlight {

class LongTask {
 public:
  /// Throws Cancelled when `stop` asks for it, and InputError. `told` takes the share that is done.
  using Work = std::function<void(const std::stop_token& stop, const std::function<void(double share)>& told)>;
  struct Now {
    bool running = false;
    bool stopped = false;  ///< before it was done
    double share = 0;
    std::optional<double> seconds_left{};
    std::string error{};
    std::uint64_t version = 0;  ///< grows with every change
  };

  /// `wake` is called from the worker when there is news.
  explicit LongTask(std::function<void()> wake = {});
  ~LongTask();
  LongTask(const LongTask&) = delete;
  LongTask& operator=(const LongTask&) = delete;

  /// Once a frame that shows it. The work begins where `of` is another than the last one's, in whose place it comes.
  void want(const std::shared_ptr<const void>& of, Work work);
  void stop();
  /// What was stopped begins again.
  void again();
  /// After a frame: where nothing was wanted in it, the work stops.
  void end_frame();
  Now now() const;
  bool settled() const;
  /// Blocks until the work ends; for pictures and tests.
  void wait();

 private:
  bool advance();
  void begin();      ///< mutex_ is held
  void stop_held();  ///< the same
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
