// How each stage is computed: one row a stage, beside its row in core/stage/stage.cpp.
#pragma once

#include <functional>

#include "core/attention/qk_norm.h"
#include "core/attention/rope.h"
#include "core/attention/workers.h"
#include "core/run/trace.h"

namespace headlight {

struct StageStep {
  Stage stage;
  /// Whether there is one, given its sources; null: always.
  bool (*exists)(const Scenario& scenario, const Inputs& inputs);
  /// Puts what it depends on besides its sources into its key: settings, words, tensors. Null: nothing.
  void (*settle)(const Trace& so_far, StageRecord& key);
  /// The stage from its key and nothing else, so that equal keys give equal stages. Null: the sweep over the
  /// score-shaped stages makes it (core/attention/sweep.h), with what the key says.
  Tensor (*make)(const StageRecord& key, const Workers& workers);
  /// About how many floating-point operations that is; an exponential counts as some tens. Null: none.
  double (*work)(const Inputs& inputs);
};

const StageStep& step_of(Stage stage);

/// Whether a run has the stage: the source knows it, or its row says so and its own sources are there, or what stands
/// for them. A weight, bias or mask may be missing.
bool is_made(Stage stage, const Trace& so_far);
/// The same before anything is computed: `has` says it of the stages before.
bool is_made(Stage stage, const Scenario& scenario, const Inputs& inputs, const std::function<bool(Stage)>& has);
/// Its sources and settings in this run.
StageRecord key_of(Stage stage, const Trace& so_far);

/// QK-norm of Q_normed or K_normed; RoPE of Q_rotated or K_rotated.
HeadNorm norm_of(const Trace& trace, Stage stage);
Rotation rotation_of(const Trace& trace, Stage stage);

}  // namespace headlight
