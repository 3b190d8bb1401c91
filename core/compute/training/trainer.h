// Trainer: a run, step by step.
//
//   Trainer trainer(settings);                       // weights drawn by the seed; nothing learned yet: step 0
//   trainer.train(10, stop);                          // ten steps; throws Cancelled between steps
//   trainer.losses();                                 // one number for each step
//   open_network(run_name(settings, 8));              // a kept step, as a network like any other
//   (core/compute/network)
//
// One thread uses a Trainer at a time. KeptStep values are immutable and may be read by every thread.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/base/arrays/array_write.h"
#include "core/base/tensor/tensor.h"
#include "core/compute/training/ceiling.h"
#include "core/compute/training/settings.h"
#include "core/compute/training/stage_book.h"
#include "core/compute/training/task.h"

namespace headlight {

struct NetworkShape;
struct TrainedModel;

/// A step that is computed but not taken: its batch, and every gradient of its loss.
struct StepRecord {
  Index step = 0;
  std::vector<std::int32_t> tokens, targets;         ///< [batch · length]
  double loss = 0;                                   ///< mean over the answers
  Tensor weights, gradients;                         ///< [parameters], laid out as core/compute/training/shape.h says
  std::vector<LayerStages> stages, stage_gradients;  ///< of each layer, over the whole batch
};

/// A measurement on fresh data, before step `step` + 1.
struct Measured {
  Index step = 0;
  double loss = 0;      ///< nats per answer
  double accuracy = 0;  ///< share of right answers, 0…1
};

/// The weights at one step, in the order of core/compute/training/shape.h.
struct KeptStep {
  Index step = 0;
  Tensor weights;  ///< [parameters]
};

/// One drawn sequence that is looked at through all steps.
struct Probe {
  std::vector<std::int32_t> tokens, targets;  ///< targets: not_asked where nothing is asked
  std::string text;                           ///< the tokens as --text
};
/// What a network of some step does with the probe.
struct ProbeAnswers {
  std::vector<std::int32_t> answers;  ///< the most probable token at each position
  std::vector<float> probability;     ///< of the target at each position; 0 where nothing is asked
  std::vector<Tensor> weights;        ///< of each layer: [1, H, n, n]
  double loss = 0;
};

class Trainer {
 public:
  /// `threads` 0: as many as help. `kept_bytes`: the most memory for kept steps. Throws what check_training() and
  /// TrainingData throw, and SettingError if the kept steps or one step do not fit in memory, with their size.
  explicit Trainer(TrainingSettings settings, int threads = 0, double kept_bytes = 256e6);
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  const TrainingSettings& settings() const { return settings_; }
  const TrainingData& data() const { return data_; }
  const NetworkShape& shape() const;
  Index parameters() const;
  const std::optional<Ceiling>& ceiling() const { return ceiling_; }

  /// Steps that are done.
  Index step() const { return static_cast<Index>(losses_.size()); }
  /// Up to `count` steps, and not beyond settings().steps; stops after a step when asked to (throws Cancelled).
  /// Allocates nothing except for what is kept. Returns whether there are more. Throws InputError when the loss is no
  /// number any more: the step is then not counted, earlier ones remain.
  bool train(Index count, const std::stop_token& stop = {});

  /// Nats per answer on each step's batch, before its update.
  const std::vector<float>& losses() const { return losses_; }
  /// On fresh data: before the first step, every measured_every steps, and at the end.
  const std::vector<Measured>& measured() const { return measured_; }
  static constexpr Index measured_every = 25;
  /// Steps 0, 1, 2, 4, 8 …, and evenly between, at most 200, and the newest. In ascending order.
  std::vector<KeptStep> kept() const;
  /// The kept step at or before `step`.
  KeptStep kept_at(Index step) const;

  /// The probe with this number; 0 is the usual one.
  Probe probe(Index number = 0) const;
  ProbeAnswers answers(const Probe& probe, const KeptStep& at) const;
  /// Means over `sequences` fresh ones.
  Measured measure(const KeptStep& at, Index sequences = 256) const;
  /// The next step, which is not taken.
  StepRecord record() const;
  /// The same under the names of `train --gradients`: param.NAME, grad.NAME, tokens, targets, loss, layers.N.STAGE,
  /// layers.N.d_STAGE.
  std::vector<NamedArray> record_arrays() const;
  /// The weights of a step as a model's files (core/compute/training/trained_model.h).
  TrainedModel model(const KeptStep& at, const std::optional<Measured>& measured = {}) const;

 private:
  struct State;
  void keep();

  TrainingSettings settings_;
  TrainingData data_;
  std::optional<Ceiling> ceiling_;
  std::vector<float> losses_;
  std::vector<Measured> measured_;
  std::unique_ptr<State> state_;
};

}  // namespace headlight
