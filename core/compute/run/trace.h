// Trace: the numbers of all stages of one run. Immutable once computed, and shared between threads as shared_ptr<const
// Trace>.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "core/base/tensor/tensor.h"
#include "core/compute/attention/norm_and_rotation.h"
#include "core/compute/attention/sweep.h"
#include "core/rules/mask/mask_rule.h"
#include "core/rules/stage/extent.h"
#include "core/rules/stage/stage.h"
#include "core/scenario/inputs/inputs.h"
#include "core/scenario/settings/scenario.h"

namespace headlight {

struct SplitParameters {
  Index heads = 1;
  bool operator==(const SplitParameters&) const = default;
};
struct SilenceParameters {
  std::vector<Index> heads{};  ///< knocked out: their outputs are zero
  bool operator==(const SilenceParameters&) const = default;
};
/// For a stage that Run::override_stage replaced: never reused.
struct Overridden {
  bool operator==(const Overridden&) const = default;
};
/// The parameters of a stage besides its sources: its kernel's argument and part of its cache key. Floats are compared
/// bit by bit, tensors by identical().
using StageParameters =
    std::variant<std::monostate, SplitParameters, HeadNorm, Rotation, ScaleParameters, CapParameters, AddedTerms,
                 MaskRule, FillParameters, SoftmaxParameters, DropoutParameters, SilenceParameters, Overridden>;

/// The cache key of a stage. Records with equal keys have equal outputs.
struct StageRecord {
  std::vector<Exact<Tensor>> sources{};
  StageParameters parameters{};
  Tensor output{};
  double milliseconds = 0;  ///< when it was last computed
  bool reused = false;      ///< taken from the last trace

  bool same_key(const StageRecord& other) const { return sources == other.sources && parameters == other.parameters; }
};

struct TraceSummary;
struct HeadOverview;

class Trace {
 public:
  Scenario scenario;
  Inputs inputs;
  std::array<StageRecord, stage_count> records;
  std::optional<MaskRule> mask_rule;  ///< unset without a mask
  Tensor dropout_keep;                ///< [B, H, n_q, n_k], 1 = kept; undefined unless dropped_weights exists
  Tensor sink_logits;                 ///< [H]; undefined unless the scenario has one
  Tensor contributions;  ///< contribution_norms; undefined until requested (core/compute/run/contributions.h)
  Tensor t5_table;   ///< [H, 32], by bucket (core/rules/position/relative_bias.h); undefined unless the scenario has it
  AddedTerms added;  ///< what is added to the scores (core/compute/run/score_terms.h)
  float scale = 1;   ///< factor of the scores
  float fill = 0;    ///< value of masked scores
  Index query_offset = 0;                       ///< position of the first query
  std::shared_ptr<const TraceSummary> summary;  ///< core/compute/run/statistics.h; null unless requested
  /// Not null: the stages and parameters here are gradients, dL/d(stage) of that trace's, by the loss `loss`
  /// (core/compute/network/gradients.h). The mask is the mask.
  std::shared_ptr<const Trace> gradients_of;
  Message loss;                                  ///< "−log p(sat) at the last position"
  std::shared_ptr<const Trace> pieces;           ///< with Merge::words, the trace of the tokens; else null
  std::shared_ptr<const HeadOverview> overview;  ///< core/compute/network/head_overview.h; null unless requested

  /// "weights"; of gradients "d_weights".
  std::string name_of(Stage stage) const;
  /// Of gradients, which have both signs, diverging.
  Palette palette_of(Stage stage) const;
  const Dims& dims() const { return inputs.dims; }
  /// A stage, parameter or measure; undefined if the run has none.
  const Tensor& operator[](Stage stage) const;
  bool has(Stage stage) const { return (*this)[stage].defined(); }
  bool has(const Cell& cell) const;
  /// The stage itself or, if it is optional and absent, the one that replaces it; unset if there is none.
  std::optional<Stage> standing_for(Stage stage) const {
    return stand_in(stage, [this](Stage s) { return has(s); });
  }
  /// The run's stages, in order of computation.
  std::vector<Stage> stages() const;
};

/// The masks over a stage's matrix: masked and dropped cells, from the mask on.
CellMasks masks_over(const Trace& trace, Stage stage, Index batch, Index head);

}  // namespace headlight
