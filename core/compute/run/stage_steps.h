// How each stage is computed: one row per stage, as in core/rules/stage/stage.cpp.
#pragma once

#include <array>
#include <functional>

#include "core/compute/attention/workers.h"
#include "core/compute/run/trace.h"
#include "core/scenario/inputs/inputs.h"

namespace headlight {

struct StageStep {
  Stage stage;
  /// Whether a run has the stage, given its sources; null: always.
  bool (*exists)(const Scenario& scenario, const Inputs& inputs);
  /// Its parameters besides its sources; null: none.
  StageParameters (*parameters)(const Trace& so_far);
  /// Computes the stage from its key alone, so that equal keys give equal stages. Null: the sweep over the score-shaped
  /// stages computes it (core/compute/attention/sweep.h).
  Tensor (*make)(const StageRecord& key, const Workers& workers);
  /// Estimated floating-point operations; an exponential counts as some tens. Null: none.
  double (*work)(const Inputs& inputs);
};

const StageStep& step_of(Stage stage);

/// Whether a run has the stage: it comes from the source, or its row says so and its sources, or their replacements,
/// exist. A weight, bias or mask may be missing.
bool is_made(Stage stage, const Trace& so_far);
/// The same for every stage and parameter, by static_cast<std::size_t>(stage), before anything is computed.
std::array<bool, matrix_count> made_stages(const Scenario& scenario, const Inputs& inputs);
/// Its sources and parameters in this run.
StageRecord key_of(Stage stage, const Trace& so_far);

/// The QK-norm of Q_normed or K_normed; the RoPE of Q_rotated or K_rotated.
HeadNorm norm_of(const Trace& trace, Stage stage);
Rotation rotation_of(const Trace& trace, Stage stage);

/// The estimated work of each stage, for the progress bar.
class WorkEstimate {
 public:
  WorkEstimate(const Scenario& scenario, const Inputs& inputs);
  /// The share of all work, 0…1, that is done when `part` (0…1) of `stage` is.
  double share(Stage stage, double part) const;

 private:
  std::array<double, stage_count> before_{};  ///< work before each stage
  std::array<double, stage_count> work_{};
  double whole_ = 0;
};

/// Throws InputError, named after the first tensor that does not fit `inputs.dims`, with the expected shape;
/// SettingError if a setting does not fit these sizes.
void check_inputs(const Scenario& scenario, const Inputs& inputs);

}  // namespace headlight
