#include "core/diagnosis/diagnosis.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/attention/softmax.h"
#include "core/diagnosis/mistakes.h"
#include "core/diagnosis/reproduction.h"
#include "core/parallel/worker.h"
#include "core/tensor/each_matrix.h"
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

constexpr float least_score = -1e3F;  // a lower number is a fill, whose weight is 0

/// The user's masked scores with the fill of the run, if only the fill differs and neither fill lets weight leak; else
/// undefined.
Tensor with_right_fill(const Trace& trace, const OwnStage& own) {
  if (own.stage != Stage::masked_scores || !own.fits || !trace.has(Stage::mask)) return {};
  const Tensor mask = trace[Stage::mask].contiguous(), right = trace[Stage::masked_scores].contiguous();
  if (own.values.shape() != right.shape()) return {};
  Buffer values;
  for (std::size_t i = 0; i < right.values().size(); ++i) {
    const float own_score = own.values.values()[i], run_score = right.values()[i];
    const bool filled = mask.values()[i] == 0;
    if (filled ? own_score > least_score || run_score > least_score : !agree(own_score, run_score, own.slack))
      return {};
    values.push_back(filled ? run_score : own_score);
  }
  return Tensor(right.shape(), std::move(values));
}

/// Rows that may attend to no key depend on the fill. Whether the run has no such row, or the user saved a stage that
/// shows them.
bool dead_rows_are_seen(const Trace& trace, const OwnStages& own) {
  if (std::ranges::any_of(own.stages, [](const OwnStage& s) { return s.stage >= Stage::weights; })) return true;
  return !trace.has(Stage::mask) || !any_matrix(trace[Stage::mask], [](const MatrixView& mask) {
    for (Index q = 0; q < mask.rows; ++q) {
      if (is_dead_row(mask, q)) return true;
    }
    return false;
  });
}

Finding other_fill() {
  return {"mask_finite_fill",
          "The masked scores have another fill than this run. No weight leaks; only rows without any key can differ. "
          "Nothing is to be changed; --fill compares with yours.",
          true};
}

void note_rounding(const StageComparison& stage, const Tensor& right, std::vector<Wrong>& notes) {
  const float slack = stage.own->slack;
  if (slack == 0 || !stage.agreement->agrees || all_agree(stage.own->values, right)) return;
  const bool bf16 = slack == 0x1p-8F;  // half_step_of(DType::bf16) in core/diagnosis/own_stages.cpp
  const std::string id = bf16 ? "rounded_bf16" : "rounded_f16";
  if (std::ranges::any_of(notes, [&](const Wrong& note) { return note.findings.front().id == id; })) return;
  const std::string text = std::string("Every number of ") + std::string(name(stage.stage)) + " is one of " +
                           (bf16 ? "bfloat16" : "float16") +
                           ": rounded, not wrong. It agrees as far as that precision tells; compute in float32 to "
                           "compare more closely.";
  notes.push_back({stage.stage, {{id, text, true}}});
}

/// Fills in result.stages. Returns notes about differences that are not wrong.
std::vector<Wrong> compare_stages(const Trace& trace, const OwnStages& own, Comparison& result) {
  std::vector<Wrong> notes;
  result.stages.clear();
  for (const Stage stage : all_stages()) {
    const OwnStage* mine = own.find(stage);
    if (!mine && !trace.has(stage)) continue;
    StageComparison& entry = result.stages.emplace_back(StageComparison{stage, mine});
    if (!mine || !mine->fits) continue;
    const Tensor right = with_heads_of(mine->values, counterpart(trace, stage));
    entry.agreement = agreement(mine->values, right, mine->slack);
    note_rounding(entry, right, notes);
    const Tensor filled = entry.agreement->agrees ? Tensor() : with_right_fill(trace, *mine);
    if (!filled.defined() || !dead_rows_are_seen(trace, own)) continue;
    entry.agreement = agreement(filled, right, mine->slack);
    notes.push_back({stage, {other_fill()}});
  }
  return notes;
}

}  // namespace

Comparison differences(const Trace& trace, const OwnStages& own) {
  Comparison result;
  compare_stages(trace, own, result);
  return result;
}

