#include "core/engine/layers_joiner.h"

#include <algorithm>
#include <new>
#include <utility>

#include "core/network/attention_flow.h"

namespace headlight {

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
