#include "core/diagnosis/diagnosis.h"

#include <algorithm>
#include <utility>

#include "core/diagnosis/mistake_search.h"
#include "core/mask/statistics.h"
#include "core/parallel/worker.h"
#include "core/tensor/each_matrix.h"
#include "core/tensor/error.h"

namespace headlight {

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
  return compute_variant({trace, {}}, {.explanation = {}, .settings = with_fill(lowest)}, run);
}

/// The user's masked scores, with the run's fill in place of all numbers so low that their weight is 0.
OwnStages with_fill_of_run(OwnStages own, const Trace& trace) {
  if (!trace.has(Stage::mask) || trace.fill > least_score) return own;
  for (OwnStage& stage : own.stages) {
    if (stage.stage != Stage::masked_scores || !stage.fits) continue;
    stage.values = each_number(stage.values, [fill = trace.fill](float v) { return v <= least_score ? fill : v; });
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
            const std::vector<Stage>& except, const Run& how, const TimeLimit& limit, const Trying& trying,
            Comparison& result) {
  const OwnStages all = with_fill_of_run(own, *run);
  find_mistakes({run, {}}, all, Evidence(all, except), how, limit, trying, result.wrongs);
  const auto found = [&] {
    return std::ranges::any_of(result.wrongs, [](const Wrong& wrong) { return !wrong.findings.empty(); });
  };
  if (result.wrongs.empty() && run != given) {  // only rows that may attend to no key differ, because of the fill
    result.wrongs.push_back({result.first_difference()->stage, {other_fill()}});
  } else if (!found() && own.stages.size() > 1) {
    std::vector<Wrong> wrongs;
    const OwnStages last = last_stages(all);
    find_mistakes({run, {}}, last, Evidence(last, except), how, limit, trying, wrongs);
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
