#include "core/diagnosis/diagnosis.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/diagnosis/bias_mask.h"
#include "core/diagnosis/mistakes.h"
#include "core/diagnosis/reproduction.h"
#include "core/diagnosis/time_limit.h"
#include "core/tensor/error.h"

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
  using Trying = std::function<void(std::string_view)>;
  /// `run` is stopped when the time is up.
  Search(const OwnStages& own, const Evidence& evidence, const Run& run, const TimeLimit& limit, const Trying& trying)
      : own_(own), evidence_(evidence), run_(run), limit_(limit), trying_(trying) {}

  /// Adds to `wrongs` as far as there is time.
  void find(Base base, std::vector<Wrong>& wrongs);

 private:
  std::vector<Candidate> candidates(const Base& base, std::size_t from);
  void add_candidates(const Base& base, std::size_t from, std::vector<Candidate>& found);
  std::vector<Candidate> with_other_fills(const Base& base, std::size_t from);
  std::vector<Finding> pair(const Base& base, std::size_t from);
  /// Nothing where the time was up before the end.
  Evidence::Reproduction reproduce(const Base& base, const Variant& variant, std::size_t from) const;
  std::vector<float> other_fills(const Trace& run) const;
  bool explains_all(const std::vector<Candidate>& found) const {
    return std::ranges::any_of(found, [&](const Candidate& c) { return c.reproduction.end == evidence_.size(); });
  }

  const OwnStages& own_;
  const Evidence& evidence_;
  const Run& run_;
  const TimeLimit& limit_;
  const Trying& trying_;
};

Evidence::Reproduction Search::reproduce(const Base& base, const Variant& variant, std::size_t from) const {
  try {
    return evidence_.reproduce(base, variant, from, run_);
  } catch (const Cancelled&) {
    if (limit_.is_up()) return {};
    throw;
  }
}

/// Reproduces more, or as much without contradicting what was right.
bool is_better(const Evidence::Reproduction& a, const Evidence::Reproduction& b) {
  return std::tuple(b.end, a.contradicted) < std::tuple(a.end, b.contradicted);
}

/// Those of a mistake that change what this run computes: heads or weights that are given are nobody's mistake.
std::vector<Variant> variants_in(const Mistake& mistake, const Suspect& suspect) {
  const Stage first = suspect.run.inputs.first_stage();
  if (first == Stage::weights) return {};
  const auto computed = [&](Stage stage) {
    const bool given = first == Stage::Q_heads && stage <= Stage::V_heads;
    return suspect.run.has(stage) && !given;
  };
  std::vector<Variant> variants = mistake.variants(suspect);
  std::erase_if(variants, [&](const Variant& variant) {
    return !std::ranges::all_of(variant.rules, [&](const auto& rule) { return computed(rule.first); });
  });
  return variants;
}

