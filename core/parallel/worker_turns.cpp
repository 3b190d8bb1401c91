#include <utility>

#include "core/parallel/turns.h"
#include "core/parallel/worker.h"

namespace headlight {

Worker::Worker(std::function<bool()> job) : job_(std::move(job)) { add_job(this, job_); }

Worker::~Worker() { remove_job(this); }

void Worker::call() {}

void Worker::wait(const std::function<bool()>& done) {
  while (!done() && do_job()) {}
}

}  // namespace headlight
