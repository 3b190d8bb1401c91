// Background work: a worker and a time limit. In a program without threads they run between its frames
// (core/base/parallel/jobs.h).
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace headlight {

/// Runs one job at a time in the background.
class Worker {
 public:
  /// `job` completes one waiting job, and returns false if none waits. It may be called at once, from another thread.
  explicit Worker(std::function<bool()> job);
  /// Waits for a running job.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Announces a waiting job.
  void call();
  /// Blocks until `done` is true, which jobs bring about. Hold no lock that `done` or a job takes.
  void wait(const std::function<bool()>& done);

 private:
  void work(const std::stop_token& quit);

  std::function<bool()> job_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool called_ = false;
  std::jthread thread_;
};

/// A stop token that also stops after a time limit.
class TimeLimit {
 public:
  TimeLimit(double seconds, std::stop_token outer);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  std::stop_token token() const { return both_.get_token(); }
  /// Whether the time ran out before anyone else asked to stop.
  bool is_up() const { return both_.stop_requested() && !outer_.stop_requested(); }

 private:
  void sleep(std::stop_token woken, std::chrono::steady_clock::time_point end);

  struct Ask {
    std::stop_source* both;
    void operator()() const { both->request_stop(); }
  };
  std::stop_token outer_;
  std::stop_source both_;
  std::stop_callback<Ask> passed_on_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread clock_;  ///< last member, since it uses the others
};

}  // namespace headlight
