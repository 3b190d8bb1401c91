// A background worker that runs one job at a time: on a thread of its own or, in a program without threads, between
// frames (core/parallel/turns.h).
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace headlight {

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

}  // namespace headlight
