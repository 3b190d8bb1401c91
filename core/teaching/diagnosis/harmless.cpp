#include "core/teaching/diagnosis/harmless.h"

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/tensor/each_matrix.h"
#include "core/base/text/number_text.h"
#include "core/compute/attention/projection.h"
#include "core/rules/mask/statistics.h"
#include "core/teaching/diagnosis/mistakes.h"
#include "core/teaching/diagnosis/seen_mask.h"

namespace headlight {
namespace {

bool is_fillish(float v) { return !std::isfinite(v); }

/// mine = right + c_row over the numbers of each row that `mask` (undefined: none) does not hide, where some |c_row| is
/// more than rounding.
bool differs_by_row_constants(const Tensor& mine, const Tensor& right, const Tensor& mask) {
  bool fits = true, added = false;
  each_matrix(mine, [&](const MatrixView& a, Index b, Index h) {
    const MatrixView r = right.matrix(b, h);
    for (Index q = 0; q < a.rows && fits; ++q) {
      double sum = 0, largest = 0;
      Index count = 0;
      const auto used = [&](Index k) { return !mask.defined() || mask.matrix(b, h)(q, k) != 0; };
      for (Index k = 0; k < a.cols; ++k) {
        if (!used(k)) continue;
        if (is_fillish(a(q, k)) || is_fillish(r(q, k))) {
          fits =
              fits && std::isnan(a(q, k)) == std::isnan(r(q, k)) && !std::isfinite(a(q, k)) == !std::isfinite(r(q, k));
          continue;
        }
        sum += static_cast<double>(a(q, k)) - static_cast<double>(r(q, k));
        largest = std::max(largest, std::abs(static_cast<double>(r(q, k))));
        ++count;
      }
      if (count == 0) continue;
      const double constant = sum / static_cast<double>(count);
      const double most = 2e-5 + 1e-4 * std::min(largest, 10.0) + 2e-6 * (std::abs(constant) + largest);
      added = added || (count > 1 && std::abs(constant) > most);
      for (Index k = 0; k < a.cols; ++k) {
        if (!used(k) || is_fillish(a(q, k))) continue;
        const double rest = static_cast<double>(a(q, k)) - static_cast<double>(r(q, k)) - constant;
        fits = fits && std::abs(rest) <= most;
      }
      // Where the mask hides, the numbers must be hidden too.
      for (Index k = 0; k < a.cols; ++k) {
        if (used(k) || !std::isfinite(a(q, k))) continue;
        fits = fits && static_cast<double>(a(q, k)) < constant + largest - double{far_below};
      }
    }
  });
  return fits && added;
}

/// mine = c_row · right for the rows of weights.
bool differs_by_row_factors(const Tensor& mine, const Tensor& right) {
  bool fits = true;
  each_matrix(mine, [&](const MatrixView& a, Index b, Index h) {
    const MatrixView r = right.matrix(b, h);
    for (Index q = 0; q < a.rows && fits; ++q) {
      double products = 0, squares = 0;
      for (Index k = 0; k < a.cols; ++k) {
        if (!std::isfinite(a(q, k)) || !std::isfinite(r(q, k))) continue;
        products += static_cast<double>(a(q, k)) * static_cast<double>(r(q, k));
        squares += static_cast<double>(r(q, k)) * static_cast<double>(r(q, k));
      }
      const double factor = squares > 0 ? products / squares : 1;
      for (Index k = 0; k < a.cols && fits; ++k) {
        if (std::isnan(a(q, k)) && std::isnan(r(q, k))) continue;
        const double expected = factor * static_cast<double>(r(q, k));
        fits = factor > 0 &&
               std::abs(static_cast<double>(a(q, k)) - expected) <= 1e-5 * std::max(1.0, factor) + 1e-4 * expected;
      }
    }
  });
  return fits;
}

bool holds_scores(Stage stage) {
  return stage >= Stage::scores && stage <= Stage::masked_scores && stage != Stage::mask;
}

Finding nothing_changed(std::string why) { return {"harmless", std::move(why), true}; }

/// A later stage whose right numbers this stage holds: where an operation in place (/=, masked_fill_) changed the array
/// after it was saved.
std::optional<Stage> later_stage_held(const Trace& run, const OwnStage& mine) {
  const auto is_one_array = [](Stage stage) {
    return stage >= Stage::scores && stage <= Stage::weights && stage != Stage::mask;
  };
  if (!is_one_array(mine.stage)) return {};
  for (const Stage stage : run.stages()) {
    if (stage <= mine.stage || !is_one_array(stage) || run[stage].shape() != mine.values.shape()) continue;
    if (all_agree(mine.values, run[stage], mine.slack)) return stage;
  }
  return {};
}

/// The head whose right weights were saved in place of those of all heads; −1 if it is none.
Index only_head(const OwnStage& mine, const Tensor& right) {
  const Tensor saved = mine.values.slice(1, 0, 1);
  for (Index h = 0; h < right.size(1); ++h) {
    if (all_agree(saved, right.slice(1, h, 1), mine.slack)) return h;
  }
  return -1;
}

/// A stage in another layout: of one sequence alone or, if stages follow that agree, words before heads, or rows and
/// columns exchanged.
std::optional<Finding> other_layout(const Trace& run, const OwnStage& mine, bool followed) {
  const Tensor right = counterpart(run, mine.stage);
  const std::string stage(name(mine.stage));
  const Tensor stored = mine.values.contiguous();
  const bool vectors = mine.stage < Stage::scores || mine.stage == Stage::head_outputs;
  for (const auto& [a, b, layout] : {std::tuple(Index{1}, Index{2}, "[B, n, H, d_head], the words before the heads"),
                                     std::tuple(Index{2}, Index{3}, "[B, H, d_head, n], already transposed")}) {
    if (!vectors || !followed || right.rank() != 4 || stored.rank() != 4) continue;
    const Tensor turned = stored.transpose(a, b);
    if (turned.shape() == right.shape() && all_agree(turned.contiguous(), right, mine.slack))
      return nothing_changed(stage + " is saved as " + layout + "; its numbers are right.");
  }
  const Index batch = run.dims().batch;
  if (batch < 2 || right.size(0) != batch || stored.count() * batch != right.count()) return {};
  for (Index b = 0; b < batch; ++b) {
    const Tensor one = right.slice(0, b, 1).contiguous();
    if (all_agree(stored.view(one.shape()), one, mine.slack))
      return nothing_changed(stage + " is saved for sequence " + std::to_string(b) +
                             " of the batch alone; its numbers are right.");
  }
  return {};
}

}  // namespace

std::optional<Finding> harmless(const Trace& run, const OwnStage& mine, const Later& later) {
  if (!later.agree) return {};
  if (!mine.fits) return mine.stage == Stage::mask ? std::nullopt : other_layout(run, mine, later.count > 0);
  const Tensor right = right_for(mine, run);
  if (right.shape() != mine.values.shape()) return {};
  const std::string stage(name(mine.stage));
  const bool weights = mine.stage == Stage::weights || mine.stage == Stage::dropped_weights;
  if (weights && mine.reading.kind == OwnReading::Kind::one_for_all_heads && run.dims().heads > 1) {
    const Tensor mean = mean_over_heads(right.contiguous());
    const Tensor all = mean.view({right.size(0), 1, right.size(2), right.size(3)}).expand(right.shape()).contiguous();
    if (all_agree(mine.values, all, mine.slack))
      return Finding{
          "heads_averaged",
          "The saved weights are the mean over the heads, as nn.MultiheadAttention returns them; what follows "
          "was computed from each head's own. average_attn_weights=False gives those.",
          true};
  }
  if (weights && mine.reading.kind == OwnReading::Kind::one_for_all_heads && run.dims().heads > 1 && later.count > 0) {
    if (const Index head = only_head(mine, right); head >= 0)
      return nothing_changed("The saved " + stage + " are those of head " + std::to_string(head) +
                             " alone; what follows was computed from each head's own.");
  }
  if (weights && later.count > 0 && differs_by_row_factors(mine.values, right))
    return nothing_changed("Each row of " + stage +
                           " is multiplied by a number of its own, as before it is divided by its "
                           "sum; the outputs are right.");
  if (holds_scores(mine.stage) && !run.sink_logits.defined() && (later.count > 0 || !run.scenario.softcap) &&
      differs_by_row_constants(mine.values, right, mine.stage == Stage::masked_scores ? run[Stage::mask] : Tensor()))
    return nothing_changed("A number is added to each row of " + stage +
                           ", the same for all its keys: the softmax gives "
                           "the same weights.");
  const bool scaled = mine.stage >= Stage::Q && mine.stage <= Stage::scaled_scores && mine.stage != Stage::V &&
                      mine.stage != Stage::V_heads;
  if (scaled && later.count > 0) {
    if (const std::optional<double> factor = factor_between(mine.values, right, mine.slack); factor.value_or(0) > 0)
      return nothing_changed(stage + " is multiplied by " + formatted("%.5g", *factor) +
                             ", as where the scale is applied to the queries or keys; the weights are right.");
  }
  if (later.count == 0) return {};
  if (const std::optional<Stage> held = later_stage_held(run, mine))
    return nothing_changed(stage + " holds the right numbers of " + std::string(name(*held)) +
                           ": an operation in place (/=, masked_fill_) changed the array after it was saved. Save " +
                           stage + ".clone().");
  return mine.stage != Stage::mask ? other_layout(run, mine, true) : std::nullopt;
}

namespace {

std::size_t agreeing(const Trace& run, const OwnStages& own) {
  const Evidence evidence(own, {});
  return evidence.first_difference(run, 0);
}

bool has_dead_rows(const Trace& run) {
  return run.has(Stage::mask) &&
         any_matrix(run[Stage::mask], [](const MatrixView& mask) { return !dead_rows(mask).empty(); });
}

}  // namespace

std::shared_ptr<const Trace> with_own_dead_rows(const std::shared_ptr<const Trace>& run, const OwnStages& own,
                                                const Run& how) {
  if (!has_dead_rows(*run)) return run;
  std::vector<std::function<void(Scenario&)>> choices;
  for (const DeadRow rows : {DeadRow::zero, DeadRow::nan, DeadRow::uniform})
    choices.emplace_back([rows](Scenario& s) { s.dead_row = rows; });
  for (const float fill : {-INFINITY, -1e9F}) choices.push_back(with_fill(fill));
  std::shared_ptr<const Trace> best = run;
  std::size_t most = agreeing(*run, own);
  for (const auto& choice : choices) {
    auto other = compute_variant({run, {}}, {.explanation = {}, .settings = choice}, how);
    const std::size_t here = agreeing(*other, own);
    if (here > most) best = std::move(other), most = here;
  }
  return best;
}

Base with_own_rounding(const std::shared_ptr<const Trace>& run, const OwnStages& own, const Run& how) {
  std::map<Stage, Tensor> rounded;
  for (const OwnStage& mine : own.stages) {
    if (!mine.fits || mine.stage == Stage::mask || !run->has(mine.stage)) continue;
    const Tensor right = right_for(mine, *run);
    if (right.shape() == (*run)[mine.stage].shape() && all_agree(mine.values, right, mine.slack))
      rounded[mine.stage] = mine.values;
  }
  if (rounded.empty()) return {run, {}};
  return {compute_variant({run, rounded}, {}, how), rounded};
}

namespace {

float to_bf16(float v) {
  if (!std::isfinite(v)) return v;
  const auto bits = std::bit_cast<std::uint32_t>(v);
  return std::bit_cast<float>((bits + 0x7FFFU + (bits >> 16 & 1U)) & 0xFFFF0000U);
}

float to_f16(float v) { return static_cast<float>(Eigen::half(v)); }

/// Whether all stages agree as rounded ones, and the rounded run leaves much less of their differences than the run.
bool explains(const Trace& rounded, const Trace& run, const OwnStages& own, float slack) {
  bool much = false;
  for (const OwnStage& mine : own.stages) {
    if (!mine.fits) return false;
    const Tensor right = right_for(mine, run);
    const Tensor close = right_for(mine, rounded);
    if (all_agree(mine.values, right, mine.slack)) continue;
    if (!all_agree(mine.values, close, std::max(slack, mine.slack))) return false;
    if (relative_difference(mine.values, close) > 0.4 * relative_difference(mine.values, right)) return false;
    much = true;
  }
  return much;
}

/// Whether every stage is as close as rounding leaves it, so that the rounded runs are worth their time.
bool is_close(const Trace& run, const OwnStages& own) {
  constexpr double most = 0.3;  // of a stage's size; scores in bfloat16 change weights by a few hundredths
  return std::ranges::all_of(own.stages, [&](const OwnStage& mine) {
    return mine.fits && relative_difference(mine.values, right_for(mine, run)) < most;
  });
}

using Stages = std::vector<Stage>;

std::shared_ptr<const Trace> with_rounded(const std::shared_ptr<const Trace>& run, const Stages& stages,
                                          float (*round)(float), const Run& how) {
  Variant variant;
  for (const Stage stage : stages) {
    if (run->has(stage))
      variant.rules[stage] = [round](const Trace&, const Usual& usual) { return each_number(usual(), round); };
  }
  return compute_variant({run, {}}, variant, how);
}

/// The stages that code in half precision rounds, the most likely first: from one step to another, with V where it is
/// multiplied. Between them the softmax may be in float32.
std::vector<Stages> parts_in_half_precision() {
  const std::vector<Stages> steps{{Stage::Q, Stage::K}, {Stage::scores},       {Stage::scaled_scores},
                                  {Stage::weights},     {Stage::head_outputs}, {Stage::output}};
  constexpr std::size_t scaled = 2, weights = 3;
  std::vector<Stages> parts;
  const auto add = [&](std::size_t first, std::size_t last, bool with_V) {
    Stages& part = parts.emplace_back();
    for (std::size_t i = first; i <= last; ++i) part.insert(part.end(), steps[i].begin(), steps[i].end());
    if (with_V) part.push_back(Stage::V);
  };
  for (const std::size_t first : {2, 1, 0}) add(first, scaled, false);
  add(0, scaled, true);
  parts.push_back(
      {Stage::Q, Stage::K, Stage::V, Stage::scores, Stage::scaled_scores, Stage::head_outputs, Stage::output});
  for (std::size_t first = 0; first <= weights; ++first) {
    for (std::size_t last = weights; last < steps.size(); ++last) add(first, last, true);
  }
  add(weights, weights, false);
  for (const bool with_V : {false, true}) add(0, 0, with_V), add(0, 1, with_V);
  add(1, 1, false);
  return parts;
}

}  // namespace

std::optional<HiddenRounding> hidden_rounding(const std::shared_ptr<const Trace>& run, const OwnStages& own,
                                              const Run& how) {
  if (!is_close(*run, own)) return {};
  constexpr Index most_scores = Index{1} << 28;  // computed; a count, so that the answer is the same on any machine
  Index left = most_scores;
  for (const Stages& stages : parts_in_half_precision()) {
    for (const auto& [round, slack, id] :
         {std::tuple(&to_bf16, 0x1p-8F, "rounded_bf16"), std::tuple(&to_f16, 0x1p-11F, "rounded_f16")}) {
      auto rounded = with_rounded(run, stages, round, how);
      if (explains(*rounded, *run, own, slack)) return HiddenRounding{std::move(rounded), slack, id};
      left -= scores_of(*run);
      if (left <= 0) return {};
    }
  }
  return {};
}

std::string rounding_of_this_size(const std::shared_ptr<const Trace>& run, const OwnStages& own, const Run& how) {
  if (!is_close(*run, own)) return "";
  const Stages stages{
      Stage::Q,     Stage::K, Stage::V, Stage::scores, Stage::scaled_scores, Stage::weights, Stage::head_outputs,
      Stage::output};
  for (const auto& [round, type] : {std::pair(&to_f16, "float16"), std::pair(&to_bf16, "bfloat16")}) {
    const auto rounded = with_rounded(run, stages, round, how);
    const bool within = std::ranges::all_of(own.stages, [&](const OwnStage& mine) {
      const Tensor right = right_for(mine, *run);
      const Agreement here = agreement(mine.values, right, mine.slack);
      return here.agrees ||
             (std::isfinite(here.largest) &&
              relative_difference(mine.values, right) <= 2 * relative_difference(right_for(mine, *rounded), right));
    });
    if (within) return type;
  }
  return "";
}

}  // namespace headlight
