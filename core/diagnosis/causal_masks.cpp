#include "core/diagnosis/causal_masks.h"

#include <algorithm>

#include "core/mask/expression.h"
#include "core/scenario/mask_in_force.h"

namespace headlight {
namespace {

/// Of the causal pattern k ≤ q + offset.
struct Corner {
  Index offset, other;
};

/// What a call of causal() or causal_bottom_right() becomes.
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
  std::ranges::sort(calls, std::ranges::greater{}, &PatternCall::begin);  // from the end, so that places stay
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

/// Nothing lies beyond the diagonal, and that is why: another query sees what is hidden there.
struct Causality {
  bool beyond = false, hidden = false;

  void look(const MatrixView& mask, Index offset) {
    for (Index k = 0; k < mask.cols; ++k) {
      const bool seen = is_seen(mask, k);
      for (Index q = 0; q < mask.rows && q + offset < k; ++q) {
        beyond = beyond || mask(q, k) != 0;
        hidden = hidden || (seen && mask(q, k) == 0);
      }
    }
  }
};

template <typename Each>
void each_mask(const Tensor& mask, Each each) {
  for (Index b = 0; b < mask.size(0); ++b) {
    for (Index h = 0; h < mask.size(1); ++h) each(mask.matrix(b, h));
  }
}

bool is_causal(const Tensor& mask, Index offset) {
  Causality causality;
  each_mask(mask, [&](const MatrixView& m) { causality.look(m, offset); });
  return causality.hidden && !causality.beyond;
}

/// Whether keys that no query of the mask sees may be there: the mask's diagonal hides them, or else padding does.
enum class Unseen : std::uint8_t { hidden, there, there_unless_padded };

/// Whether the last query, which sees furthest, misses a key that its diagonal lets it see: padding ends there.
bool is_padded(const MatrixView& mask, Index offset) {
  for (Index k = 0; k < std::min(mask.cols, mask.rows + offset); ++k) {
    if (!is_seen(mask, k)) return true;
  }
  return false;
}

/// One cell of the changed mask; `unseen` answers for keys that no query of the mask sees.
bool changed_cell(const MatrixView& mask, Index q, Index k, const Corner& corner, CausalChange change, bool unseen) {
  const bool attends = mask(q, k) != 0;
  const bool may = unseen || is_seen(mask, k);
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
  each_mask(mask, [&](const MatrixView& m) {
    const bool there =
        unseen == Unseen::there || (unseen == Unseen::there_unless_padded && !is_padded(m, corner.offset));
    for (Index q = 0; q < m.rows; ++q) {
      for (Index k = 0; k < m.cols; ++k) values.push_back(changed_cell(m, q, k, corner, change, there) ? 1 : 0);
    }
  });
  return Tensor(mask.shape(), std::move(values));
}

}  // namespace

std::vector<Tensor> causal_masks(const Trace& run, CausalChange change) {
  const Tensor& mask = run[Stage::mask];
  if (!mask.defined()) return {};
  const Index apart = run.dims().n_k - run.dims().n_q;
  if (change == CausalChange::other_corner && apart == 0) return {};
  std::vector<Tensor> masks;
  Scenario scenario = run.scenario;
  if (!scenario.mask.empty()) scenario.mask = changed_expression(scenario.mask, change);
  if (scenario.mask != run.scenario.mask) masks.push_back(build_mask(mask_rule(scenario, run.inputs)));
  std::vector<Corner> corners{{0, apart}};
  if (apart != 0) corners.push_back({apart, 0});
  for (const Corner& corner : corners) {
    if (!is_causal(mask, corner.offset)) continue;
    masks.push_back(changed(mask, corner, change, Unseen::hidden));
    if (change == CausalChange::excludes_self) continue;
    masks.push_back(changed(mask, corner, change, Unseen::there));
    masks.push_back(changed(mask, corner, change, Unseen::there_unless_padded));
  }
  return masks;
}

std::vector<Tensor> query_padding_masks(const Trace& run) {
  const Tensor& mask = run[Stage::mask];
  if (!mask.defined() || mask.size(2) != mask.size(3)) return {};
  const bool causal = is_causal(mask, 0);
  Buffer seen_keys, hidden_keys;
  bool padded = false;
  each_mask(mask, [&](const MatrixView& m) {
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

}  // namespace headlight
