#include "core/compute/engine/engine.h"

#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

#include "core/base/tensor/error.h"
#include "core/compute/network/gradients.h"
#include "core/compute/network/network_trace.h"

namespace headlight {
namespace {

using namespace std::chrono_literals;

constexpr auto between_wakes = 30ms;
constexpr const char* out_of_memory =
    "this computation needs more memory than there is; fewer tokens, heads or batch entries were expected";

// The error message of the exception that is being handled; none if the run was cancelled.
std::optional<Message> sentence() {
  try {
    throw;
  } catch (const Cancelled&) { return std::nullopt; } catch (const std::bad_alloc&) {
    return out_of_memory;
  } catch (const std::length_error&) {  // std::vector throws it for a size that exceeds any memory
    return out_of_memory;
  } catch (const std::exception& error) { return message_of(error); } catch (...) {
    return "the computation failed for an unknown reason";
  }
}

}  // namespace

Engine::Engine(std::function<void()> wake)
    : wake_(wake ? std::move(wake) : [] {}), worker_([this] { return perform_next(); }) {}

Engine::~Engine() {
  const std::lock_guard lock(mutex_);
  waiting_.reset();
  current_.request_stop();
}

std::uint64_t Engine::submit(Scenario scenario, std::shared_ptr<const Trace> against, std::optional<std::string> loss) {
  std::unique_lock lock(mutex_);
  waiting_ = Job{std::move(scenario), std::move(against), std::move(loss)};
  current_.request_stop();
  const std::uint64_t ticket = ++last_ticket_;
  lock.unlock();
  worker_.call();
  return ticket;
}

std::optional<Outcome> Engine::wait() {
  worker_.wait([this] {
    const std::lock_guard lock(mutex_);
    return finished_ticket_ == last_ticket_;
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

void Engine::perform(const Job& job, const Trace* last, const Run& run, Outcome& outcome) {
  std::shared_ptr<const Trace> trace = compute_any(job.scenario, last, run);
  if (job.against) {
    trace = with_whole_summary(std::move(trace), run.stop);
    outcome.difference = std::make_shared<Difference>(difference(*job.against, *trace, run.stop));
  }
  if (job.loss) trace = with_whole_summary(gradient_trace(with_whole_summary(trace, run.stop), *job.loss), run.stop);
  outcome.trace = std::move(trace);
}

// Runs `work`. An exception becomes the outcome; false if the run was cancelled.
bool Engine::attempt(Outcome& outcome, const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    const std::optional<Message> error = sentence();
    outcome.error = error.value_or(Message());
    return error.has_value();
  }
  return true;
}

void Engine::publish(const Outcome& outcome) {
  {
    const std::lock_guard lock(mutex_);
    ready_ = outcome;
    progress_.busy = waiting_.has_value();
  }
  wake_();
}

bool Engine::perform_next() {
  std::unique_lock lock(mutex_);
  if (!waiting_) return false;
  const Job job = std::move(*waiting_);
  waiting_.reset();
  const std::uint64_t ticket = last_ticket_;
  current_ = std::stop_source();
  started_ = Clock::now();
  progress_ = {.busy = true};
  const Run run{.summary = Summary::first_look,
                .stop = current_.get_token(),
                .progress = [this](Stage s, double share) { report(s, share); }};
  lock.unlock();

  Outcome outcome;
  outcome.ticket = ticket;
  outcome.scenario = job.scenario;
  bool done = attempt(outcome, [&] { perform(job, last_.get(), run, outcome); });
  if (outcome.trace) last_ = outcome.trace->gradients_of ? outcome.trace->gradients_of : outcome.trace;
  if (outcome.trace && !is_whole(*outcome.trace)) {
    outcome.last = false;
    publish(outcome);
    outcome.last = true;
    done = attempt(outcome, [&] { last_ = outcome.trace = with_whole_summary(outcome.trace, run.stop); });
  }

  if (done) publish(outcome);
  lock.lock();
  progress_.busy = waiting_.has_value();
  finished_ticket_ = ticket;
  lock.unlock();
  wake_();
  return true;
}

}  // namespace headlight