namespace {

/// The run with the fill that the user's masked scores show. Rows that may attend to no key depend on it.
std::shared_ptr<const Trace> with_own_fill(const std::shared_ptr<const Trace>& trace, const OwnStages& own,
                                           const Run& run) {
  const OwnStage* masked = own.find(Stage::masked_scores);
  if (!trace->has(Stage::mask) || trace->fill > least_score || !masked || !masked->fits) return trace;
  const float lowest = *std::ranges::min_element(masked->values.values());
  if (!(lowest <= least_score) || lowest == trace->fill) return trace;
  Variant filled;
  filled.settings = [lowest](Scenario& s) {
    s.fill = lowest;
    s.dead_row = DeadRow::from_fill;
  };
  return compute_variant({trace, {}}, filled, run);
}

/// The user's masked scores, with the run's fill in place of all numbers so low that their weight is 0.
OwnStages with_fill_of_run(OwnStages own, const Trace& trace) {
  if (!trace.has(Stage::mask) || trace.fill > least_score) return own;
  for (OwnStage& stage : own.stages) {
    if (stage.stage != Stage::masked_scores || !stage.fits) continue;
    stage.values =
        mistakes::each_number(stage.values, [fill = trace.fill](float v) { return v <= least_score ? fill : v; });
  }
  return own;
}

/// Only the last saved stage: it shows what was computed, whatever else was saved.
OwnStages last_stages(const OwnStages& own) {
  OwnStages last = own;
  std::erase_if(last.stages, [&](const OwnStage& stage) { return stage.stage != own.stages.back().stage; });
  return last;
}

/// `run` is `given`, or `given` with the user's fill.
void search(const std::shared_ptr<const Trace>& given, const std::shared_ptr<const Trace>& run, const OwnStages& own,
            const std::vector<Stage>& except, const Run& how, const TimeLimit& limit, const Search::Trying& trying,
            Comparison& result) {
  const OwnStages all = with_fill_of_run(own, *run);
  Search(all, Evidence(all, except), how, limit, trying).find({run, {}}, result.wrongs);
  const auto found = [&] {
    return std::ranges::any_of(result.wrongs, [](const Wrong& wrong) { return !wrong.findings.empty(); });
  };
  if (result.wrongs.empty() && run != given) {  // only rows that may attend to no key differ, because of the fill
    result.wrongs.push_back({result.first_difference()->stage, {other_fill()}});
  } else if (!found() && own.stages.size() > 1) {
    std::vector<Wrong> wrongs;
    const OwnStages last = last_stages(all);
    Search(last, Evidence(last, except), how, limit, trying).find({run, {}}, wrongs);
    for (Wrong& wrong : wrongs) {
      const auto same = std::ranges::find(result.wrongs, wrong.stage, &Wrong::stage);
      if (wrong.findings.empty()) continue;
      if (same == result.wrongs.end()) result.wrongs.push_back(std::move(wrong));
      else same->findings = std::move(wrong.findings);
    }
  }
}

}  // namespace

Comparison compare(const std::shared_ptr<const Trace>& trace, const OwnStages& own, const Run& run, double seconds,
                   const std::function<void(std::string_view)>& trying) {
  Comparison result;
  std::vector<Wrong> notes = compare_stages(*trace, own, result);
  const TimeLimit limit(seconds, run.stop);
  Run timed = run;
  timed.stop = limit.token();
  try {
    auto masked = result.matches() ? trace : with_bias_as_mask(trace, timed);
    if (!result.matches()) result.assumed = mask_in_numbers(*masked, own, timed);
    if (result.assumed) {
      masked = result.assumed->run;
      notes = compare_stages(*masked, own, result);
    }
    std::vector<Stage> except;
    if (masked != trace && !result.assumed) except.push_back(Stage::biased_scores);
    if (!result.matches()) search(masked, with_own_fill(masked, own, timed), own, except, timed, limit, trying, result);
    result.complete = !limit.is_up();
  } catch (const Cancelled&) {
    if (!limit.is_up()) throw;
    if (result.wrongs.empty()) result.wrongs.push_back({result.first_difference()->stage, {}});
    result.complete = false;
  }
  std::erase_if(notes, [&](const Wrong& note) {
    const std::vector<Finding> findings = result.diagnosis();
    return std::ranges::find(findings, note.findings.front().id, &Finding::id) != findings.end();
  });
  result.wrongs.insert(result.wrongs.begin(), notes.begin(), notes.end());
  return result;
}

std::vector<Stage> worth_saving(const Comparison& comparison, const Wrong& wrong) {
  std::vector<Stage> missing;
  for (const StageComparison& stage : comparison.stages) {
    if (stage.stage == wrong.stage) break;
    if (stage.own) {
      missing.clear();
    } else if (stage.stage >= Stage::Q) {  // inputs come before Q
      missing.push_back(stage.stage);
    }
  }
  return missing;
}

}  // namespace headlight
