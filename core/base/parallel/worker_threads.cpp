#include <utility>

#include "core/base/parallel/worker.h"

namespace headlight {

Worker::Worker(std::function<bool()> job)
    : job_(std::move(job)), thread_([this](const std::stop_token& quit) { work(quit); }) {}

Worker::~Worker() = default;

void Worker::call() {
  const std::lock_guard lock(mutex_);
  called_ = true;
  changed_.notify_all();
}

void Worker::wait(const std::function<bool()>& done) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, done);
}

void Worker::work(const std::stop_token& quit) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, quit, [this] { return called_; }) && !quit.stop_requested()) {
    called_ = false;
    lock.unlock();
    const bool did = job_();
    lock.lock();
    called_ = called_ || did;  // the job may have more to do
    changed_.notify_all();
  }
}

TimeLimit::TimeLimit(double seconds, std::stop_token outer) : outer_(outer), passed_on_(std::move(outer), Ask{&both_}) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  clock_ = std::jthread([this, end](std::stop_token woken) { sleep(std::move(woken), end); });
}

TimeLimit::~TimeLimit() = default;

void TimeLimit::sleep(std::stop_token woken, std::chrono::steady_clock::time_point end) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, woken, end, [] { return false; });
  if (!woken.stop_requested()) both_.request_stop();
}

}  // namespace headlight
