#include "core/teaching/diagnosis/diagnosis.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/parallel/worker.h"
#include "core/base/tensor/each_matrix.h"
#include "core/base/tensor/error.h"
#include "core/rules/mask/statistics.h"
#include "core/teaching/diagnosis/assumed_mask.h"
#include "core/teaching/diagnosis/harmless.h"
#include "core/teaching/diagnosis/mistake_search.h"
#include "core/teaching/diagnosis/own_rounding.h"
#include "core/teaching/diagnosis/seen_mask.h"

namespace headlight {

bool StageComparison::tells_nothing() const {
  if (!own || !agreement || !agreement->agrees) return false;
  const Tensor values = own->values.contiguous();
  return values.count() > 0 && std::ranges::none_of(values.values(), [](float value) { return std::isfinite(value); });
}

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

/// The user's masked scores with the fill of the run, if only the fill may differ and neither lets weight leak; else
/// undefined.
Tensor with_right_fill(const Trace& trace, const OwnStage& own) {
  if (own.stage != Stage::masked_scores || !own.fits || !trace.has(Stage::mask)) return {};
  const Tensor right = trace[Stage::masked_scores].contiguous();
  if (own.values.shape() != right.shape()) return {};
  bool hidden = true;
  each_matrix(trace[Stage::mask], [&](const MatrixView& may, Index b, Index h) {
    const MatrixView mine = own.values.matrix(b, h), expected = right.matrix(b, h);
    for (Index q = 0; q < may.rows && hidden; ++q) {
      float top = -INFINITY;
      for (Index k = 0; k < may.cols; ++k) top = may(q, k) != 0 ? std::max(top, expected(q, k)) : top;
      const float most = std::isinf(top) ? -1e3F : top - far_below;
      for (Index k = 0; k < may.cols && hidden; ++k) {
        // A rounded stage is compared as a whole, see agreement().
        hidden = may(q, k) != 0 ? own.slack > 0 || agree(mine(q, k), expected(q, k))
                                : mine(q, k) <= most && expected(q, k) <= most;
      }
    }
  });
  if (!hidden) return {};
  return combined(right,
                  combined(own.values, trace[Stage::mask], [](float v, float may) { return may == 0 ? NAN : v; }),
                  [](float fill, float mine) { return std::isnan(mine) ? fill : mine; });
}

/// Rows that may attend to no key depend on the fill. Whether the run has no such row, or the user saved a stage that
/// shows them.
bool dead_rows_are_seen(const Trace& trace, const OwnStages& own) {
  if (std::ranges::any_of(own.stages, [](const OwnStage& s) { return s.stage >= Stage::weights; })) return true;
  return !trace.has(Stage::mask) ||
         !any_matrix(trace[Stage::mask], [](const MatrixView& mask) { return !dead_rows(mask).empty(); });
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
  const bool bf16 = slack == 0x1p-8F;  // half_step_of(DType::bf16) in core/teaching/diagnosis/own_stages.cpp
  const std::string id = bf16 ? "rounded_bf16" : "rounded_f16";
  if (std::ranges::any_of(notes, [&](const Wrong& note) { return note.findings.front().id == id; })) return;
  const std::string text = std::string("Every number of ") + std::string(name(stage.stage)) + " is one of " +
                           (bf16 ? "bfloat16" : "float16") +
                           ": rounded, not wrong. It agrees as far as that precision tells; compute in float32 to "
                           "compare more closely.";
  notes.push_back({stage.stage, {{id, text, true}}});
}

/// Takes a stage that differs without changing anything for one that agrees, from the last stage to the first.
void note_harmless(const Trace& trace, Comparison& result, std::vector<Wrong>& notes) {
  Later later;
  for (std::size_t i = result.stages.size(); i-- > 0;) {
    StageComparison& entry = result.stages[i];
    if (!entry.own) continue;
    if (entry.differs()) {
      const std::optional<Finding> finding = harmless(trace, *entry.own, later);
      if (finding) {
        if (!entry.agreement) entry.agreement = Agreement{.at = std::vector<Index>(entry.own->stored.size(), 0)};
        entry.agreement->agrees = true;
        const bool said =
            std::ranges::any_of(notes, [&](const Wrong& note) { return note.findings.front().id == finding->id; });
        if (!said) notes.push_back({entry.stage, {*finding}});
      }
    }
    later.agree = later.agree && !entry.differs();
    if (!entry.differs() && entry.stage != Stage::mask) ++later.count;
  }
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
    const Tensor right = right_for(*mine, trace);
    entry.agreement = agreement(mine->values, right, mine->slack);
    note_rounding(entry, right, notes);
    const Tensor filled = entry.agreement->agrees ? Tensor() : with_right_fill(trace, *mine);
    if (!filled.defined() || !dead_rows_are_seen(trace, own)) continue;
    const Agreement but_for_fill = agreement(filled, right, mine->slack);
    if (!but_for_fill.agrees) continue;
    entry.agreement = but_for_fill;
    notes.push_back({stage, {other_fill()}});
  }
  note_harmless(trace, result, notes);
  return notes;
}

}  // namespace

