// What a Trainer holds: weights, moments, parts of a step. For trainer.cpp and trainer_results.cpp only.
#pragma once

#include <algorithm>
#include <cassert>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/base/tensor/sampler.h"
#include "core/compute/attention/workers.h"
#include "core/compute/training/pass.h"
#include "core/compute/training/trainer.h"

namespace headlight {

/// One part of a step: its sequences, and the sum of its gradients.
struct TrainingPart {
  Index first, count;  ///< sequences
  Buffer gradients;
  PassLoss loss{};
};

/// One pass for each thread that computes at once. Passes are lent, not owned by parts of a step, so that a thread
/// works on numbers that its cache holds.
class Passes {
 public:
  Passes(const NetworkShape& shape, const ParameterLayout& layout, Index sequences, Index length, Index count)
      : sequences_(sequences) {
    for (Index i = 0; i < count; ++i) free_.push_back(std::make_unique<Pass>(shape, layout, sequences, length));
  }

  /// Sequences that a pass has room for.
  Index sequences() const { return sequences_; }
  /// Calls use(pass) with a pass that no other thread has. At most `count` threads at once.
  template <typename Use>
  void lend(Use use) {
    std::unique_ptr<Pass> pass = take();
    use(*pass);
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(pass));
  }

 private:
  std::unique_ptr<Pass> take() {
    const std::lock_guard lock(mutex_);
    assert(!free_.empty());
    std::unique_ptr<Pass> pass = std::move(free_.back());
    free_.pop_back();
    return pass;
  }

  Index sequences_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Pass>> free_;
};

/// The newest weights as a tensor, whose memory is written again once nobody else holds it.
struct NewestWeights {
  std::shared_ptr<Buffer> numbers;
  Tensor tensor;  ///< of these numbers

  const Tensor& copy(const Buffer& weights) {
    constexpr long own_handles = 2;  // the two members
    if (!numbers || numbers.use_count() > own_handles) {
      numbers = std::make_shared<Buffer>(weights);
      tensor = Tensor::in_memory({static_cast<Index>(weights.size())},
                                 std::shared_ptr<const float>(numbers, numbers->data()));
    } else {
      std::copy(weights.begin(), weights.end(), numbers->begin());
    }
    return tensor;
  }
};

struct Trainer::State {
  NetworkShape shape;
  ParameterLayout layout;
  Buffer weights, mean, square;
  std::vector<TrainingPart> parts;
  std::unique_ptr<Passes> passes;  ///< with room for the largest part
  std::vector<std::int32_t> tokens, targets;
  Sampler batches;
  Workers workers;
  Index done = 0, stride = 1;  ///< steps; every how many one is kept
  mutable std::mutex mutex;    ///< of `kept`
  std::vector<KeptStep> kept;
  NewestWeights newest;
  Index most = 0;  ///< kept steps

  State(const TrainingSettings& settings, const TrainingData& data)
      : shape(shape_of(settings, data.vocabulary(), data.length())), layout(shape), batches(settings.seed, "batches") {}
  /// Draws the next batch; returns the number of its answers.
  Index draw(const TrainingData& data);
  /// The step's dropout; each layer adds its number to the seed.
  PassDropout dropout(const TrainingSettings& settings) const {
    return {settings.dropout, settings.seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(done) * 1024, 0};
  }
  PassLoss step_gradients(const TrainingSettings& settings, const TrainingData& data);
  Measured measure(const TrainingSettings& settings, const TrainingData& data, const KeptStep& at, Index sequences,
                   Passes& on, const Workers& by) const;
  void update(const TrainingSettings& settings);
};

}  // namespace headlight
