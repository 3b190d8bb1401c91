#include "core/engine/engine.h"

#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

#include "core/network/network_trace.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

using namespace std::chrono_literals;

constexpr auto between_wakes = 30ms;
constexpr const char* out_of_memory =
    "this computation needs more memory than there is; fewer tokens, heads or batch entries were expected";

// The sentence for the exception under way; none where the run was cancelled.
std::optional<std::string> sentence() {
  try {
    throw;
  } catch (const Cancelled&) {
    return std::nullopt;
  } catch (const std::bad_alloc&) {
    return out_of_memory;
  } catch (const std::length_error&) {  // a vector's word for more than any memory holds
    return out_of_memory;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "the computation failed for an unknown reason";
  }
}

}  // namespace

Engine::Engine(std::function<void()> wake) : wake_(wake ? std::move(wake) : [] {}), worker_([this] { return settle(); }) {}

Engine::~Engine() {
  const std::lock_guard lock(mutex_);
  waiting_.reset();
  current_.request_stop();
}

std::uint64_t Engine::submit(Scenario scenario, std::shared_ptr<const Trace> against) {
  std::unique_lock lock(mutex_);
  waiting_ = Job{std::move(scenario), std::move(against)};
  current_.request_stop();
  const std::uint64_t ticket = ++last_ticket_;
  lock.unlock();
  worker_.call();
  return ticket;
}

std::optional<Outcome> Engine::wait() {
  worker_.wait([this] {
    const std::lock_guard lock(mutex_);
    return settled_ticket_ == last_ticket_;
  });
  return take();
}

std::optional<Outcome> Engine::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(ready_, std::nullopt);
}

Progress Engine::progress() const {
  const std::lock_guard lock(mutex_);
  Progress now = progress_;
  if (now.busy) now.elapsed_seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  return now;
}

void Engine::report(Stage stage, double share) {
  {
    const std::lock_guard lock(mutex_);
    progress_.stage = stage;
    progress_.share = share;
    const Clock::time_point now = Clock::now();
    if (now - woken_ < between_wakes) return;
    woken_ = now;
  }
  wake_();
}

Outcome Engine::perform(const Job& job, const Trace* last, const Run& run) {
  Outcome outcome;
  outcome.trace = compute_any(job.scenario, last, run);
  if (job.against) outcome.difference = std::make_shared<Difference>(difference(*job.against, *outcome.trace, run.stop));
  return outcome;
}

// Whatever throws on the way is the job's outcome, or nothing where it was cancelled.
bool Engine::settle() {
  std::unique_lock lock(mutex_);
  if (!waiting_) return false;
  const Job job = std::move(*waiting_);
  waiting_.reset();
  const std::uint64_t ticket = last_ticket_;
  current_ = std::stop_source();
  started_ = Clock::now();
  progress_ = {.busy = true};
  const Run run{.summary = true, .stop = current_.get_token(), .progress = [this](Stage s, double share) { report(s, share); }};
  lock.unlock();

  Outcome outcome;
  bool cancelled = false;
  try {
    outcome = perform(job, last_.get(), run);
    last_ = outcome.trace;
  } catch (...) {
    const std::optional<std::string> error = sentence();
    cancelled = !error;
    outcome.error = error.value_or("");
  }
  outcome.ticket = ticket;
  outcome.scenario = job.scenario;

  lock.lock();
  progress_.busy = waiting_.has_value();
  if (!cancelled) ready_ = std::move(outcome);
  settled_ticket_ = ticket;
  lock.unlock();
  wake_();
  return true;
}

}  // namespace headlight
