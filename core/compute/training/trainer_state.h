// What a Trainer holds: weights, moments, parts of a step. For trainer.cpp and trainer_results.cpp only.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/tensor/sampler.h"
#include "core/compute/attention/workers.h"
#include "core/compute/training/pass.h"
#include "core/compute/training/trainer.h"

namespace headlight {

/// Sequences that are measured in one pass.
inline constexpr Index measured_at_once = 32;

/// One part of a step: its sequences, its pass, and the sum of its gradients.
struct TrainingPart {
  Index first, count;  ///< sequences
  Pass pass;
  Buffer gradients;
  PassLoss loss{};
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
  std::vector<std::unique_ptr<TrainingPart>> parts;
  std::vector<std::int32_t> tokens, targets;
  Sampler batches;
  Workers workers;
  Index done = 0, stride = 1;  ///< steps; every how many one is kept
  mutable std::mutex mutex;    ///< of `kept`
  std::vector<KeptStep> kept;
  NewestWeights newest;
  Index most = 0;  ///< kept steps
  Pass looks;      ///< for measurements while it learns

  State(const TrainingSettings& settings, const TrainingData& data)
      : shape(shape_of(settings, data.vocabulary(), data.length())),
        layout(shape),
        batches(settings.seed, "batches"),
        looks(shape, layout, measured_at_once, data.length()) {}
  /// Draws the next batch; returns the number of its answers.
  Index draw(const TrainingData& data);
  /// The step's dropout; each layer adds its number to the seed.
  PassDropout dropout(const TrainingSettings& settings) const {
    return {settings.dropout, settings.seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(done) * 1024, 0};
  }
  PassLoss step_gradients(const TrainingSettings& settings, const TrainingData& data);
  Measured measure(const TrainingSettings& settings, const TrainingData& data, Pass& pass, Index step, const float* at,
                   Index sequences) const;
  void update(const TrainingSettings& settings);
};

}  // namespace headlight
