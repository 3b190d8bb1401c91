#include "core/diagnosis/mistake_search.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/diagnosis/mistakes.h"
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
  /// `run` must stop when the time limit is reached.
  Search(const OwnStages& own, const Evidence& evidence, const Run& run, const TimeLimit& limit, const Trying& trying)
      : own_(own), evidence_(evidence), run_(run), limit_(limit), trying_(trying) {}

  /// Adds to `wrongs` what it finds within the time limit.
  void find(Base base, std::vector<Wrong>& wrongs);

 private:
  std::vector<Candidate> candidates(const Base& base, std::size_t from);
  void add_candidates(const Base& base, std::size_t from, std::vector<Candidate>& found);
  std::vector<Candidate> with_other_fills(const Base& base, std::size_t from);
  std::vector<Finding> pair(const Base& base, std::size_t from);
  /// Empty if the time limit was reached first.
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

/// Whether a reproduces more stages than b, or as many with fewer contradictions to stages that agreed before.
bool is_better(const Evidence::Reproduction& a, const Evidence::Reproduction& b) {
  return std::tuple(b.end, a.contradicted) < std::tuple(a.end, b.contradicted);
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

/// Tries each mistake and keeps its best variant.
void Search::add_candidates(const Base& base, std::size_t from, std::vector<Candidate>& found) {
  for (const Mistake& mistake : all_mistakes()) {
    if (limit_.is_up()) return;
    if (trying_) trying_(mistake.id);
    std::optional<Candidate> best;
    for (const Variant& variant : variants_in(mistake, {*base.run, own_})) {
      if (limit_.is_up()) break;
      const Evidence::Reproduction reproduction = reproduce(base, variant, from);
      if (!reproduction.first || reproduction.gained == 0 || (best && !is_better(reproduction, best->reproduction)))
        continue;
      best = Candidate{{mistake.id, variant.explanation, variant.harmless}, reproduction, variant.rare};
    }
    if (best) found.push_back(std::move(*best));
  }
}

/// Other fills that the user may have: they change rows that may attend to no key.
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

/// Tries the mistakes again with other fills, if the fill alone does not explain the difference. Returns only
/// candidates with which all stages agree.
std::vector<Candidate> Search::with_other_fills(const Base& base, std::size_t from) {
  for (const float fill : other_fills(*base.run)) {
    if (limit_.is_up()) break;
    const Variant other{.explanation = {}, .settings = with_fill(fill)};
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

/// The best candidates: they reproduce most and, of these, have the fewest contradictions.
std::vector<Finding> best_of(std::vector<Candidate> found) {
  if (found.empty()) return {};
  std::ranges::stable_sort(found, {}, &Candidate::rare);
  std::ranges::stable_sort(found, is_better, &Candidate::reproduction);
  const Evidence::Reproduction best = found.front().reproduction;
  std::vector<Finding> findings;
  const bool all_rare = found.front().rare;
  for (Candidate& candidate : found) {
    if (!is_better(best, candidate.reproduction) && candidate.rare == all_rare)
      findings.push_back(std::move(candidate.finding));
  }
  return findings;
}

/// Both changes together; nothing if both replace the same stage.
std::optional<Variant> both(const Variant& a, const Variant& b) {
  Variant pair;
  if (a.settings && b.settings)
    pair.settings = [first = a.settings, second = b.settings](Scenario& s) { first(s), second(s); };
  else pair.settings = a.settings ? a.settings : b.settings;
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

/// Two mistakes with which all stages agree, if no single mistake explains them.
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
    // Stages that agree once they are computed from the wrong stage need no further explanation.
    std::size_t next = evidence_.first_difference(*evidence_.taken_over(base, at + 1, run_).run, at + 1);
    std::vector<Candidate> found = candidates(base, at);
    std::erase_if(found, [&](const Candidate& c) { return c.reproduction.end < next; });
    for (const Candidate& candidate : found) next = std::max(next, candidate.reproduction.end);
    wrong.findings = best_of(std::move(found));
    const std::size_t next_difference = evidence_.first_difference(*base.run, at + 1);
    const bool only_last_differs = at + 1 == evidence_.size() && evidence_.fits(at);
    if (wrong.findings.empty() && only_last_differs) wrong.findings = pair(base, at);
    if (wrong.findings.empty() && next_difference > next) {
      wrong.aside = true;
      at = next_difference;
      continue;
    }
    base = evidence_.taken_over(base, next, run_);
    at = evidence_.first_difference(*base.run, next);
  }
}

}  // namespace

void find_mistakes(Base base, const OwnStages& own, const Evidence& evidence, const Run& run, const TimeLimit& limit,
                   const Trying& trying, std::vector<Wrong>& wrongs) {
  Search(own, evidence, run, limit, trying).find(std::move(base), wrongs);
}

}  // namespace headlight
