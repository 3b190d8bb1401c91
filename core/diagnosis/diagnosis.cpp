#include "core/diagnosis/diagnosis.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/diagnosis/bias_mask.h"
#include "core/diagnosis/mistakes.h"
#include "core/diagnosis/reproduction.h"

namespace headlight {
namespace {

constexpr std::size_t most_wrongs = 4;

struct Candidate {
  Finding finding;
  Evidence::Reproduction reproduction;
  bool rare = false;
};

class Search {
 public:
  Search(const OwnStages& own, const Evidence& evidence, const Run& run) : own_(own), evidence_(evidence), run_(run) {}

  std::vector<Wrong> wrongs(Base base) const;

 private:
  std::vector<Candidate> candidates(const Base& base, std::size_t from) const;
  void add_candidates(const Base& base, std::size_t from, std::vector<Candidate>& found) const;
  std::vector<Candidate> with_other_fills(const Base& base, std::size_t from) const;
  std::vector<float> other_fills(const Trace& run) const;
  bool explains_all(const std::vector<Candidate>& found) const {
    return std::ranges::any_of(found, [&](const Candidate& c) { return c.reproduction.end == evidence_.size(); });
  }

  const OwnStages& own_;
  const Evidence& evidence_;
  const Run& run_;
};

/// Reproduces more, or as much without contradicting what was right.
bool is_better(const Evidence::Reproduction& a, const Evidence::Reproduction& b) {
  return std::tuple(b.end, a.contradicted) < std::tuple(a.end, b.contradicted);
}

/// Each mistake in the variant that reproduces most.
void Search::add_candidates(const Base& base, std::size_t from, std::vector<Candidate>& found) const {
  for (const Mistake& mistake : all_mistakes()) {
    std::optional<Candidate> best;
    for (const Variant& variant : mistake.variants({*base.run, own_})) {
      const Evidence::Reproduction got = evidence_.reproduce(base, variant, from, run_);
      if (!got.first || got.gained == 0 || (best && !is_better(got, best->reproduction))) continue;
      best = Candidate{{mistake.id, variant.explanation, variant.harmless}, got, variant.rare};
    }
    if (best) found.push_back(std::move(*best));
  }
}

/// Fills that somebody may well have where the run has another: their rows without any key differ.
std::vector<float> Search::other_fills(const Trace& run) const {
  if (!run.has(Stage::mask)) return {};
  std::vector<float> fills{-INFINITY, -1e9F};
  const OwnStage* masked = own_.find(Stage::masked_scores);
  if (masked && masked->fits && masked->values.count() > 0) {
    const float lowest = *std::ranges::min_element(masked->values.values());
    if (lowest <= -1e3F) fills.insert(fills.begin(), lowest);
  }
  std::erase(fills, run.fill);
  return fills;
}

/// The same under other fills, where these alone are not what is wrong: what gives all the numbers.
std::vector<Candidate> Search::with_other_fills(const Base& base, std::size_t from) const {
  for (const float fill : other_fills(*base.run)) {
    Variant other;
    other.settings = [fill](Scenario& s) {
      s.fill = fill;
      s.dead_row = DeadRow::from_fill;
    };
    const Base filled{compute_variant(base, other, run_), base.own};
    if (evidence_.first_difference(*filled.run, from) > from) continue;
    std::vector<Candidate> found;
    add_candidates(filled, from, found);
    if (explains_all(found)) return found;
  }
  return {};
}

std::vector<Candidate> Search::candidates(const Base& base, std::size_t from) const {
  std::vector<Candidate> found;
  add_candidates(base, from, found);
  if (explains_all(found)) return found;
  std::vector<Candidate> others = with_other_fills(base, from);
  return others.empty() ? found : others;
}

/// The best of them: those that reproduce most and, among these, contradict nothing that was right.
std::vector<Finding> best_of(std::vector<Candidate> found) {
  if (found.empty()) return {};
  std::ranges::stable_sort(found, {}, &Candidate::rare);
  std::ranges::stable_sort(found, is_better, &Candidate::reproduction);
  const Evidence::Reproduction best = found.front().reproduction;
  std::vector<Finding> findings;
  for (Candidate& candidate : found) {
    if (!is_better(best, candidate.reproduction)) findings.push_back(std::move(candidate.finding));
  }
  return findings;
}

std::vector<Wrong> Search::wrongs(Base base) const {
  std::vector<Wrong> wrongs;
  std::size_t at = evidence_.first_difference(*base.run, 0);
  while (at < evidence_.size() && wrongs.size() < most_wrongs) {
    Wrong& wrong = wrongs.emplace_back(Wrong{evidence_.stage(at), {}});
    std::vector<Candidate> found = candidates(base, at);
    // What follows from the wrong stage as it is needs no explanation of its own.
    std::size_t next = evidence_.first_difference(*evidence_.taken_over(base, at + 1, run_).run, at + 1);
    std::erase_if(found, [&](const Candidate& c) { return c.reproduction.end < next; });
    for (const Candidate& candidate : found) next = std::max(next, candidate.reproduction.end);
    wrong.findings = best_of(std::move(found));
    const std::size_t without = evidence_.first_difference(*base.run, at + 1);
    if (wrong.findings.empty() && without > next) {
      wrong.aside = true;
      at = without;
      continue;
    }
    base = evidence_.taken_over(base, next, run_);
    at = evidence_.first_difference(*base.run, next);
  }
  return wrongs;
}

}  // namespace

const StageComparison* Comparison::first_difference() const {
  const auto found = std::ranges::find_if(stages, &StageComparison::differs);
  return found == stages.end() ? nullptr : &*found;
}

std::vector<Finding> Comparison::diagnosis() const {
  std::vector<Finding> all;
  for (const Wrong& wrong : wrongs) all.insert(all.end(), wrong.findings.begin(), wrong.findings.end());
  std::ranges::stable_sort(all, {}, &Finding::harmless);
  return all;
}

Comparison compare(const std::shared_ptr<const Trace>& trace, const OwnStages& own, const Run& run) {
  Comparison result;
  for (const Stage stage : all_stages()) {
    const OwnStage* mine = own.find(stage);
    if (!mine && !trace->has(stage)) continue;
    StageComparison& entry = result.stages.emplace_back(StageComparison{stage, mine});
    if (mine && mine->fits) {
      entry.agreement = agreement(mine->values, with_heads_of(mine->values, counterpart(*trace, stage)), mine->slack);
    }
  }
  if (result.matches()) return result;
  const auto masked = with_bias_as_mask(trace, run);
  std::vector<Stage> except;
  if (masked != trace) except.push_back(Stage::biased_scores);
  const Evidence evidence(own, except);
  result.wrongs = Search(own, evidence, run).wrongs({masked, {}});
  return result;
}

}  // namespace headlight
