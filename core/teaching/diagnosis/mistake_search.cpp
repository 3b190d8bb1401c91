#include "core/teaching/diagnosis/mistake_search.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "core/base/tensor/error.h"
#include "core/teaching/diagnosis/mistake_pairs.h"
#include "core/teaching/diagnosis/mistakes.h"
#include "core/teaching/diagnosis/seen_mask.h"

namespace headlight {
namespace {

constexpr std::size_t most_wrongs = 4;
// Two limits, each a count of scores and no time, so that the answer is the same on any machine.
// For others that explain as much, where one mistake explains every stage:
constexpr Index more_scores = Index{1} << 28;
// For two mistakes at once, which have thousands of combinations; each costs as much as `scores_of_run` more:
constexpr Index pair_scores = Index{1} << 26;
constexpr Index other_fill_scores = pair_scores / 8;  // once more, for each other fill
constexpr Index scores_of_run = 5000;

struct Candidate {
  Finding finding;
  Variant variant;
  Evidence::Reproduction reproduction;
};

class Search {
 public:
  /// `run` must stop when the time limit is reached.
  Search(const OwnStages& own, const Evidence& evidence, const Run& run, const TimeLimit& limit, const Trying& trying)
      : own_(own), evidence_(evidence), run_(run), limit_(limit), trying_(trying) {}

  /// Adds to `wrongs` what it finds within the time limit.
  void find(Base base, std::vector<Wrong>& wrongs);
  /// Whether the search has ended before all mistakes were tried.
  bool is_late() const { return limit_.is_up() || more_scores_left_ <= 0; }

 private:
  std::vector<Candidate> candidates(const Base& base, std::size_t from);
  /// `strict`: only those that contradict no earlier stage, which are refuted sooner. `after`: only those that change
  /// nothing up to this stage.
  void add_candidates(const Base& base, std::size_t from, std::vector<Candidate>& found, bool strict,
                      std::optional<Stage> after = {});
  std::optional<Stage> agreed_in_large(const Base& base, std::size_t from) const;
  std::vector<Candidate> with_other_fills(const Base& base, std::size_t from);
  std::vector<Finding> pair_with_seen_mask(const Base& base, std::size_t from);
  std::vector<Finding> pair(const Base& base, std::size_t from, bool only_last_differs, Index scores_left);
  std::vector<Finding> pair_with_other_fills(const Base& base, std::size_t from, bool only_last_differs);
  /// Empty if the time limit was reached first, or if the variant cannot be computed here.
  Evidence::Reproduction reproduce(const Base& base, const Variant& variant, std::size_t from,
                                   bool strict = false) const;
  Suspect suspect_in(const Base& base, std::size_t from);
  /// Once a mistake explains every stage, computing the run once more is subtracted from what may be computed.
  void count_scores(const Trace& run) { more_scores_left_ -= explained_ ? scores_of(run) : 0; }
  std::vector<std::function<void(Scenario&)>> other_fills(const Trace& run) const;
  bool explains_all(const std::vector<Candidate>& found) const {
    return std::ranges::any_of(found, [&](const Candidate& c) { return c.reproduction.end == evidence_.size(); });
  }