/// Each mistake in the variant that reproduces most.
void Search::add_candidates(const Base& base, std::size_t from, std::vector<Candidate>& found) {
  for (const Mistake& mistake : all_mistakes()) {
    if (limit_.is_up()) return;
    if (trying_) trying_(mistake.id);
    std::optional<Candidate> best;
    for (const Variant& variant : variants_in(mistake, {*base.run, own_})) {
      if (limit_.is_up()) break;
      const Evidence::Reproduction got = reproduce(base, variant, from);
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
std::vector<Candidate> Search::with_other_fills(const Base& base, std::size_t from) {
  for (const float fill : other_fills(*base.run)) {
    if (limit_.is_up()) break;
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

std::vector<Candidate> Search::candidates(const Base& base, std::size_t from) {
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

/// Both changed; nothing where they would make the same stage in two ways.
std::optional<Variant> both(const Variant& a, const Variant& b) {
  Variant pair;
  if (a.settings && b.settings) {
    pair.settings = [first = a.settings, second = b.settings](Scenario& s) {
      first(s);
      second(s);
    };
  } else {
    pair.settings = a.settings ? a.settings : b.settings;
  }
  pair.rules = a.rules;
  pair.saved = a.saved;
  for (const auto& rule : b.rules) {
    if (!pair.rules.insert(rule).second) return {};
  }
  for (const auto& saved : b.saved) {
    if (!pair.saved.insert(saved).second) return {};
  }
  return pair;
}

/// Two mistakes that give all the numbers together, where no single one gives any.
std::vector<Finding> Search::pair(const Base& base, std::size_t from) {
  struct Known {
    const char* id;
    Variant variant;
  };
  std::vector<Known> known;
  for (const Mistake& mistake : all_mistakes()) {
    if (limit_.is_up()) return {};
    for (Variant& variant : variants_in(mistake, {*base.run, own_})) {
      if (!variant.rare && !variant.harmless) known.push_back({mistake.id, std::move(variant)});
    }
  }
  for (std::size_t i = 0; i < known.size(); ++i) {
    for (std::size_t j = i + 1; j < known.size(); ++j) {
      if (std::string_view(known[i].id) == known[j].id) continue;
      if (limit_.is_up()) return {};
      if (trying_) trying_(known[i].id);
      const std::optional<Variant> variant = both(known[i].variant, known[j].variant);
      if (!variant || reproduce(base, *variant, from).end != evidence_.size()) continue;
      return {{known[i].id, known[i].variant.explanation}, {known[j].id, known[j].variant.explanation}};
    }
  }
  return {};
}

void Search::find(Base base, std::vector<Wrong>& wrongs) {
  std::size_t at = evidence_.first_difference(*base.run, 0);
  while (at < evidence_.size() && wrongs.size() < most_wrongs) {
    Wrong& wrong = wrongs.emplace_back(Wrong{evidence_.stage(at), {}});
    // What follows from the wrong stage as it is needs no explanation of its own.
    std::size_t next = evidence_.first_difference(*evidence_.taken_over(base, at + 1, run_).run, at + 1);
    std::vector<Candidate> found = candidates(base, at);
    std::erase_if(found, [&](const Candidate& c) { return c.reproduction.end < next; });
    for (const Candidate& candidate : found) next = std::max(next, candidate.reproduction.end);
    wrong.findings = best_of(std::move(found));
    const std::size_t without = evidence_.first_difference(*base.run, at + 1);
    const bool to_the_end = at + 1 == evidence_.size() && evidence_.fits(at);
    if (wrong.findings.empty() && to_the_end) wrong.findings = pair(base, at);
    if (wrong.findings.empty() && without > next) {
      wrong.aside = true;
      at = without;
      continue;
    }
    base = evidence_.taken_over(base, next, run_);
    at = evidence_.first_difference(*base.run, next);
  }
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

namespace {

void compare_stages(const Trace& trace, const OwnStages& own, Comparison& result) {
  result.stages.clear();
  for (const Stage stage : all_stages()) {
    const OwnStage* mine = own.find(stage);
    if (!mine && !trace.has(stage)) continue;
    StageComparison& entry = result.stages.emplace_back(StageComparison{stage, mine});
    if (mine && mine->fits) {
      entry.agreement = agreement(mine->values, with_heads_of(mine->values, counterpart(trace, stage)), mine->slack);
    }
  }
}

}  // namespace

Comparison differences(const Trace& trace, const OwnStages& own) {
  Comparison result;
  compare_stages(trace, own, result);
  return result;
}

Comparison compare(const std::shared_ptr<const Trace>& trace, const OwnStages& own, const Run& run, double seconds,
                   const std::function<void(std::string_view)>& trying) {
  Comparison result;
  compare_stages(*trace, own, result);
  if (result.matches()) return result;
  const TimeLimit limit(seconds, run.stop);
  Run timed = run;
  timed.stop = limit.token();
  try {
    auto masked = with_bias_as_mask(trace, timed);
    result.assumed = mask_in_numbers(*masked, own, timed);
    if (result.assumed) {
      masked = result.assumed->run;
      compare_stages(*masked, own, result);
      if (result.matches()) return result;
    }
    std::vector<Stage> except;
    if (masked != trace && !result.assumed) except.push_back(Stage::biased_scores);
    const Evidence evidence(own, except);
    Search(own, evidence, timed, limit, trying).find({masked, {}}, result.wrongs);
  } catch (const Cancelled&) {
    if (!limit.is_up()) throw;
    if (result.wrongs.empty()) result.wrongs.push_back({result.first_difference()->stage, {}});
  }
  result.complete = !limit.is_up();
  return result;
}

std::vector<Stage> worth_saving(const Comparison& comparison, const Wrong& wrong) {
  std::vector<Stage> missing;
  for (const StageComparison& stage : comparison.stages) {
    if (stage.stage == wrong.stage) break;
    if (stage.own) {
      missing.clear();
    } else if (stage.stage >= Stage::Q) {  // what comes before was given
      missing.push_back(stage.stage);
    }
  }
  return missing;
}

}  // namespace headlight
