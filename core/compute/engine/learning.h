// Learning: training runs (core/compute/training) on a worker, as far as they are wanted. What they have come to is
// read in every frame.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/tensor/message.h"
#include "core/compute/engine/long_task.h"
#include "core/compute/training/ceiling.h"
#include "core/compute/training/settings.h"
#include "core/compute/training/trainer.h"

namespace headlight {

/// A kept step: what its network does with the probe, and with fresh sequences.
struct LearnedMoment {
  Index step = 0;
  std::shared_ptr<const ProbeAnswers> probe;
  Measured measured;
};

/// What a run has come to. Immutable; there is a new one whenever more is known.
struct Learned {
  TrainingSettings settings;
  Index step = 0;                      ///< steps that are done
  std::vector<float> losses;           ///< of each step's batch
  std::vector<LearnedMoment> moments;  ///< in ascending order; the last one is the newest
  Probe probe;
  std::vector<std::string> words;  ///< by token
  double chance = 0;
  std::optional<Ceiling> ceiling;
  Message error;  ///< why it ended before its last step; "" if it did not

  bool ended() const { return step >= settings.steps || !error.empty(); }
  /// The kept moment nearest to the step; there is one.
  const LearnedMoment& nearest(Index step) const;
  /// The moment in the middle of the steepest rise of right answers; null if nothing has risen.
  const LearnedMoment* steepest() const;
  /// At most `count` moments from the first to the newest, close together where right answers become more.
  std::vector<const LearnedMoment*> telling(std::size_t count) const;
};

/// The name of another step of the same run: "train:reverse@40" → "train:reverse@0".
std::string with_step(const std::string& name, Index step);
/// Whether two names are of steps of one run.
bool is_same_run(const std::string& a, const std::string& b);
/// As run_name(), with the number of steps where it is not the task's usual one.
std::string whole_run_name(const TrainingSettings& run, Index step);

class Learning {
 public:
  /// `wake` is called on the worker when more is known.
  explicit Learning(std::function<void()> wake = {});
  ~Learning();

  /// A run, and the steps that it is to have done. It learns until then; one that has done more stays as it is.
  struct Wish {
    const TrainingSettings* run = nullptr;
    Index until = 0;
  };
  /// Call in each frame. At most two runs, which go on in turns, the one with fewer steps first. Runs that were wanted
  /// before are kept for a while; `round` counts how often they were begun again.
  void want(std::span<const Wish> wishes, int round);
  /// Null if nothing is known yet, or if the run was not wanted.
  std::shared_ptr<const Learned> now(const TrainingSettings& run) const;
  bool idle() const { return task_.idle(); }
  /// Blocks until everything wanted is done; for pictures and tests.
  void wait() { task_.wait(); }

 private:
  struct Learner;

  std::shared_ptr<Learner> learner_of(const TrainingSettings& run);

  std::vector<std::shared_ptr<Learner>> learners_;          ///< the last wanted ones at the end
  std::vector<std::pair<TrainingSettings, Index>> wishes_;  ///< as last wanted
  std::shared_ptr<const void> plan_;
  int round_ = 0;
  LongTask task_;
};

}  // namespace headlight
