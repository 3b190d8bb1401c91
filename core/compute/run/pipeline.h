// The pipeline: computes the stages, each a pure function in its own file, into a Trace.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "core/compute/run/trace.h"

namespace headlight {

/// How much of Trace::summary is computed.
enum class Summary : std::uint8_t {
  none,
  /// For numbers that are computed as they are read, the first head only, and no overview of long texts;
  /// with_whole_summary() (core/compute/network/network_trace.h) completes it.
  first_look,
  whole,
};

struct Run {
  Summary summary = Summary::none;
  /// Maximum size of the score-shaped stages in bytes; larger ones are computed as they are read. By default
  /// memory_budget() of core/base/tensor/memory.h.
  std::optional<double> most_kept{};
  /// The score-shaped stages to store, with everything after them; unset: all. Saves time and memory in passes where
  /// the others are not read.
  std::optional<std::vector<Stage>> scores_kept{};
  std::optional<Stage> last{};  ///< the last stage to compute; unset: all
  int threads = 0;              ///< 0: as many as there are processors
  std::stop_token stop;         ///< checked between blocks of work; throws Cancelled
  /// Called on the calling thread with the current stage and the finished share of all work, 0…1.
  std::function<void(Stage, double share)> progress;
  /// Called for each stage; its result replaces the stage, and the next stages follow from it. `usual` computes the
  /// stage as it should be. For computations that no scenario can express; exceptions leave compute().
  std::function<Tensor(Stage, const Trace& so_far, const std::function<Tensor()>& usual)> override_stage{};
};

/// Computes every stage of `scenario`. A stage whose sources and parameters equal those of `last` is taken from it as
/// the same tensor: a new mask does not project Q again. The numbers do not depend on the number of threads. Throws
/// FileError, SettingError, ExpressionError, Cancelled.
std::shared_ptr<const Trace> compute(const Scenario& scenario, const Trace* last = nullptr, const Run& run = {});

/// The same for given tensors. Throws InputError if they do not fit `inputs.dims` and each other
/// (core/compute/run/stage_steps.h), SettingError, ExpressionError, Cancelled.
std::shared_ptr<const Trace> compute(const Scenario& scenario, Inputs inputs, const Trace* last = nullptr,
                                     const Run& run = {});

}  // namespace headlight
