// Finds where a user's implementation goes wrong, and which known mistake produces its numbers.
//
//   const auto trace = compute(scenario);
//   const OwnStages own = read_own_stages("mine.npz", *trace);
//   const Comparison comparison = compare(trace, own);
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/compute/run/pipeline.h"
#include "core/teaching/diagnosis/own_stages.h"
#include "core/teaching/diagnosis/reproduction.h"

namespace headlight {

struct Finding {
  std::string id;           ///< of core/teaching/diagnosis/mistakes.h
  std::string explanation;  ///< one or two sentences, with the PyTorch line to write instead
  bool harmless = false;    ///< it changes no weight of a row that has keys
  std::string yours{};      ///< the number or the code that differs, also said by the explanation; "" for none
  std::string here{};       ///< this run's
};

struct AssumedMask {
  std::shared_ptr<const Trace> run;  ///< the same computation under that mask
  std::string settings;              ///< `--mask "causal()"`; "" if no expression gives it
  std::string expression;            ///< "causal()"; "" if there is none
  Stage seen_in{};                   ///< the stage that reveals it
  std::optional<Finding> doubt{};    ///< the known mistake that this mask is, unless it is meant
};

/// Unset if the run has a mask, or the numbers reveal none. They reveal it by a saved mask, by −∞ (or −1e4 and less) in
/// masked_scores, by zeros in the weights that follow a pattern or are the same in several heads (unlike dropout's), or
/// by an output that only a causal mask explains. Throws Cancelled.
std::optional<AssumedMask> mask_in_numbers(const Trace& run, const OwnStages& own, const Run& how);

/// The run, where it has no mask but a bias from its file that hides keys (−inf, or −1e4 and less), with these as its
/// mask and the rest of the bias as it was; else the run itself. Its weights are the same.
std::shared_ptr<const Trace> with_bias_as_mask(const std::shared_ptr<const Trace>& trace, const Run& run);

/// A stage that follows neither from the right stages before it nor from the user's own.
struct Wrong {
  Stage stage{};
  std::vector<Finding> findings;  ///< mistakes that produce its numbers, most likely first; may be empty
  bool together = false;          ///< all of them at once, where none alone does
  bool aside = false;             ///< the stages after it were computed from the right one, not from it
};

struct StageComparison {
  Stage stage{};
  const OwnStage* own = nullptr;         ///< null if the file does not have it
  std::optional<Agreement> agreement{};  ///< if its shape fits
  bool differs() const { return own && (!agreement || !agreement->agrees); }
  /// It agrees, but no number of it is finite.
  bool tells_nothing() const;
};

struct Comparison {
  std::vector<StageComparison> stages;  ///< of the run, and those of the file that the run does not have
  std::vector<Wrong> wrongs;            ///< in order of computation, only a few; empty if everything agrees
  std::optional<AssumedMask> assumed;   ///< the mask that the numbers reveal and the run lacks; the comparison uses it
  bool complete = true;                 ///< false: time ran out before every known mistake was tried
  /// "bfloat16" or "float16" where no mistake was found, and no stage differs by more than rounding to it may cause.
  std::string rounding{};
  /// No stage differs, perhaps only under the assumed mask.
  bool agrees() const { return first_difference() == nullptr; }
  /// No stage differs, and nothing was assumed.
  bool matches() const { return agrees() && !assumed; }
  const StageComparison* first_difference() const;
  /// All findings, most likely first, harmless ones last.
  std::vector<Finding> diagnosis() const;
};

/// Together with opening files and computing the right numbers, this stays below ten seconds.
inline constexpr double search_seconds = 9;

/// Compares each stage and searches the known mistakes for those that reproduce the numbers: all of `own` from the
/// first difference on or, if several mistakes were made, up to the next stage that goes wrong by itself. Computes a
/// run for each mistake; if none alone explains anything, for pairs. It stops after `seconds`, even within a run. `own`
/// must outlive the result. `trying` receives the id of each mistake before it is tried. Throws Cancelled.
Comparison compare(const std::shared_ptr<const Trace>& trace, const OwnStages& own, const Run& run = {},
                   double seconds = search_seconds, const std::function<void(std::string_view id)>& trying = {});
/// The differences of each stage only.
Comparison differences(const Trace& trace, const OwnStages& own);
/// The stages that would narrow `wrong` down: those between it and the last saved one.
std::vector<Stage> worth_saving(const Comparison& comparison, const Wrong& wrong);

}  // namespace headlight
