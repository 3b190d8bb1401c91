#include <algorithm>
#include <cmath>

#include "core/diagnosis/diagnosis.h"
#include "core/diagnosis/reproduction.h"
#include "core/mask/evaluate.h"
#include "core/tensor/each_matrix.h"

namespace headlight {
namespace {

constexpr float masking_score = -1e4F;
constexpr float least_live_weight = 1e-20F;  // a smaller weight can be an underflow of the softmax

/// A mask expression, and the lengths that padding() reads.
struct Guess {
  std::string expression;
  std::vector<Index> lengths{};
};

/// The mask [B, H, n_q, n_k], 1 = may attend, that a stage shows; undefined if the stage shows no masked cell.
Tensor mask_in_stage(const OwnStage& own, const Trace& run) {
  const Tensor mine = own.values.contiguous(), computed_values = counterpart(run, own.stage).contiguous();
  const std::span<const float> values = mine.values(), expected = computed_values.values();
  const Index n_k = run.dims().n_k;
  Buffer attend(values.size(), 1.0F);
  bool any = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    bool masked = values[i] == 0;
    if (own.stage == Stage::masked_scores) masked = values[i] <= masking_score && expected[i] > masking_score;
    if (own.stage == Stage::weights) {
      masked = (values[i] == 0 && expected[i] > least_live_weight) || std::isnan(values[i]);
    }
    attend[i] = masked ? 0 : 1;
    any = any || masked;
  }
  const bool all = std::ranges::none_of(attend, [](float v) { return v != 0; });
  return any && !all && n_k > 1 ? Tensor(mine.shape(), std::move(attend)) : Tensor();
}

/// The largest distance from the diagonal at which the mask attends, and each batch entry's last key.
struct Reach {
  Index distance = 0, last = 0;
  std::vector<Index> lengths;
};

Reach reach_of(const Tensor& mask) {
  Reach reach{.lengths = std::vector<Index>(static_cast<std::size_t>(mask.size(0)), 0)};
  each_matrix(mask, [&](const MatrixView& m, Index b, Index) {
    for (Index q = 0; q < m.rows; ++q) {
      for (Index k = 0; k < m.cols; ++k) {
        if (m(q, k) == 0) continue;
        reach.distance = std::max(reach.distance, std::abs(q - k));
        Index& length = reach.lengths[static_cast<std::size_t>(b)];
        length = std::max(length, k + 1);
      }
    }
  });
  reach.last = *std::ranges::max_element(reach.lengths);
  return reach;
}

std::vector<Guess> guesses(const Tensor& mask) {
  const Reach reach = reach_of(mask);
  const std::string window = "window(" + std::to_string(reach.distance + 1) + ")";
  return {{"causal()"},
          {"causal_bottom_right()"},
          {"valid(" + std::to_string(reach.last) + ")"},
          {"padding()", reach.lengths},
          {"causal() && " + window},
          {window},
          {"causal() && padding()", reach.lengths},
          {"diagonal()"},
          {"not_self()"},
          {"k < q"},
          {"k <= q + 1"},
          {"k >= q"}};
}

/// [B]; undefined without lengths.
Tensor as_tensor(const std::vector<Index>& lengths) {
  if (lengths.empty()) return {};
  Buffer values;
  for (const Index length : lengths) values.push_back(static_cast<float>(length));
  return Tensor({static_cast<Index>(lengths.size())}, std::move(values));
}

Tensor evaluated(const Guess& guess, const Dims& d, std::stop_token stop) {
  MaskContext context{.batch = d.batch,
                      .heads = d.heads,
                      .n_q = d.n_q,
                      .n_k = d.n_k,
                      .valid_lens = as_tensor(guess.lengths),
                      .stop = std::move(stop)};
  return evaluate(MaskExpression::parse(guess.expression), context).expand({d.batch, d.heads, d.n_q, d.n_k});
}

std::string settings_of(const Guess& guess) {
  std::string text = "--mask \"" + guess.expression + "\"", lengths;
  for (const Index length : guess.lengths) lengths += (lengths.empty() ? "" : ",") + std::to_string(length);
  return lengths.empty() ? text : text + " --valid-lens " + lengths;
}

std::shared_ptr<const Trace> computed(const Trace& run, const Guess& guess, const Run& how) {
  Scenario scenario = run.scenario;
  Inputs inputs = run.inputs;
  scenario.mask = guess.expression;
  if (!guess.lengths.empty()) {
    scenario.valid_lens.clear();
    for (const Index length : guess.lengths) scenario.valid_lens.push_back({length});
    inputs.valid_lens = as_tensor(guess.lengths);
  }
  return compute(scenario, std::move(inputs), &run, how);
}

/// Whether the mask is the same in all heads of all batch entries, and there are at least two of them.
bool is_shared(const Tensor& mask) {
  if (mask.size(0) * mask.size(1) < 2) return false;
  return all_agree(mask, mask.slice(0, 0, 1).slice(1, 0, 1).expand(mask.shape()));
}

std::optional<AssumedMask> assume(const Tensor& mask, Stage seen_in, const Trace& run, const Run& how) {
  for (const Guess& guess : guesses(mask)) {
    if (!all_agree(mask, evaluated(guess, run.dims(), how.stop))) continue;
    return AssumedMask{computed(run, guess, how), settings_of(guess), seen_in};
  }
  if (seen_in == Stage::weights && !is_shared(mask)) return {};
  Inputs inputs = run.inputs;
  inputs.file_mask = mask;
  inputs.file_rule.clear();
  return AssumedMask{compute(run.scenario, std::move(inputs), &run, how), "", seen_in};
}

bool all_given(const Trace& run, const OwnStages& own) {
  return std::ranges::all_of(own.stages, [&](const OwnStage& stage) {
    return stage.fits &&
           all_agree(stage.values, with_heads_of(stage.values, counterpart(run, stage.stage)), stage.slack);
  });
}

/// For stages that do not show the mask: tries causal masks.
std::optional<AssumedMask> causal_if_it_explains(const Trace& run, const OwnStages& own, const Run& how) {
  for (const Guess& guess : {Guess{"causal()"}, Guess{"causal_bottom_right()"}}) {
    auto trace = computed(run, guess, how);
    if (all_given(*trace, own)) return AssumedMask{std::move(trace), settings_of(guess), own.stages.back().stage};
    if (run.dims().n_q == run.dims().n_k) break;
  }
  return {};
}

}  // namespace

