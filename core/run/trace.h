// Trace: the numbers of every stage of one run. Immutable once computed; shared between threads by shared_ptr<const
// Trace>.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "core/attention/qk_norm.h"
#include "core/attention/rope.h"
#include "core/attention/sweep.h"
#include "core/mask/mask_rule.h"
#include "core/scenario/inputs.h"
#include "core/scenario/scenario.h"
#include "core/stage/cell_kind.h"
#include "core/stage/stage.h"
#include "core/tensor/tensor.h"

namespace headlight {

struct SplitParameters {
  Index heads = 1;
  bool operator==(const SplitParameters&) const = default;
};
struct SilenceParameters {
  std::vector<Index> heads{};  ///< knocked out: their outputs are zero
  bool operator==(const SilenceParameters&) const = default;
};
/// Of a stage that Run::override_stage made: never one that is computed.
struct Overridden {
  bool operator==(const Overridden&) const = default;
};
/// What a stage is computed by besides its sources: the argument of its kernel, and part of its key. Floats are equal
/// bit by bit, tensors where they are identical().
using StageParameters =
    std::variant<std::monostate, SplitParameters, HeadNorm, Rotation, ScaleParameters, CapParameters, BiasParameters,
                 MaskRule, FillParameters, SoftmaxParameters, DropoutParameters, SilenceParameters, Overridden>;

/// What a stage was computed from. Two records with the same key have the same output.
struct StageRecord {
  std::vector<Exact<Tensor>> sources{};
  StageParameters parameters{};
  Tensor output{};
  double milliseconds = 0;  ///< time it took when it was last computed
  bool reused = false;      ///< taken from the last trace as it was

  bool same_key(const StageRecord& other) const { return sources == other.sources && parameters == other.parameters; }
};

struct TraceSummary;
struct HeadOverview;

class Trace {
 public:
  Scenario scenario;
  Inputs inputs;
  std::array<StageRecord, stage_count> records;
  std::optional<MaskRule> mask_rule;  ///< nothing where there is no mask
  Tensor dropout_keep;                ///< [B, H, n_q, n_k], 1 = kept; undefined unless dropped_weights exists
  Tensor sink_logits;                 ///< [H]; undefined unless the scenario has one
  Tensor contributions;               ///< contribution_norms; undefined until asked for (core/run/contributions.h)
  Tensor t5_table;         ///< [H, 32], by bucket (core/position/relative_bias.h); undefined unless the scenario has it
  float scale = 1;         ///< what scores were multiplied by
  float fill = 0;          ///< what masked scores were set to
  Index query_offset = 0;  ///< the first query's position
  std::shared_ptr<const TraceSummary> summary;   ///< core/run/summary.h; null unless the run asked for it
  std::shared_ptr<const HeadOverview> overview;  ///< core/network/head_overview.h; null unless the run asked for it

  const Dims& dims() const { return inputs.dims; }
  /// A stage, parameter or measure; an undefined tensor where this run has none.
  const Tensor& operator[](Stage stage) const;
  bool has(Stage stage) const { return (*this)[stage].defined(); }
  /// The stage that is there in its place: itself, or where it is optional what came before it; else nothing.
  std::optional<Stage> standing_for(Stage stage) const {
    return stand_in(stage, [this](Stage s) { return has(s); });
  }
  /// The stages that this run has, in the order of computation.
  std::vector<Stage> stages() const;
};

/// What lies over a stage's matrix: masked and dropped cells, on the stages from the mask on.
CellMasks masks_over(const Trace& trace, Stage stage, Index batch, Index head);

}  // namespace headlight
