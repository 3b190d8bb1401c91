// Masks: polarity, the moment they act, what they fill with, and the diagonal of a causal one.
#include <algorithm>
#include <cmath>

#include "core/attention/heads.h"
#include "core/attention/scores.h"
#include "core/diagnosis/agreement.h"
#include "core/diagnosis/causal_masks.h"
#include "core/diagnosis/fill_estimate.h"
#include "core/diagnosis/mistake_kinds.h"
#include "core/scenario/scenario_rules.h"

namespace headlight::mistakes {
namespace {

using Usual = std::function<Tensor()>;

Tensor inverted(const Tensor& mask) {
  return each_number(mask, [](float v) { return v == 0 ? 1.0F : 0.0F; });
}

Rule other_mask(const Tensor& mask) {
  return [mask](const Trace&, const Usual&) { return mask; };
}

Variants with_masks(const std::vector<Tensor>& masks, const std::string& explanation) {
  Variants variants;
  for (const Tensor& mask : masks) {
    Variant& variant = variants.emplace_back(Variant{explanation});
    variant.rules[Stage::mask] = other_mask(mask);
  }
  return variants;
}

Tensor unmasked(const Trace& t, const Usual&) { return scores_before_mask(t); }

/// Weights of unmasked scores, with `fill` where the mask is false.
Variant masked_after_softmax(float fill, std::string explanation) {
  Variant variant{std::move(explanation)};
  variant.rules[Stage::masked_scores] = unmasked;
  variant.rules[Stage::weights] = [fill](const Trace& t, const Usual& usual) {
    return apply_mask(usual(), t[Stage::mask], {fill});
  };
  return variant;
}

/// -1e9, as people type it, for -1e+09.
std::string typed(float fill) {
  std::string text = shortest(fill);
  if (const std::size_t plus = text.find("e+"); plus != std::string::npos) {
    text.erase(plus + 1, std::max<std::size_t>(1, text.find_first_not_of("+0", plus + 1) - plus - 1));
  }
  return text;
}

Variant filled_with(float fill) {
  const bool leaks = fill > -1e3F;
  const std::string start = "Masked scores are set to " + typed(fill);
  Variant variant{leaks
                      ? start +
                            ", which the softmax does not turn into 0, so that masked keys get weight. Write "
                            "scores.masked_fill(~mask, float(\"-inf\")), or -1e9."
                      : start +
                            " where this run has another fill. No weight leaks; only rows without any key can differ. "
                            "Compare with --fill " +
                            typed(fill) + " if that is meant, else write float(\"-inf\")."};
  variant.settings = [fill](Scenario& s) {
    s.fill = fill;
    s.dead_row = DeadRow::from_fill;
  };
  variant.harmless = !leaks;
  return variant;
}

}  // namespace

Variants mask_inverted(const Suspect& suspect) {
  if (!suspect.run.has(Stage::mask)) return {};
  const std::string polarity = "The mask is the wrong way round: it hides what may be attended to. ";
  Variants variants =
      with_masks({inverted(suspect.run[Stage::mask])},
                 polarity +
                     "Write scores.masked_fill(~mask, float(\"-inf\")) for a mask that is true = may attend; "
                     "nn.MultiheadAttention's masks are true = may NOT attend.");
  Variant& saved =
      variants.emplace_back(Variant{"The saved mask is the wrong way round, true = may NOT attend, while the scores "
                                    "were masked rightly. Save ~mask."});
  saved.saved[Stage::mask] = inverted;
  return variants;
}

Variants mask_ignored(const Suspect& suspect) {
  if (!suspect.run.has(Stage::mask)) return {};
  Variant variant{
      "The mask has no effect: masked_fill returns its result and leaves the scores as they were. Write "
      "scores = scores.masked_fill(~mask, float(\"-inf\")), or masked_fill_."};
  variant.rules[Stage::masked_scores] = unmasked;
  return {variant};
}

Variants mask_after_softmax(const Suspect& suspect) {
  if (!suspect.run.has(Stage::mask)) return {};
  const std::string instead = "Mask the scores before it: scores.masked_fill(~mask, float(\"-inf\")).softmax(dim=-1).";
  Variants variants;
  variants.push_back(masked_after_softmax(
      0, "The weights are multiplied by the mask after the softmax, so that rows no longer sum to one. " + instead));
  Variant& weights_saved_before = variants.emplace_back(Variant{variants.front().explanation});
  weights_saved_before.rules[Stage::masked_scores] = unmasked;
  weights_saved_before.rules[Stage::head_outputs] = [](const Trace& t, const Usual&) {
    return gather_values(apply_mask(t[Stage::weights], t[Stage::mask], {0}), t[Stage::V_heads]);
  };
  for (const float fill : {-INFINITY, -1e9F, -1e4F}) {
    variants.push_back(
        masked_after_softmax(fill, "The weights are filled with " + typed(fill) + " after the softmax. " + instead));
    variants.back().rare = true;
  }
  return variants;
}

Variants mask_finite_fill(const Suspect& suspect) {
  if (!suspect.run.has(Stage::mask)) return {};
  Variants variants;
  for (const float fill : fills_to_try(suspect.run, suspect.own)) { variants.push_back(filled_with(fill)); }
  return variants;
}

Variants causal_excludes_self(const Suspect& suspect) {
  return with_masks(
      causal_masks(suspect.run, CausalChange::excludes_self),
      "A query does not see its own position: the causal mask is k < q. Write mask = torch.ones(n, n, dtype=torch.bool)"
      ".tril(), which keeps the diagonal.");
}

Variants causal_sees_next(const Suspect& suspect) {
  return with_masks(causal_masks(suspect.run, CausalChange::sees_next),
                    "A query sees the next position too: the causal mask is k ≤ q + 1. Write torch.ones(n, n, "
                    "dtype=torch.bool).tril(), "
                    "without diagonal=1; triu(diagonal=1) is for a mask that is true = may NOT attend.");
}

Variants causal_wrong_corner(const Suspect& suspect) {
  return with_masks(
      causal_masks(suspect.run, CausalChange::other_corner),
      "With n_q ≠ n_k the causal mask is aligned at the wrong corner. Write torch.ones(n_q, n_k, dtype=torch.bool)"
      ".tril(diagonal=n_k - n_q) for the bottom right, tril() for the top left.");
}

Variants mask_transposed(const Suspect& suspect) {
  const Tensor& mask = suspect.run[Stage::mask];
  if (!mask.defined() || mask.size(2) != mask.size(3)) return {};
  const Tensor turned = mask.transpose(2, 3).contiguous();
  if (all_agree(turned, mask)) return {};
  return with_masks(
      {turned},
      "The mask is transposed: its rows are keys and its columns queries, so that a causal mask shows the "
      "future and hides the past. Write mask[query, key], such as torch.ones(n, n, dtype=torch.bool).tril().");
}

Variants padding_on_queries(const Suspect& suspect) {
  return with_masks(query_padding_masks(suspect.run),
                    "Padding hides queries in place of keys: padded positions get no row of their own, and the others "
                    "still attend to "
                    "them. Write scores.masked_fill(padding[:, None, None, :], float(\"-inf\")), with the padding "
                    "along the last axis.");
}

}  // namespace headlight::mistakes
