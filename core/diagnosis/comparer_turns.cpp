// The comparer of a program without threads: it searches in turns with the frames.
#include <utility>

#include "core/diagnosis/comparer.h"
#include "core/parallel/turns.h"

namespace headlight {

Comparer::Comparer(std::function<void()> wake) : wake_(wake ? std::move(wake) : [] {}) {
  add_job(this, [this] {
    std::unique_lock lock(mutex_);
    if (!waiting_) return false;
    settle(lock);
    lock.unlock();
    wake_();
    return true;
  });
}

Comparer::~Comparer() {
  current_.request_stop();
  remove_job(this);
}

void Comparer::submit(std::shared_ptr<const Trace> trace, OwnSource source) {
  waiting_ = Job{std::move(trace), std::move(source)};
  ready_.reset();
  called_off_ = false;
  current_.request_stop();
  progress_ = {.busy = true, .mistake = {}};
  started_ = Clock::now();
}

std::shared_ptr<const Beside> Comparer::wait() {
  while (progress_.busy && do_job()) {
  }
  return std::exchange(ready_, nullptr);
}

}  // namespace headlight
