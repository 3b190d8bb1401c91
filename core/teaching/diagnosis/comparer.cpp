#include "core/teaching/diagnosis/comparer.h"

#include <exception>
#include <utility>

#include "core/base/tensor/error.h"
#include "core/teaching/diagnosis/reproduction.h"

namespace headlight {

namespace {

constexpr auto between_wakes = std::chrono::milliseconds(100);

OwnStages stages_from(const OwnSource& source, const std::shared_ptr<const Trace>& trace, const Run& run) {
  if (source.mistake.empty()) return read_own_stages(source.path, *trace);
  return source.mended ? own_stages_of(*trace) : mistaken_stages(source.mistake, source.variant, trace, run);
}

}  // namespace

Comparer::Comparer(std::function<void()> wake)
    : wake_(wake ? std::move(wake) : [] {}), worker_([this] { return perform_next(); }) {}

Comparer::~Comparer() {
  const std::lock_guard lock(mutex_);
  waiting_.reset();
  current_.request_stop();
}

void Comparer::submit(std::shared_ptr<const Trace> trace, OwnSource source) {
  {
    const std::lock_guard lock(mutex_);
    waiting_ = Compared{.source = std::move(source), .trace = std::move(trace)};
    ready_.reset();
    called_off_ = false;
    current_.request_stop();
    progress_ = {.busy = true, .mistake = {}};
    started_ = Clock::now();
  }
  worker_.call();
}

std::shared_ptr<const Compared> Comparer::wait() {
  worker_.wait([this] {
    const std::lock_guard lock(mutex_);
    return !progress_.busy;
  });
  return take();
}

void Comparer::stop() {
  const std::lock_guard lock(mutex_);
  if (!progress_.busy) return;
  called_off_ = true;
  current_.request_stop();
}

std::shared_ptr<const Compared> Comparer::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(ready_, nullptr);
}

SearchProgress Comparer::progress() const {
  const std::lock_guard lock(mutex_);
  SearchProgress now = progress_;
  if (now.busy) now.seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  return now;
}

void Comparer::report(std::string_view mistake) {
  {
    const std::lock_guard lock(mutex_);
    progress_.mistake = mistake;
    const Clock::time_point now = Clock::now();
    if (now - woken_ < between_wakes) return;
    woken_ = now;
  }
  wake_();
}

void Comparer::publish(std::shared_ptr<const Compared> result, const std::stop_token& stop) {
  {
    const std::lock_guard lock(mutex_);
    if (stop.stop_requested() && !called_off_) return;  // a newer pair is waiting
    ready_ = std::move(result);
  }
  wake_();
}

void Comparer::perform(const Compared& job, std::stop_token stop) {
  const Run run{.stop = stop, .progress = {}};
  const auto first = std::make_shared<Compared>(job);
  try {
    first->own = stages_from(job.source, job.trace, run);
    first->comparison = differences(*job.trace, first->own);
    first->searching = !first->comparison.matches();
    if (first->searching) publish(first, stop);
    const auto found = std::make_shared<Compared>(job);
    found->own = first->own;
    found->comparison =
        compare(job.trace, found->own, run, search_seconds, [this](std::string_view mistake) { report(mistake); });
    publish(found, stop);
  } catch (const Cancelled&) {
    if (first->own.stages.empty()) return;
    const auto stopped = std::make_shared<Compared>(job);
    stopped->own = first->own;
    stopped->comparison = differences(*job.trace, stopped->own);
    stopped->stopped = true;
    publish(stopped, stop);
  } catch (const std::exception& error) {
    const auto failed = std::make_shared<Compared>(job);
    failed->error = message_of(error);
    publish(failed, stop);
  }
}

bool Comparer::perform_next() {
  std::unique_lock lock(mutex_);
  if (!waiting_) return false;
  const Compared job = std::move(*waiting_);
  waiting_.reset();
  current_ = std::stop_source();
  const std::stop_token stop = current_.get_token();
  lock.unlock();
  perform(job, stop);
  lock.lock();
  progress_.busy = waiting_.has_value();
  lock.unlock();
  wake_();
  return true;
}

}  // namespace headlight
