// Where somebody's implementation goes wrong, and which known mistake gives its numbers.
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

#include "core/diagnosis/agreement.h"
#include "core/diagnosis/assumed_mask.h"
#include "core/diagnosis/own_stages.h"
#include "core/run/pipeline.h"

namespace headlight {

struct Finding {
  std::string id;           ///< of core/diagnosis/mistakes.h
  std::string explanation;  ///< a sentence or two, with the PyTorch line to write instead
  bool harmless = false;    ///< changes no weight of a row that has keys
};

/// A stage that does not follow from the right stages before it, nor from somebody's own.
struct Wrong {
  Stage stage{};
  std::vector<Finding> findings;  ///< the mistakes that give its numbers, most likely first; may be empty
  bool aside = false;             ///< the stages after it were computed without it, as from the right one
};

struct StageComparison {
  Stage stage{};
  const OwnStage* own = nullptr;         ///< null where the file does not hold it
  std::optional<Agreement> agreement{};  ///< where its shape fits
  bool differs() const { return own && (!agreement || !agreement->agrees); }
};

struct Comparison {
  std::vector<StageComparison> stages;  ///< of the run, and those of the file that the run leaves out
  std::vector<Wrong> wrongs;            ///< in the order of computation, a few at most; empty where everything agrees
  std::optional<AssumedMask>
      assumed;           ///< the mask that the numbers have and the run was not given: compared is with that
  bool complete = true;  ///< false: the time was up before every known mistake had been tried
  bool matches() const { return first_difference() == nullptr; }
  const StageComparison* first_difference() const;
  /// All findings, most likely first: what is harmless comes last.
  std::vector<Finding> diagnosis() const;
};

/// With opening the files and computing the right numbers that stays within ten.
inline constexpr double search_seconds = 9;

/// Compares each stage and searches the known mistakes for those that reproduce the numbers: all of `own` from the
/// first difference on, or, where several mistakes were made, up to the next stage that goes wrong by itself. Computes
/// a run for each mistake; where one alone explains nothing, for pairs of them. It ends after `seconds` by the clock,
/// in the middle of what it tries. `own` must outlive the result. Throws Cancelled. `trying` is told each mistake's id
/// before it is tried.
Comparison compare(const std::shared_ptr<const Trace>& trace, const OwnStages& own, const Run& run = {},
                   double seconds = search_seconds, const std::function<void(std::string_view id)>& trying = {});
/// How each stage differs, and nothing of why.
Comparison differences(const Trace& trace, const OwnStages& own);
/// The stages that would narrow `wrong` down: those between the last one that was saved and it.
std::vector<Stage> worth_saving(const Comparison& comparison, const Wrong& wrong);

}  // namespace headlight
