#include "core/diagnosis/time_limit.h"

namespace headlight {

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
