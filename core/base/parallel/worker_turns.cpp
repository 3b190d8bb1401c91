#include <utility>

#include "core/base/parallel/jobs.h"
#include "core/base/parallel/worker.h"

namespace headlight {

Worker::Worker(std::function<bool()> job) : job_(std::move(job)) { add_job(this, job_); }

Worker::~Worker() { remove_job(this); }

void Worker::call() {}

void Worker::wait(const std::function<bool()>& done) {
  while (!done() && do_job()) {}
}

// The clock is looked at in each frame.
TimeLimit::TimeLimit(double seconds, std::stop_token outer) : outer_(outer), passed_on_(std::move(outer), Ask{&both_}) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  add_poll(this, [this, end] {
    if (Clock::now() >= end) both_.request_stop();
  });
}

TimeLimit::~TimeLimit() { remove_poll(this); }

}  // namespace headlight
