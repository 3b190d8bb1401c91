// The pipeline: chains the stages, each a pure function in its own file, into a Trace.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "core/run/trace.h"

namespace headlight {

/// What Trace::summary, which drawing needs, is taken of.
enum class Summary : std::uint8_t {
  none,
  /// Of numbers that are computed as they are read, the first head alone, and of long texts no overview:
  /// with_whole_summary() (core/network/network_trace.h) makes it whole.
  first_look,
  whole,
};

struct Run {
  Summary summary = Summary::none;
  /// Bytes of score-shaped stages: what would take more is computed as it is looked at. Unless set, memory_budget() of
  /// core/tensor/memory.h.
  std::optional<double> most_kept{};
  /// Of the score-shaped stages these alone are in the trace, with what follows from them; unset: all. For passes of
  /// which nothing else is read: what is not stored costs neither memory nor writing.
  std::optional<std::vector<Stage>> scores_kept{};
  std::optional<Stage> last{};  ///< nothing after it is computed; unset: all
  int threads = 0;              ///< 0: as many as the machine has
  std::stop_token stop;         ///< asked between blocks of work; throws Cancelled
  /// Called on the calling thread with the stage under way and the share of the whole work done, 0…1.
  std::function<void(Stage, double share)> progress;
  /// Asked for each stage in turn: what it returns stands for the stage, and the next ones follow from it. `usual`
  /// makes the stage as it should be. For computations that no scenario can say; whatever it throws leaves compute().
  std::function<Tensor(Stage, const Trace& so_far, const std::function<Tensor()>& usual)> override_stage{};
};

/// Computes every stage of `scenario`. A stage whose sources and settings are those of `last` is taken from it, so its
/// tensor is the very same: a new mask does not project Q again. The numbers do not depend on the number of threads.
/// Throws FileError, SettingError, ExpressionError, Cancelled.
std::shared_ptr<const Trace> compute(const Scenario& scenario, const Trace* last = nullptr, const Run& run = {});

/// The same from tensors that are there already. Throws InputError where they do not fit `inputs.dims` and each other
/// (core/run/check_inputs.h), SettingError, ExpressionError, Cancelled.
std::shared_ptr<const Trace> compute(const Scenario& scenario, Inputs inputs, const Trace* last = nullptr,
                                     const Run& run = {});

}  // namespace headlight
