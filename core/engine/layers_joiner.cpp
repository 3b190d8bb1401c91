#include "core/engine/layers_joiner.h"

#include <algorithm>
#include <new>
#include <utility>

#include "core/network/attention_flow.h"
#include "core/tensor/error.h"

namespace headlight {

LayersJoiner::LayersJoiner(std::function<void()> wake)
    : wake_(wake ? std::move(wake) : [] {}), worker_([this] { return advance(); }) {}

LayersJoiner::~LayersJoiner() {
  const std::lock_guard lock(mutex_);
  wish_.reset();
  current_.request_stop();
}

void LayersJoiner::want(const JoinWish& wish) {
  {
    const std::lock_guard lock(mutex_);
    wanted_ = true;
    if (wish_ == wish) return;
    current_.request_stop();
    current_ = std::stop_source();
    wish_ = wish;
    means_.reset();
    joined_ = {.version = joined_.version + 1};
    done_ = false;
  }
  worker_.call();
}

void LayersJoiner::end_frame() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(wanted_, false) || !wish_) return;
  current_.request_stop();
  wish_.reset();
  means_.reset();
  joined_ = {.version = joined_.version + 1};
  done_ = true;
}

JoinedRows LayersJoiner::now() const {
  const std::lock_guard lock(mutex_);
  return joined_;
}

bool LayersJoiner::settled() const {
  const std::lock_guard lock(mutex_);
  return done_;
}

void LayersJoiner::wait() {
  worker_.wait([this] { return settled(); });
}

bool LayersJoiner::advance() {
  std::unique_lock lock(mutex_);
  if (!wish_ || done_) return false;
  const JoinWish wish = *wish_;
  const std::stop_token stop = current_.get_token();
  std::shared_ptr<const std::vector<Tensor>> means = means_;
  const JoinedRows before = joined_;
  lock.unlock();

  JoinedRows next{.version = before.version + 1};
  bool whole = true;
  try {
    if (!means) means = std::make_shared<const std::vector<Tensor>>(wish.overview->means_up_to(wish.layer, wish.batch));
    const Index n = means->front().size(0);
    next.rows = n;
    if (wish.how == Joining::rollout) {
      next.matrix = attention_rollout(*means, stop);
    } else {
      Buffer flow(static_cast<std::size_t>(n * n), 0);
      if (before.matrix.defined()) std::ranges::copy(before.matrix.values(), flow.begin());
      const Tensor row = attention_flow(*means, before.rows, stop);
      std::ranges::copy(row.values(), flow.begin() + before.rows * n);
      next.matrix = Tensor({n, n}, std::move(flow));
      next.rows = before.rows + 1;
      whole = next.rows == n;
    }
  } catch (const Cancelled&) {
    return true;  // another wish waits, or none
  } catch (const std::bad_alloc&) { next = {.version = before.version + 1, .out_of_memory = true}; }

  lock.lock();
  if (stop.stop_requested()) return true;
  means_ = std::move(means);
  joined_ = std::move(next);
  done_ = whole;
  lock.unlock();
  wake_();
  return true;
}

}  // namespace headlight