Comparison differences(const Trace& trace, const OwnStages& own) {
  Comparison result;
  compare_stages(trace, own, result);
  return result;
}

namespace {

/// Whether the first cell that the run's mask hides has the run's fill in the user's masked scores, too.
bool has_fill_of_run(const OwnStage& mine, const Trace& run) {
  bool found = false, same = false;
  each_matrix(run[Stage::mask], [&](const MatrixView& may, Index b, Index h) {
    for (Index q = 0; q < may.rows && !found; ++q) {
      for (Index k = 0; k < may.cols && !found; ++k) {
        found = may(q, k) == 0;
        same = found && mine.values.matrix(b, h)(q, k) == run.fill;
      }
    }
  });
  return same;
}

/// The user's masked scores, with the run's fill in place of theirs, if neither gives any weight.
OwnStages with_fill_of_run(OwnStages own, const Trace& trace) {
  if (!trace.has(Stage::mask) || trace.fill > -1e3F) return own;
  for (OwnStage& stage : own.stages) {
    if (stage.stage == Stage::masked_scores && stage.fits && !has_fill_of_run(stage, trace))
      stage.values = with_fill_for(stage.values, trace, trace.fill).contiguous();
  }
  return own;
}

Stage last_saved(const OwnStages& own) { return own.stages.back().stage; }

Finding other_dead_rows() {
  return {"harmless",
          "Only rows that may attend to no key differ: your code puts zeros, NaN or equal weights there, this run "
          "something else. Nothing is attended to in them; --dead-row compares with yours.",
          true};
}

/// Takes every stage for one that agrees if stages that were not saved and are rounded explain the differences.
void accept_hidden_rounding(const std::shared_ptr<const Trace>& run, const OwnStages& own, const Run& how,
                            Comparison& result, std::vector<Wrong>& notes) {
  const std::optional<HiddenRounding> hidden = hidden_rounding(run, with_fill_of_run(own, *run), how);
  if (!hidden) return;
  const Stage first = result.first_difference()->stage;
  for (StageComparison& stage : result.stages) {
    if (stage.agreement) stage.agreement->agrees = true;
  }
  const std::string type = hidden->id == "rounded_bf16" ? "bfloat16" : "float16";
  const bool said =
      std::ranges::any_of(notes, [&](const Wrong& note) { return note.findings.front().id == hidden->id; });
  if (said) return;
  std::string why = "Numbers before ";
  why.append(name(first)).append(" were rounded to ").append(type);
  why +=
      ": computed again with that rounding, they agree. Rounded, not wrong; compute in float32 to compare more "
      "closely.";
  notes.push_back({first, {{hidden->id, why, true}}});
}

/// Whether rounding errors of the stages that agree may have made the first difference: a large one only through a
/// softmax, which enlarges them.
bool may_be_rounding(const Comparison& comparison, const Trace& run) {
  constexpr double large = 0.3;  // of a stage's size
  const StageComparison& first = *comparison.first_difference();
  if (!first.own || !first.own->fits) return true;
  const bool before_softmax = first.stage < Stage::weights;
  const bool after_weights = std::ranges::any_of(comparison.stages, [&](const StageComparison& stage) {
    return stage.own && stage.stage >= Stage::weights && stage.stage < first.stage;
  });
  const bool masked = first.stage == Stage::masked_scores && run.has(Stage::mask);
  const Tensor mine = masked ? with_fill_for(first.own->values, run, run.fill) : first.own->values;
  return !(before_softmax || after_weights) || relative_difference(mine, right_for(*first.own, run)) < large;
}

/// Takes stages for ones that agree if they differ only by rounding errors of earlier stages. Returns what mistakes are
/// searched from: the run with the user's own stages that agree where this accepted a stage, else `run`.
Base accept_rounding(const std::shared_ptr<const Trace>& run, const OwnStages& own, const Run& how, Comparison& result,
                     std::vector<Wrong>& notes) {
  if (!may_be_rounding(result, *run)) return {run, {}};
  Base rounded = with_own_rounding(run, own, how);
  bool accepted = false;
  if (rounded.run != run) {
    Comparison with_theirs;
    compare_stages(*rounded.run, own, with_theirs);
    for (StageComparison& stage : result.stages) {
      const auto same = std::ranges::find(with_theirs.stages, stage.stage, &StageComparison::stage);
      if (!stage.differs() || !stage.agreement || same == with_theirs.stages.end() || same->differs()) continue;
      stage.agreement->agrees = true;
      accepted = true;
    }
  }
  if (!result.agrees()) accept_hidden_rounding(rounded.run, own, how, result, notes);
  return accepted ? rounded : Base{run, {}};
}

/// Whether the weights of the first sequence's first head are about equal in each row, where they are not 0.
bool weights_are_alike(const Trace& run) {
  const bool masked = run.has(Stage::mask);  // it may leave one key to each row, which is meant
  if (masked || !run.has(Stage::weights) || run.inputs.first_stage() == Stage::weights) return false;
  const MatrixView weights = run[Stage::weights].matrix();
  constexpr float close = 0.05F;
  for (Index q = 0; q < weights.rows; ++q) {
    float low = INFINITY, high = 0;
    for (Index k = 0; k < weights.cols; ++k) {
      const float weight = weights(q, k);
      if (!(weight > 0)) continue;
      low = std::min(low, weight), high = std::max(high, weight);
    }
    if (high == 0 || high - low > close * high) return false;
  }
  return true;
}

/// What agrees with scores twice as large, too, says nothing about their scale.
void note_alike_weights(const std::shared_ptr<const Trace>& run, const OwnStages& own, const Run& how,
                        std::vector<Wrong>& notes) {
  if (!weights_are_alike(*run)) return;
  const Variant larger_scores{.explanation = {},
                              .settings = [scale = run->scale](Scenario& s) { s.scale = 2 * scale; }};
  const Evidence evidence(own, {});
  if (evidence.first_difference(*compute_variant({run, {}}, larger_scores, how), 0) < evidence.size()) return;
  notes.push_back({last_saved(own),
                   {{"harmless",
                     "Here the keys of a row have about the same weight, because there is one key or the scores are "
                     "close to each other: a wrong scale would not be seen. Compare an input with more words or larger "
                     "numbers, too.",
                     true}}});
}

/// The run with the fill of the user's masked scores, where it leaves no weight: a wrong mask may hide all keys of a
/// row, whose weights the fill decides.
Base with_fill_of_user(const Base& base, const OwnStages& own, const Run& how) {
  const OwnStage* mine = own.find(Stage::masked_scores);
  if (!mine || !mine->fits || !base.run->has(Stage::mask) || base.run->fill > -1e3F) return base;
  if (has_fill_of_run(*mine, *base.run)) return base;
  const std::optional<float> fill = fill_in(mine->values, *base.run);
  if (!fill || *fill == base.run->fill || *fill > -1e3F) return base;
  return {compute_variant(base, {.explanation = {}, .settings = with_fill(*fill)}, how), base.own};
}

void search(const Base& base, const OwnStages& own, const std::vector<Stage>& except, const Run& how,
            const TimeLimit& limit, const Trying& trying, Comparison& result) {
  const Base filled = with_fill_of_user(base, own, how);
  const OwnStages all = with_fill_of_run(own, *filled.run);
  result.complete = find_mistakes(filled, all, Evidence(all, except), how, limit, trying, result.wrongs);
}

bool nothing_found(const Comparison& comparison) {
  return std::ranges::all_of(comparison.wrongs, [](const Wrong& wrong) { return wrong.findings.empty(); });
}

/// Code whose mask is its own, from stages that do not show it: the mistakes under a causal mask, if they explain all.
void search_under_causal_mask(const Trace& run, const OwnStages& own, const Run& how, const TimeLimit& limit,
                              const Trying& trying, Comparison& result) {
  if (run.dims().n_k < 2 || limit.is_up() || seen_mask(run, own)) return;
  Comparison causal;
  causal.assumed = causal_mask(run, own, how);
  compare_stages(*causal.assumed->run, own, causal);
  search({causal.assumed->run, {}}, own, {}, how, limit, trying, causal);
  const bool explained = !causal.wrongs.empty() && std::ranges::all_of(causal.wrongs, [](const Wrong& wrong) {
    return !wrong.findings.empty() && !wrong.together;
  });
  if (explained) result = std::move(causal);
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
    auto masked = result.agrees() ? trace : with_bias_as_mask(trace, timed);
    if (!result.agrees()) result.assumed = mask_in_numbers(*masked, own, timed);
    if (result.assumed) {
      masked = result.assumed->run;
      notes = compare_stages(*masked, own, result);
    }
    const auto alive = result.agrees() ? masked : with_own_dead_rows(masked, own, timed);
    if (alive != masked) {
      notes = compare_stages(*alive, own, result);
      notes.push_back({result.agrees() ? last_saved(own) : result.first_difference()->stage, {other_dead_rows()}});
    }
    const Base base = result.agrees() ? Base{alive, {}} : accept_rounding(alive, own, timed, result, notes);
    std::vector<Stage> except;
    if (masked != trace && !result.assumed) except.push_back(Stage::biased_scores);
    if (!result.agrees()) search(base, own, except, timed, limit, trying, result);
    if (!result.agrees() && !result.assumed && !masked->has(Stage::mask) && nothing_found(result))
      search_under_causal_mask(*masked, own, timed, limit, trying, result);
    if (!result.agrees() && !limit.is_up() && nothing_found(result))
      result.rounding = rounding_of_this_size(base.run, own, timed);
    if (result.matches()) note_alike_weights(alive, own, timed, notes);
    if (result.assumed && result.assumed->doubt)
      result.wrongs.push_back({result.assumed->seen_in, {*result.assumed->doubt}});
    result.complete = result.complete && !limit.is_up();
  } catch (const Cancelled&) {
    if (!limit.is_up()) throw;
    if (result.wrongs.empty() && !result.agrees()) result.wrongs.push_back({result.first_difference()->stage, {}});
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
