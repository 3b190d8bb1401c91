// One who works off the frame, a job at a time: on a thread of its own or, in a program without threads, in turns with
// the frames (core/parallel/turns.h).
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace headlight {

class Worker {
 public:
  /// `job` does what waits, whole; false where nothing does. It may be called from now on, from another thread.
  explicit Worker(std::function<bool()> job);
  /// A job that is under way ends first.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Something waits to be done.
  void call();
  /// Blocks until `done`, which jobs make true. Hold nothing that `done` or a job locks.
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
