// How each stage is computed: one row a stage, beside its row in core/stage/stage.cpp.
#pragma once

#include <array>
#include <functional>

#include "core/attention/workers.h"
#include "core/run/trace.h"

namespace headlight {

struct StageStep {
  Stage stage;
  /// Whether there is one, given its sources; null: always.
  bool (*exists)(const Scenario& scenario, const Inputs& inputs);
  /// What it is computed by besides its sources. Null: nothing.
  StageParameters (*parameters)(const Trace& so_far);
  /// The stage from its key and nothing else, so that equal keys give equal stages. Null: the sweep over the
  /// score-shaped stages makes it (core/attention/sweep.h), by its parameters.
  Tensor (*make)(const StageRecord& key, const Workers& workers);
  /// About how many floating-point operations that is; an exponential counts as some tens. Null: none.
  double (*work)(const Inputs& inputs);
};

const StageStep& step_of(Stage stage);

/// Whether a run has the stage: the source knows it, or its row says so and its own sources are there, or what stands
/// for them. A weight, bias or mask may be missing.
bool is_made(Stage stage, const Trace& so_far);
/// The same of every stage and parameter, by static_cast<std::size_t>(stage), before anything is computed.
std::array<bool, matrix_count> made_stages(const Scenario& scenario, const Inputs& inputs);
/// Its sources and parameters in this run.
StageRecord key_of(Stage stage, const Trace& so_far);

/// QK-norm of Q_normed or K_normed; RoPE of Q_rotated or K_rotated.
HeadNorm norm_of(const Trace& trace, Stage stage);
Rotation rotation_of(const Trace& trace, Stage stage);

/// How much work each stage of a run is, for the progress bar.
class WorkEstimate {
 public:
  WorkEstimate(const Scenario& scenario, const Inputs& inputs);
  /// The share of the whole, 0…1, that is done when `part` (0…1) of `stage` and everything before it is.
  double share(Stage stage, double part) const;

 private:
  std::array<double, stage_count> before_{};  ///< work of the stages before each
  std::array<double, stage_count> work_{};
  double whole_ = 0;
};

}  // namespace headlight
