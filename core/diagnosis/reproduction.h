// Whether a computation with something changed gives somebody's numbers.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "core/diagnosis/mistakes.h"
#include "core/run/pipeline.h"

namespace headlight {

/// The computation that is taken for right so far: a run in which some stages are somebody's own.
struct Base {
  std::shared_ptr<const Trace> run;
  std::map<Stage, Tensor> own;  ///< stages of the run that stand as somebody has them
};

using Watch = std::function<void(Stage next, const Trace& so_far)>;
/// `base` with the settings and rules of `variant`, where those do not concern its own stages. `watch`, if any, is
/// called before each stage; what it throws ends the computation.
std::shared_ptr<const Trace> compute_variant(const Base& base, const Variant& variant, const Run& run,
                                             const Watch& watch = {});

/// Somebody's stages in the order of computation; places in it are counted from 0.
class Evidence {
 public:
  /// `except` is not looked at.
  Evidence(const OwnStages& own, std::vector<Stage> except);

  std::size_t size() const { return stages_.size(); }
  Stage stage(std::size_t place) const { return stages_[place]->stage; }
  bool fits(std::size_t place) const { return stages_[place]->fits; }
  /// The first place from `from` on where the run does not give the numbers; size() where there is none.
  std::size_t first_difference(const Trace& run, std::size_t from) const;
  /// `base` with the stages of the first `places` as they are here, where they fit.
  Base taken_over(const Base& base, std::size_t places, const Run& run) const;

  struct Reproduction {
    std::size_t end = 0;           ///< the first place from `from` on that does not come out
    std::size_t contradicted = 0;  ///< places before `from` that do not come out, though the base gives them
    std::size_t gained = 0;        ///< places in [from, end) that come out and do not in the base
    bool first = false;            ///< `from` itself comes out; not where there is nothing to compare
  };
  /// Computes the variant as far as it comes out.
  Reproduction reproduce(const Base& base, const Variant& variant, std::size_t from, const Run& run) const;

 private:
  class Check;
  std::vector<const OwnStage*> stages_;
};

}  // namespace headlight