  const OwnStages& own_;
  const Evidence& evidence_;
  const Run& run_;
  const TimeLimit& limit_;
  const Trying& trying_;
  bool explained_ = false;  ///< one mistake explains every stage
  Index more_scores_left_ = more_scores;
  std::shared_ptr<const Trace> seen_in_{};  ///< the run of seen_
  Tensor seen_{};                           ///< the mask that the user's numbers show; undefined if none
};

Evidence::Reproduction Search::reproduce(const Base& base, const Variant& variant, std::size_t from,
                                         bool strict) const {
  if (variant.inputs && !base.own.empty()) return {};
  try {
    return evidence_.reproduce(base, variant, from, run_, strict);
  } catch (const Cancelled&) {
    if (limit_.is_up()) return {};
    throw;
  } catch (const InputError&) {
    return {};  // sizes or masks that do not fit together: this mistake was not made
  }
}

Suspect Search::suspect_in(const Base& base, std::size_t from) {
  Suspect suspect{*base.run, own_};
  suspect.misfit = [this, &base, from](const Variant& variant) {
    if (limit_.is_up()) return std::numeric_limits<double>::infinity();
    try {
      return evidence_.misfit(base, variant, from, run_);
    } catch (const InputError&) { return std::numeric_limits<double>::infinity(); }
  };
  if (!base.run->has(Stage::mask)) return suspect;
  if (seen_in_ != base.run) {
    const std::optional<SeenMask> seen = seen_mask(*base.run, own_);
    seen_in_ = base.run, seen_ = seen ? seen->cells : Tensor();
  }
  suspect.seen_mask = seen_;
  return suspect;
}

/// Whether a reproduces more stages than b, or as many with fewer contradictions to stages that agreed before.
bool is_better(const Evidence::Reproduction& a, const Evidence::Reproduction& b) {
  return std::tuple(b.end, a.contradicted) < std::tuple(a.end, b.contradicted);
}

/// Whether a reproduces as much as b, and its numbers are closer by more than rounding.
bool is_closer(const Evidence::Reproduction& a, const Evidence::Reproduction& b) {
  constexpr double rounding = 2e-6;
  return !is_better(b, a) && 3 * a.misfit + rounding < b.misfit;
}

/// The variants of a mistake that change a stage which this run computes. Heads or weights from a file cannot have this
/// mistake.
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

Finding finding_of(const Mistake& mistake, const Variant& variant) {
  return {mistake.id, variant.explanation, variant.harmless, variant.yours, variant.here};
}

/// Whether the mistake can change this stage of the run: one with the mask changes none before it.
bool can_change(const Mistake& mistake, Stage stage) {
  return mistake.kind != Mistake::Kind::mask || stage >= Stage::mask;
}

/// The last stage before `from` that the user saved, in inputs so large that a run takes a tenth of a second; else
/// none. Mistakes that begin after it are tried first: no other can agree with it unless its change is not seen there.
std::optional<Stage> Search::agreed_in_large(const Base& base, std::size_t from) const {
  constexpr Index large = 1 << 24;
  return from > 0 && scores_of(*base.run) >= large ? std::optional(evidence_.stage(from - 1)) : std::nullopt;
}

/// Tries each mistake that can change the stage and keeps its best variant.
void Search::add_candidates(const Base& base, std::size_t from, std::vector<Candidate>& found, bool strict,
                            std::optional<Stage> after) {
  const Suspect suspect = suspect_in(base, from);
  for (const Mistake& mistake : all_mistakes()) {
    if (is_late()) return;
    if (!can_change(mistake, evidence_.stage(from))) continue;
    if (after >= Stage::weights && mistake.kind == Mistake::Kind::mask) continue;
    if (trying_) trying_(mistake.id);
    std::optional<Candidate> best;
    count_scores(*base.run);
    for (Variant& variant : variants_in(mistake, suspect)) {
      if (is_late()) break;
      if (first_changed(variant) > evidence_.stage(from)) continue;
      if (after && !variant.settings && first_changed(variant) <= *after) continue;
      const Evidence::Reproduction reproduction = reproduce(base, variant, from, strict);
      count_scores(*base.run);
      if (!reproduction.first || reproduction.gained == 0) continue;
      if (best && !is_better(reproduction, best->reproduction) && !is_closer(reproduction, best->reproduction))
        continue;
      Finding finding = finding_of(mistake, variant);
      best = Candidate{std::move(finding), std::move(variant), reproduction};
    }
    if (!best) continue;
    found.push_back(std::move(*best));
    explained_ = explained_ || explains_all(found);
  }
}

/// Other fills that the user may have: they change rows that may attend to no key.
std::vector<std::function<void(Scenario&)>> Search::other_fills(const Trace& run) const {
  if (!run.has(Stage::mask)) return {};
  std::vector<std::function<void(Scenario&)>> fills;
  for (const float fill : {-INFINITY, -1e9F}) {
    if (fill != run.fill) fills.push_back(with_fill(fill));
  }
  fills.emplace_back([](Scenario& s) { s.dead_row = DeadRow::zero; });
  return fills;
}

/// Tries the mistakes again with other fills, if the fill alone does not explain the difference. Returns only
/// candidates with which all stages agree.
std::vector<Candidate> Search::with_other_fills(const Base& base, std::size_t from) {
  for (const auto& fill : other_fills(*base.run)) {
    if (limit_.is_up()) break;
    const Base filled{compute_variant(base, {.explanation = {}, .settings = fill}, run_), base.own};
    if (evidence_.first_difference(*filled.run, from) > from) continue;
    std::vector<Candidate> found;
    add_candidates(filled, from, found, true);
    if (explains_all(found)) return found;
  }
  return {};
}

std::vector<Candidate> Search::candidates(const Base& base, std::size_t from) {
  std::vector<Candidate> found;
  if (const std::optional<Stage> agreed = agreed_in_large(base, from)) add_candidates(base, from, found, true, agreed);
  if (explains_all(found)) return found;
  found.clear();
  add_candidates(base, from, found, true);
  if (explains_all(found)) return found;
  if (from > 0 && found.empty()) add_candidates(base, from, found, false);
  if (explains_all(found)) return found;
  std::vector<Candidate> others = with_other_fills(base, from);
  return others.empty() ? found : others;
}

/// The mask that the variant puts in the place of the run's, if it changes nothing else; else undefined.
Tensor other_mask(const Variant& variant, const Trace& run) {
  const bool alone = variant.rules.size() == 1 && variant.rules.contains(Stage::mask) && !variant.settings;
  return alone ? variant.rules.at(Stage::mask)(run, {}).expand(run[Stage::mask].shape()) : Tensor();
}

/// The best candidates: they reproduce most, of these have the fewest contradictions, and no other is closer to the
/// user's numbers. A mask that two variants of one id describe is found once.
std::vector<Finding> best_of(std::vector<Candidate> found, const Trace& run) {
  if (found.empty()) return {};
  std::ranges::stable_sort(found, {}, [](const Candidate& c) { return c.variant.rare; });
  std::ranges::stable_sort(found, is_better, &Candidate::reproduction);
  const Evidence::Reproduction best = found.front().reproduction;
  std::erase_if(found, [&](const Candidate& c) { return is_better(best, c.reproduction); });
  Evidence::Reproduction closest = best;
  for (const Candidate& c : found) closest.misfit = std::min(closest.misfit, c.reproduction.misfit);
  std::erase_if(found, [&](const Candidate& c) { return is_closer(closest, c.reproduction); });
  const bool all_rare = std::ranges::all_of(found, [](const Candidate& c) { return c.variant.rare; });
  std::vector<Finding> findings;
  std::vector<std::pair<std::string, Tensor>> masks;
  for (Candidate& candidate : found) {
    if (candidate.variant.rare != all_rare) continue;
    const Tensor mask = found.size() > 1 ? other_mask(candidate.variant, run) : Tensor();
    const bool known = mask.defined() && std::ranges::any_of(masks, [&](const auto& other) {
                         return other.first == candidate.finding.id && all_agree(other.second, mask);
                       });
    if (known) continue;
    if (mask.defined()) masks.emplace_back(candidate.finding.id, mask);
    findings.push_back(std::move(candidate.finding));
  }
  return findings;
}

/// Where the user's mask is seen and is not the run's: that, and the mistake that explains the rest under it.
std::vector<Finding> Search::pair_with_seen_mask(const Base& base, std::size_t from) {
  const Suspect suspect = suspect_in(base, from);
  if (!suspect.seen_mask.defined() || shows((*base.run)[Stage::mask], suspect.seen_mask)) return {};
  for (const Mistake& mistake : all_mistakes()) {
    if (mistake.kind != Mistake::Kind::mask) continue;
    for (const Variant& variant : variants_in(mistake, suspect)) {
      const Tensor mask = limit_.is_up() ? Tensor() : other_mask(variant, *base.run);
      if (!mask.defined()) continue;
      Base masked = base;
      masked.own[Stage::mask] = mask;
      masked.run = compute_variant(masked, {}, run_);
      std::vector<Candidate> found = candidates(masked, from);
      std::erase_if(found, [&](const Candidate& c) { return c.reproduction.end < evidence_.size(); });
      std::vector<Finding> findings = best_of(std::move(found), *masked.run);
      if (findings.empty()) continue;
      findings.insert(findings.begin() + 1, finding_of(mistake, variant));
      return findings;
    }
  }
  return {};
}

/// Two mistakes with which all stages agree, if no single mistake explains them: the first such pair of likely_pairs().
/// It ends when it has computed about as many scores as `scores_left`.
std::vector<Finding> Search::pair(const Base& base, std::size_t from, bool only_last_differs, Index scores_left) {
  if (std::vector<Finding> found = pair_with_seen_mask(base, from); !found.empty()) return found;
  std::vector<KnownVariant> known;
  const Suspect suspect = suspect_in(base, from);
  for (const Mistake& mistake : all_mistakes()) {
    if (limit_.is_up()) return {};
    std::size_t place = 0;
    for (Variant& variant : variants_in(mistake, suspect)) {
      const bool likely = !variant.rare || mistake.kind == Mistake::Kind::mask;
      if (likely && !variant.harmless && !variant.inputs) known.push_back({&mistake, std::move(variant), place++});
    }
  }
  const Mistake* told = nullptr;
  for (const auto& [first, second] : likely_pairs(known, only_last_differs)) {
    const KnownVariant &a = known[first], &b = known[second];
    if (limit_.is_up() || scores_left <= 0) return {};
    scores_left -= scores_of(*base.run) + scores_of_run;
    if (trying_ && a.mistake != told) trying_((told = a.mistake)->id);
    const std::optional<Variant> variant = both(a.variant, b.variant);
    if (!variant) continue;
    const Evidence::Reproduction reproduction = reproduce(base, *variant, from);
    if (reproduction.end != evidence_.size() || reproduction.gained == 0) continue;
    return {finding_of(*a.mistake, a.variant), finding_of(*b.mistake, b.variant)};
  }
  return {};
}

/// The same under other fills, which decide the weights of rows whose keys a wrong mask hides.
std::vector<Finding> Search::pair_with_other_fills(const Base& base, std::size_t from, bool only_last_differs) {
  for (const auto& fill : other_fills(*base.run)) {
    if (limit_.is_up()) break;
    const Base filled{compute_variant(base, {.explanation = {}, .settings = fill}, run_), base.own};
    if (evidence_.first_difference(*filled.run, from) > from) continue;
    std::vector<Finding> found = pair(filled, from, only_last_differs, other_fill_scores);
    if (!found.empty()) return found;
  }
  return {};
}

/// Keeps the candidates that reproduce all stages before place `next`. Where there are none, those that reproduce
/// `stage` by changing nothing after it: rounding may have grown on the way to the stages that follow from the user's
/// own.
void keep_explaining(std::vector<Candidate>& found, Stage stage, std::size_t next) {
  const auto reaches = [next](const Candidate& c) { return c.reproduction.end >= next; };
  const auto only_before = [stage](const Candidate& c) {
    const bool earlier = std::ranges::all_of(c.variant.rules, [&](const auto& rule) { return rule.first <= stage; });
    return earlier && c.variant.saved.empty();
  };
  const bool any = std::ranges::any_of(found, reaches);
  std::erase_if(found, [&](const Candidate& c) { return any ? !reaches(c) : !only_before(c); });
}

void Search::find(Base base, std::vector<Wrong>& wrongs) {
  std::size_t at = evidence_.first_difference(*base.run, 0);
  while (at < evidence_.size() && wrongs.size() < most_wrongs) {
    Wrong& wrong = wrongs.emplace_back(Wrong{evidence_.stage(at), {}});
    std::vector<Candidate> found = candidates(base, at);
    if (explains_all(found)) {
      wrong.findings = best_of(std::move(found), *base.run);
      return;
    }
    // Stages that agree once they are computed from the wrong stage need no further explanation.
    std::size_t next = evidence_.first_difference(*evidence_.taken_over(base, at + 1, run_).run, at + 1);
    keep_explaining(found, evidence_.stage(at), next);
    for (const Candidate& candidate : found) next = std::max(next, candidate.reproduction.end);
    wrong.findings = best_of(std::move(found), *base.run);
    const std::size_t next_difference = evidence_.first_difference(*base.run, at + 1);
    const bool only_last_differs = at + 1 == evidence_.size() && evidence_.fits(at);
    if (wrong.findings.empty()) {
      wrong.findings = pair(base, at, only_last_differs, pair_scores);
      if (wrong.findings.empty()) wrong.findings = pair_with_other_fills(base, at, only_last_differs);
      wrong.together = !wrong.findings.empty();
      if (wrong.together) return;  // they explain every stage
    }
    if (wrong.findings.empty() && next_difference > next) {
      wrong.aside = true;
      at = next_difference;
      continue;
    }
    const Base over = evidence_.taken_over(base, next, run_);
    const std::size_t then = evidence_.first_difference(*over.run, next);
    // A later stage that agrees with the right one was not computed from this one: no second mistake undoes the first.
    const bool undone = then < evidence_.size() && evidence_.first_difference(*base.run, then) > then;
    wrong.aside = undone;
    at = undone ? evidence_.first_difference(*base.run, next) : then;
    if (!undone) base = over;
  }
}

}  // namespace

bool find_mistakes(Base base, const OwnStages& own, const Evidence& evidence, const Run& run, const TimeLimit& limit,
                   const Trying& trying, std::vector<Wrong>& wrongs) {
  Search search(own, evidence, run, limit, trying);
  search.find(std::move(base), wrongs);
  return !search.is_late();
}

}  // namespace headlight
