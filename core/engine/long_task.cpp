#include "core/engine/long_task.h"

#include <new>
#include <utility>

#include "core/tensor/error.h"

namespace headlight {

LongTask::LongTask(std::function<void()> wake)
    : wake_(wake ? std::move(wake) : [] {}), worker_([this] { return advance(); }) {}

LongTask::~LongTask() {
  const std::lock_guard lock(mutex_);
  waits_ = false;
  current_.request_stop();
}

void LongTask::begin() {
  current_.request_stop();
  current_ = std::stop_source();
  now_ = {.running = true, .version = now_.version + 1};
  waits_ = true;
}

void LongTask::want(const std::shared_ptr<const void>& of, Work work) {
  {
    const std::lock_guard lock(mutex_);
    wanted_ = true;
    if (of_ == of) return;
    of_ = of;
    work_ = std::move(work);
    begin();
  }
  worker_.call();
}

void LongTask::stop_held() {
  if (!now_.running) return;
  current_.request_stop();
  waits_ = now_.running = false;
  now_.stopped = true;
  now_.seconds_left.reset();
  ++now_.version;
}

void LongTask::stop() {
  const std::lock_guard lock(mutex_);
  stop_held();
}

void LongTask::again() {
  {
    const std::lock_guard lock(mutex_);
    if (now_.running || !work_) return;
    begin();
  }
  worker_.call();
}

void LongTask::forget() {
  const std::lock_guard lock(mutex_);
  stop_held();
  of_.reset();
  work_ = {};
}

void LongTask::end_frame() {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(wanted_, false)) stop_held();
}

LongTask::Now LongTask::now() const {
  const std::lock_guard lock(mutex_);
  return now_;
}

bool LongTask::settled() const {
  const std::lock_guard lock(mutex_);
  return !now_.running;
}

void LongTask::wait() {
  worker_.wait([this] { return settled(); });
}

void LongTask::tell(double share, const std::stop_token& stop) {
  constexpr std::chrono::milliseconds between{60};
  {
    const std::lock_guard lock(mutex_);
    if (stop.stop_requested()) return;
    const auto time = std::chrono::steady_clock::now();
    const double passed = std::chrono::duration<double>(time - began_).count();
    now_.share = share;
    if (share > 0) now_.seconds_left = passed / share - passed;
    if (time - woke_ < between) return;
    woke_ = time;
    ++now_.version;
  }
  wake_();
}

bool LongTask::advance() {
  std::unique_lock lock(mutex_);
  if (!std::exchange(waits_, false)) return false;
  const Work work = work_;
  const std::stop_token stop = current_.get_token();
  began_ = woke_ = std::chrono::steady_clock::now();
  lock.unlock();
  Message error;
  try {
    work(stop, [&](double share) { tell(share, stop); });
  } catch (const Cancelled&) {
  } catch (const InputError& wrong) { error = wrong.message(); } catch (const std::bad_alloc&) {
    error = "not enough memory: expected a shorter text, or fewer sentences";
  }
  lock.lock();
  if (stop.stop_requested()) return true;
  now_ = {.share = 1, .error = std::move(error), .version = now_.version + 1};
  lock.unlock();
  wake_();
  return true;
}

}  // namespace headlight
