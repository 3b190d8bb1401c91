// Mistakes with masks: polarity, the moment they are applied, the fill, and the diagonal of a causal mask.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/base/tensor/each_matrix.h"
#include "core/compute/attention/projection.h"
#include "core/compute/attention/sweep.h"
#include "core/rules/mask/expression.h"
#include "core/scenario/inputs/inputs.h"
#include "core/scenario/inputs/scenario_rules.h"
#include "core/teaching/diagnosis/mistakes.h"
#include "core/teaching/diagnosis/reproduction.h"
#include "core/teaching/diagnosis/seen_mask.h"

namespace headlight::mistakes {
namespace {

/// The offset of the causal pattern k ≤ q + offset, and that of the other corner.
struct Corner {
  Index offset, other;
};

enum class CausalChange : std::uint8_t {
  excludes_self,  ///< k < q
  sees_next,      ///< k ≤ q + 1
  other_corner,   ///< top left instead of bottom right, or the other way round
};

/// The expression that replaces a call of causal() or causal_bottom_right().
std::string changed_call(std::string_view pattern, CausalChange change) {
  const bool bottom_right = pattern == "causal_bottom_right";
  const std::string diagonal = bottom_right ? "q + (n_k - n_q)" : "q";
  switch (change) {
    case CausalChange::excludes_self: return "(k < " + diagonal + ")";
    case CausalChange::sees_next: return "(k <= " + diagonal + " + 1)";
    case CausalChange::other_corner: return bottom_right ? "causal()" : "causal_bottom_right()";
  }
  return {};
}

std::string changed_expression(const std::string& expression, CausalChange change) {
  std::string text = expression;
  std::vector<PatternCall> calls = MaskExpression::parse(expression).pattern_calls();
  // From the end, so that earlier positions stay valid.
  std::ranges::sort(calls, std::ranges::greater{}, &PatternCall::begin);
  for (const PatternCall& call : calls) {
    if (call.pattern->name != "causal" && call.pattern->name != "causal_bottom_right") continue;
    text.replace(call.begin, call.end - call.begin, changed_call(call.pattern->name, change));
  }
  return text;
}

/// Whether any query of the matrix may attend to key k.
bool is_seen(const MatrixView& mask, Index k) {
  for (Index q = 0; q < mask.rows; ++q) {
    if (mask(q, k) != 0) return true;
  }
  return false;
}

/// Whether no query attends beyond the diagonal, and some keys there are hidden that other queries see.
bool is_causal(const Tensor& mask, Index offset) {
  bool attends_beyond = false, hidden = false;
  each_matrix(mask, [&](const MatrixView& m, Index, Index) {
    for (Index k = 0; k < m.cols; ++k) {
      const bool is_visible = is_seen(m, k);
      for (Index q = 0; q < m.rows && q + offset < k; ++q) {
        attends_beyond = attends_beyond || m(q, k) != 0;
        hidden = hidden || (is_visible && m(q, k) == 0);
      }
    }
  });
  return hidden && !attends_beyond;
}

/// How to treat keys that no query of the mask sees: as hidden, as allowed, or as allowed unless padding hides them.
enum class Unseen : std::uint8_t { hidden, there, there_unless_padded };

/// Whether the mask also has padding: the last query, which sees most, does not see a key that its diagonal allows.
bool is_padded(const MatrixView& mask, Index offset) {
  for (Index k = 0; k < std::min(mask.cols, mask.rows + offset); ++k) {
    if (!is_seen(mask, k)) return true;
  }
  return false;
}

/// One cell of the changed mask. `may`: whether a query may attend to this key where the change lets it.
bool changed_cell(const MatrixView& mask, Index q, Index k, const Corner& corner, CausalChange change, bool may) {
  const bool attends = mask(q, k) != 0;
  switch (change) {
    case CausalChange::excludes_self: return attends && k < q + corner.offset;
    case CausalChange::sees_next: return attends || (k == q + corner.offset + 1 && may);
    case CausalChange::other_corner: return k <= q + corner.other && may;
  }
  return attends;
}

Tensor changed(const Tensor& mask, const Corner& corner, CausalChange change, Unseen unseen) {
  Buffer values;
  values.reserve(static_cast<std::size_t>(mask.count()));
  each_matrix(mask, [&](const MatrixView& m, Index, Index) {
    const bool allowed =
        unseen == Unseen::there || (unseen == Unseen::there_unless_padded && !is_padded(m, corner.offset));
    std::vector<bool> may;
    for (Index k = 0; k < m.cols; ++k) may.push_back(allowed || is_seen(m, k));
    for (Index q = 0; q < m.rows; ++q) {
      for (Index k = 0; k < m.cols; ++k)
        values.push_back(changed_cell(m, q, k, corner, change, may[static_cast<std::size_t>(k)]) ? 1 : 0);
    }
  });
  return Tensor(mask.shape(), std::move(values));
}

/// The masks [B, H, n_q, n_k] that this change makes of the run's mask: the calls of causal() in its expression are
/// changed, or, if its cells are causal, either corner is. There are several if the mask does not show which keys
/// beyond the diagonal are allowed; none if it is not causal.
std::vector<Tensor> causal_masks(const Trace& run, CausalChange change) {
  const Tensor& mask = run[Stage::mask];
  if (!mask.defined()) return {};
  const Index offset = run.dims().n_k - run.dims().n_q;
  if (change == CausalChange::other_corner && offset == 0) return {};
  std::vector<Tensor> masks;
  Scenario scenario = run.scenario;
  if (!scenario.mask.empty()) scenario.mask = changed_expression(scenario.mask, change);
  if (scenario.mask != run.scenario.mask) masks.push_back(build_mask(mask_rule(scenario, run.inputs)));
  std::vector<Corner> corners{{0, offset}};
  if (offset != 0) corners.insert(offset < 0 ? corners.begin() : corners.end(), {offset, 0});
  for (const Corner& corner : corners) {  // the tighter one first: it is the mask's own
    if (!is_causal(mask, corner.offset)) continue;
    masks.push_back(changed(mask, corner, change, Unseen::hidden));
    if (change == CausalChange::excludes_self) break;
    masks.push_back(changed(mask, corner, change, Unseen::there));
    masks.push_back(changed(mask, corner, change, Unseen::there_unless_padded));
    break;
  }
  return masks;
}

/// The masks [B, H, n, n] that hide queries instead of keys: the keys that no query may attend to are hidden as
/// queries, and remain hidden as keys or not. None if there are no such keys, or n_q ≠ n_k.
std::vector<Tensor> query_padding_masks(const Trace& run) {
  const Tensor& mask = run[Stage::mask];
  if (!mask.defined() || mask.size(2) != mask.size(3)) return {};
  const bool causal = is_causal(mask, 0);
  Buffer seen_keys, hidden_keys;
  bool padded = false;
  each_matrix(mask, [&](const MatrixView& m, Index, Index) {
    std::vector<bool> seen;
    for (Index k = 0; k < m.cols; ++k) seen.push_back(is_seen(m, k));
    padded = padded || std::ranges::find(seen, false) != seen.end();
    for (std::size_t q = 0; q < seen.size(); ++q) {
      for (std::size_t k = 0; k < seen.size(); ++k) {
        const bool rest = seen[k] ? m(static_cast<Index>(q), static_cast<Index>(k)) != 0 : !causal || k <= q;
        seen_keys.push_back(rest && seen[q] ? 1 : 0);
        hidden_keys.push_back(rest && seen[q] && seen[k] ? 1 : 0);
      }
    }
  });
  if (!padded) return {};
  return {Tensor(mask.shape(), std::move(seen_keys)), Tensor(mask.shape(), std::move(hidden_keys))};
}

Tensor inverted(const Tensor& mask) {
  return each_number(mask, [](float v) { return v == 0 ? 1.0F : 0.0F; });
}

Tensor unmasked(const Trace& t, const Usual&) { return scores_before_mask(t); }

/// Weights of unmasked scores, with `fill` where the mask is false.
Variant masked_after_softmax(float fill, std::string explanation) {
  const Rule masked = [fill](const Trace& t, const Usual& usual) {
    return apply_mask(usual(), t[Stage::mask], {fill});
  };
  return {.explanation = std::move(explanation), .rules = {{Stage::masked_scores, unmasked}, {Stage::weights, masked}}};
}

/// -1e9, as people write it, instead of -1e+09.
std::string typed(float fill) {
  std::string text = shortest(fill);
  if (const std::size_t plus = text.find("e+"); plus != std::string::npos) {
    text.erase(plus + 1, std::max<std::size_t>(1, text.find_first_not_of("+0", plus + 1) - plus - 1));
  }
  return text;
}

Variant filled_with(float fill) {
  if (fill == INFINITY) {
    return {.explanation =
                "Masked scores are set to inf, not to -inf: the minus is missing, and each row that has one "
                "becomes NaN. Write scores.masked_fill(~mask, float(\"-inf\")).",
            .settings = with_fill(fill)};
  }
  const bool leaks = fill > -1e3F;
  const std::string start = "Masked scores are set to " + typed(fill) +
                            (fill > 0 && fill < 1e-5F ? ", or to 0, as scores * mask does"
                             : fill >= 1e4F           ? " or another large number without its minus"
                                                      : "");
  Variant variant{leaks
                      ? start +
                            ", which the softmax does not turn into 0, so that masked keys get weight. Write "
                            "scores.masked_fill(~mask, float(\"-inf\"))."
                      : start +
                            " where this run has another fill. No weight leaks; only rows without any key can differ. "
                            "Compare with --fill " +
                            typed(fill) + " if that is meant, else write float(\"-inf\")."};
  variant.settings = with_fill(fill);
  variant.harmless = !leaks;
  return variant;
}

}  // namespace

Variants with_masks(const Suspect& suspect, const std::vector<Tensor>& masks, const std::string& explanation) {
  Variants variants;
  for (const Tensor& mask : masks) {
    if (suspect.seen_mask.defined() && !shows(mask, suspect.seen_mask)) continue;
    variants.push_back(
        {.explanation = explanation, .rules = {{Stage::mask, [mask](const Trace&, const Usual&) { return mask; }}}});
  }
  return variants;
}

Variants mask_inverted(const Suspect& suspect) {
  if (!suspect.run.has(Stage::mask)) return {};
  const std::string polarity = "The mask is the wrong way round: it hides what may be attended to. ";
  Variants variants =
      with_masks(suspect, {inverted(suspect.run[Stage::mask])},
                 polarity +
                     "scaled_dot_product_attention's masks are true = may attend, nn.MultiheadAttention's true = may "
                     "NOT attend. Write scores.masked_fill(~mask, float(\"-inf\")).");
  variants.push_back({.explanation = "The saved mask is the wrong way round, true = may NOT attend, while the scores "
                                     "were masked rightly. Save ~mask.",
                      .saved = {{Stage::mask, inverted}}});
  return variants;
}

Variants mask_ignored(const Suspect& suspect) {
  if (!suspect.run.has(Stage::mask)) return {};
  return {{.explanation = "The mask has no effect: masked_fill returns its result and leaves the scores as they were, "
                          "or a number close to 0 is added. Write scores = scores.masked_fill(~mask, float(\"-inf\")).",
           .rules = {{Stage::masked_scores, unmasked}}}};
}

Variants mask_after_softmax(const Suspect& suspect) {
  if (!suspect.run.has(Stage::mask)) return {};
  const std::string advice = "Mask the scores before it: scores.masked_fill(~mask, float(\"-inf\")).softmax(dim=-1).";
  Variants variants;
  variants.push_back(masked_after_softmax(
      0, "The weights are multiplied by the mask after the softmax, so that rows no longer sum to one. " + advice));
  const Rule gathered = [](const Trace& t, const Usual&) {
    return gather_values(apply_mask(t[Stage::weights], t[Stage::mask], {0}), t[Stage::V_heads]);
  };
  const std::string same = variants.front().explanation;  // the weights were saved before
  variants.push_back(
      {.explanation = same, .rules = {{Stage::masked_scores, unmasked}, {Stage::head_outputs, gathered}}});
  for (const float fill : {-INFINITY, -1e9F, -1e4F}) {
    variants.push_back(
        masked_after_softmax(fill, "The weights are filled with " + typed(fill) + " after the softmax. " + advice));
    variants.back().rare = true;
  }
  return variants;
}

Variants mask_finite_fill(const Suspect& suspect) {
  if (!suspect.run.has(Stage::mask)) return {};
  Variants variants;
  for (const float fill : fills_to_try(suspect.run, suspect.own)) variants.push_back(filled_with(fill));
  append(variants, mask_added_weakly(suspect));
  return variants;
}

Variants causal_excludes_self(const Suspect& suspect) {
  return with_masks(
      suspect, causal_masks(suspect.run, CausalChange::excludes_self),
      "A query does not see its own position: the causal mask is k < q. Write mask = torch.ones(n, n, dtype=torch.bool)"
      ".tril().");
}

Variants causal_sees_next(const Suspect& suspect) {
  return with_masks(suspect, causal_masks(suspect.run, CausalChange::sees_next),
                    "A query sees the next position too: the causal mask is k ≤ q + 1; triu(diagonal=1) is for a mask "
                    "that is true = may NOT attend. Write mask = torch.ones(n, n, dtype=torch.bool).tril().");
}

Variants causal_wrong_corner(const Suspect& suspect) {
  const std::vector<Tensor> masks = causal_masks(suspect.run, CausalChange::other_corner);
  if (masks.empty()) return {};
  const Tensor& mask = suspect.run[Stage::mask];
  const Index offset = mask.size(3) - mask.size(2);
  const bool bottom_right = offset > 0 ? !is_causal(mask, 0) : is_causal(mask, offset);
  return with_masks(suspect, masks,
                    std::string("With n_q ≠ n_k the causal mask is aligned at the wrong corner: tril() begins at the "
                                "top left, tril(diagonal=n_k - n_q) ends at the bottom right. Write mask = "
                                "torch.ones(n_q, n_k, dtype=torch.bool).tril(") +
                        (bottom_right ? "diagonal=n_k - n_q)." : ")."));
}

Variants mask_transposed(const Suspect& suspect) {
  const Tensor& mask = suspect.run[Stage::mask];
  if (!mask.defined() || mask.size(2) != mask.size(3)) return {};
  const Tensor transposed = mask.transpose(2, 3).contiguous();
  if (all_agree(transposed, mask)) return {};
  return with_masks(
      suspect, {transposed},
      "The mask is transposed: its rows are keys and its columns queries, so that a causal mask shows the "
      "future and hides the past; it is indexed as mask[query, key]. Write mask = mask.transpose(-2, -1).");
}

Variants padding_on_queries(const Suspect& suspect) {
  return with_masks(suspect, query_padding_masks(suspect.run),
                    "Padding hides queries in place of keys: padded positions get no row of their own, and the others "
                    "still attend to them; keys are the last axis. Write "
                    "scores.masked_fill(padding[:, None, None, :], float(\"-inf\")).");
}

}  // namespace headlight::mistakes
