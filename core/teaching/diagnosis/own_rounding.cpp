#include "core/teaching/diagnosis/own_rounding.h"

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/tensor/each_matrix.h"

namespace headlight {

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
