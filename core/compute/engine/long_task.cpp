#include "core/compute/engine/long_task.h"

#include <algorithm>
#include <new>
#include <utility>

#include "core/base/tensor/error.h"
#include "core/compute/network/attention_flow.h"

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

bool LongTask::idle() const {
  const std::lock_guard lock(mutex_);
  return !now_.running;
}

void LongTask::wait() {
  worker_.wait([this] { return idle(); });
}

void LongTask::tell(double share, const std::stop_token& stop) {
  constexpr std::chrono::milliseconds between{60};
  {
    const std::lock_guard lock(mutex_);
    if (stop.stop_requested()) return;
    const auto time = std::chrono::steady_clock::now();
    const double elapsed = std::chrono::duration<double>(time - began_).count();
    now_.share = share;
    if (share > 0) now_.seconds_left = elapsed / share - elapsed;
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

struct LayersJoiner::Shared {
  mutable std::mutex mutex;
  JoinedRows joined;

  JoinedRows now() const {
    const std::lock_guard lock(mutex);
    return joined;
  }
  void set(Tensor matrix, Index rows, bool out_of_memory = false) {
    const std::lock_guard lock(mutex);
    joined = {std::move(matrix), rows, joined.version + 1, out_of_memory};
  }
  void join(const JoinWish& wish, const std::stop_token& stop, const std::function<void(double)>& told) {
    const std::vector<Tensor> means = wish.overview->means_up_to(wish.layer, wish.batch);
    const Index n = means.front().size(0);
    if (wish.how == Joining::rollout) return set(attention_rollout(means, stop), n);
    Buffer flow(static_cast<std::size_t>(n * n), 0);
    for (Index q = 0; q < n; ++q) {
      const Tensor row = attention_flow(means, q, stop);
      std::ranges::copy(row.values(), flow.begin() + q * n);
      set(Tensor({n, n}, flow), q + 1);
      told(static_cast<double>(q + 1) / static_cast<double>(n));
    }
  }
};

void LayersJoiner::want(const JoinWish& wish) {
  wanted_ = true;
  if (wish_ == wish) return task_.want(shared_, {});
  version_ = now().version + 1;
  wish_ = wish;
  shared_ = std::make_shared<Shared>();
  shared_->joined.version = version_;
  task_.want(shared_, [wish, shared = shared_](const std::stop_token& stop, const auto& told) {
    try {
      shared->join(wish, stop, told);
    } catch (const std::bad_alloc&) { shared->set({}, 0, true); }
  });
}

void LayersJoiner::end_frame() {
  task_.end_frame();
  if (std::exchange(wanted_, false) || !wish_) return;
  version_ = now().version + 1;
  task_.forget();
  wish_.reset();
  shared_.reset();
}

JoinedRows LayersJoiner::now() const { return shared_ ? shared_->now() : JoinedRows{.version = version_}; }

}  // namespace headlight
