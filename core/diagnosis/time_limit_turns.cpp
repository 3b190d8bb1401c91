// Without threads the time limit is checked whenever a frame is drawn.
#include "core/diagnosis/time_limit.h"
#include "core/parallel/turns.h"

namespace headlight {

TimeLimit::TimeLimit(double seconds, std::stop_token outer) : outer_(outer), passed_on_(std::move(outer), Ask{&both_}) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  add_look(this, [this, end] {
    if (Clock::now() >= end) both_.request_stop();
  });
}

TimeLimit::~TimeLimit() { remove_look(this); }

}  // namespace headlight