std::optional<AssumedMask> mask_in_numbers(const Trace& run, const OwnStages& own, const Run& how) {
  if (run.has(Stage::mask) || run.dims().n_k < 2) return {};
  for (const Stage stage : {Stage::mask, Stage::masked_scores, Stage::weights}) {
    const OwnStage* mine = own.find(stage);
    if (!mine || !mine->fits || mine->values.rank() != 4 || mine->values.shape() != counterpart(run, stage).shape())
      continue;
    const Tensor mask = mask_in_stage(*mine, run);
    if (!mask.defined()) continue;
    if (auto assumed = assume(mask, stage, run, how)) return assumed;
  }
  return causal_if_it_explains(run, own, how);
}

std::shared_ptr<const Trace> with_bias_as_mask(const std::shared_ptr<const Trace>& trace, const Run& run) {
  const Tensor& bias = trace->inputs.bias;
  if (trace->has(Stage::mask) || !bias.defined()) return trace;
  const Tensor packed = bias.contiguous();
  const auto hides = [](float v) { return v <= -1e4F; };
  if (std::ranges::none_of(packed.values(), hides)) return trace;
  Inputs inputs = trace->inputs;
  inputs.file_mask = each_number(packed, [&](float v) { return hides(v) ? 0.0F : 1.0F; });
  inputs.bias = each_number(packed, [&](float v) { return hides(v) ? 0.0F : v; });
  inputs.fill = *std::ranges::min_element(packed.values());
  return compute(trace->scenario, std::move(inputs), trace.get(), run);
}

}  // namespace headlight
