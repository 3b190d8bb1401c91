// Checks whether a changed computation produces the user's numbers.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/tensor/tensor.h"
#include "core/compute/run/pipeline.h"
#include "core/teaching/diagnosis/mistakes.h"
#include "core/teaching/diagnosis/own_stages.h"

namespace headlight {

/// The computation assumed so far: a run in which some stages are replaced by the user's own.
struct Base {
  std::shared_ptr<const Trace> run;
  std::map<Stage, Tensor> own;  ///< stages of the run that are replaced
};

using Watch = std::function<void(Stage next, const Trace& so_far)>;
/// `base` with the settings and rules of `variant`, if they do not affect replaced stages; stages before the first that
/// the variant changes are those of `base`. `watch`, if set, is called before each stage and may end the computation by
/// an exception.
std::shared_ptr<const Trace> compute_variant(const Base& base, const Variant& variant, const Run& run,
                                             const Watch& watch = {});

/// The user's stages in order of computation, indexed from 0.
class Evidence {
 public:
  /// `own` without the stages of `except`.
  Evidence(const OwnStages& own, std::vector<Stage> except);

  std::size_t size() const { return stages_.size(); }
  Stage stage(std::size_t place) const { return stages_[place]->stage; }
  bool fits(std::size_t place) const { return stages_[place]->fits; }
  /// The first index from `from` on where the run's numbers differ; size() if there is none.
  std::size_t first_difference(const Trace& run, std::size_t from) const;
  /// `base` with the first `places` stages replaced by these, if they fit.
  Base taken_over(const Base& base, std::size_t places, const Run& run) const;

  struct Reproduction {
    std::size_t end = 0;           ///< first index from `from` on that differs
    std::size_t contradicted = 0;  ///< stages before `from` that differ, though they agree in the base
    std::size_t gained = 0;  ///< stages in [from, end) that agree, but not in the base; not those of NaN throughout
    bool first = false;      ///< stage `from` itself agrees; false if there is nothing to compare
    double misfit = 0;       ///< the largest relative difference of the stages in [from, end)
  };
  /// Computes the variant as far as it agrees. `strict`: it must not contradict a stage before `from` either.
  Reproduction reproduce(const Base& base, const Variant& variant, std::size_t from, const Run& run,
                         bool strict = false) const;
  /// The relative difference between stage `place` and the variant's; infinite where they cannot be compared.
  double misfit(const Base& base, const Variant& variant, std::size_t place, const Run& run) const;

 private:
  class Check;
  std::vector<const OwnStage*> stages_;
};

/// How many scores the run has, in all sequences and heads: what a search counts in place of time.
Index scores_of(const Trace& run);

/// All stages from the projections on, as the user would have saved them.
OwnStages own_stages_of(const Trace& trace);
/// The stages of `trace` from the projections on, with that mistake. Throws SettingError if the mistake is unknown, or
/// cannot be made in this run.
OwnStages mistaken_stages(const std::string& mistake, std::size_t variant, const std::shared_ptr<const Trace>& trace,
                          const Run& run = {});

// Compares two tensors within the tolerance of agreement with PyTorch.

/// The tolerance at a right value: 1e-5 + (1e-4 + slack) · |right|.
double tolerance(float right, float slack = 0);
/// |mine − right| ≤ tolerance(right, slack); NaN equals NaN, an infinity equals itself. `slack` is the rounding error
/// of a file in half precision.
bool agree(float mine, float right, float slack = 0);

struct Agreement {
  bool agrees = true;
  double largest = 0;       ///< |mine − right|; infinite if only one of them is infinite or NaN
  std::vector<Index> at{};  ///< the first position of the largest difference
  float mine = 0, right = 0;
};

/// Both must have the same shape.
Agreement agreement(const Tensor& mine, const Tensor& right, float slack = 0);
/// The root mean square of mine − right over that of right, over the numbers that are finite in both, of large tensors
/// over about a million of them, in evenly spaced groups; infinite for different shapes, and where most are finite in
/// one only.
double relative_difference(const Tensor& mine, const Tensor& right);
/// The factor c of mine = c · right, by least squares over the numbers that are finite in both; unset where the tensors
/// are not proportional.
std::optional<double> factor_between(const Tensor& mine, const Tensor& right, float slack);
/// The same without the position; false for different shapes.
bool all_agree(const Tensor& mine, const Tensor& right, float slack = 0);

}  // namespace headlight
