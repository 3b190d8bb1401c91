#include "core/teaching/diagnosis/harmless.h"

#include <algorithm>
#include <cmath>

#include "core/base/tensor/each_matrix.h"
#include "core/base/text/number_text.h"
#include "core/compute/attention/projection.h"
#include "core/rules/mask/statistics.h"
#include "core/teaching/diagnosis/mistakes.h"
#include "core/teaching/diagnosis/other_layout.h"
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

/// A later stage whose right numbers this stage holds: where an operation in place (/=, masked_fill_) changed the array
/// after it was saved, or its name was given to what came of it.
std::optional<Stage> later_stage_held(const Trace& run, const OwnStage& mine) {
  using enum Stage;
  static const std::vector<Stage> arrays[] = {
      {Q_heads, Q_normed, Q_rotated, Q_scaled},
      {K_heads, K_normed, K_rotated},
      {scores, scaled_scores, capped_scores, biased_scores, masked_scores, weights}};
  const auto array =
      std::ranges::find_if(arrays, [&](const auto& each) { return std::ranges::count(each, mine.stage); });
  if (array == std::end(arrays)) return {};
  for (const Stage stage : *array) {
    if (stage <= mine.stage || !run.has(stage) || run[stage].shape() != mine.values.shape()) continue;
    const Tensor held = stage == Stage::masked_scores ? with_fill_for(mine.values, run, run.fill) : mine.values;
    if (all_agree(held, run[stage], mine.slack)) return stage;
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

/// Whether word k is padding that a mask must hide: no query of the sequence sees it in any head, where others see
/// words after them. Under a causal mask words see no padding that follows them anyway.
bool is_padding(const Tensor& mask, Index b, Index k) {
  bool sees_later = false;
  for (Index h = 0; h < mask.size(1); ++h) {
    const MatrixView may = mask.matrix(b, h);
    for (Index q = 0; q < may.rows; ++q) {
      if (may(q, k) != 0) return false;
      for (Index later = q + 1; later < may.cols && !sees_later; ++later) sees_later = may(q, later) != 0;
    }
  }
  return sees_later;
}

/// Whether a padded word's row says nothing: hidden scores, equal weights, zeros or NaN, or numbers that the sequence's
/// other padded words, if there are any, have too.
bool says_nothing(Stage stage, const MatrixView& m, Index row, const std::vector<Index>& padded) {
  const auto all_of = [&](auto holds) {
    for (Index col = 0; col < m.cols; ++col) {
      if (!holds(m(row, col), col)) return false;
    }
    return true;
  };
  if (stage == Stage::masked_scores) return all_of([](float v, Index) { return v <= -1e3F; });
  if (stage == Stage::weights || stage == Stage::dropped_weights)
    return all_of([&](float v, Index) { return agree(v, m(row, 0)); });
  if (stage < Stage::weights) return true;
  const bool nothing = all_of([](float v, Index) { return v == 0 || std::isnan(v); });
  return nothing || padded.size() == 1 || std::ranges::any_of(padded, [&](Index other) {
           return other != row && all_of([&](float v, Index col) { return agree(v, m(other, col)); });
         });
}

/// The padded words of each sequence.
std::vector<std::vector<Index>> padded_words(const Tensor& mask) {
  std::vector<std::vector<Index>> padded(static_cast<std::size_t>(mask.size(0)));
  for (Index b = 0; b < mask.size(0); ++b) {
    for (Index k = 0; k < mask.size(3); ++k) {
      if (is_padding(mask, b, k)) padded[static_cast<std::size_t>(b)].push_back(k);
    }
  }
  return padded;
}

/// Whether the stage differs in the rows of padded words alone. No query sees them, so nothing is made of their rows.
bool differs_in_padding(const Trace& run, const OwnStage& mine) {
  if (!run.inputs.self_attention() || !run.has(Stage::mask) || info(mine.stage).rows != Axis::query) return false;
  const Tensor right = right_for(mine, run), &mask = run[Stage::mask];
  if (mine.values.shape() != right.shape() || right.rank() < 3) return false;
  const auto padded = padded_words(mask);
  if (std::ranges::all_of(padded, &std::vector<Index>::empty)) return false;
  bool holds = true;
  each_matrix(mine.values, [&](const MatrixView& m, Index b, Index h) {
    const MatrixView r = right.matrix(b, h), may = mask.matrix(b, std::min(h, mask.size(1) - 1));
    const auto both_hidden = [&](Index q, Index k) {
      return mine.stage == Stage::masked_scores && may(q, k) == 0 && m(q, k) <= -1e3F && r(q, k) <= -1e3F;
    };
    const std::vector<Index>& here = padded[static_cast<std::size_t>(b)];
    for (Index q = 0; q < m.rows && holds; ++q) {
      if (std::ranges::binary_search(here, q)) holds = says_nothing(mine.stage, m, q, here);
      else
        for (Index k = 0; k < m.cols; ++k) holds = holds && (agree(m(q, k), r(q, k), mine.slack) || both_hidden(q, k));
    }
  });
  return holds;
}

bool is_inverted_mask(const Trace& run, const OwnStage& mine) {
  return mine.stage == Stage::mask && run.has(Stage::mask) && mine.values.shape() == run[Stage::mask].shape() &&
         all_agree(mine.values, each_number(run[Stage::mask].contiguous(), [](float may) { return 1 - may; }));
}

}  // namespace

std::optional<Finding> harmless(const Trace& run, const OwnStage& mine, const Later& later) {
  if (!later.agree) return {};
  if (mine.fits && later.count > 0 && is_inverted_mask(run, mine))
    return Finding{
        "mask_inverted",
        "The saved mask is true where a key is hidden, as nn.MultiheadAttention's masks are, while the scores "
        "were masked rightly. Save ~mask.",
        true};
  if (!mine.fits) return mine.stage == Stage::mask ? std::nullopt : other_layout(run, mine, later.count > 0);
  const Tensor right = right_for(mine, run);
  if (right.shape() != mine.values.shape()) return {};
  if (differs_in_padding(run, mine))
    return nothing_changed(
        "Only the rows of padded words differ. No query attends to them, so that nothing is made of them; leave them "
        "out of the loss.");
  const std::string stage(name(mine.stage));
  const bool weights = mine.stage == Stage::weights || mine.stage == Stage::dropped_weights;
  const bool one_for_all = weights && mine.reading.kind == OwnReading::Kind::one_for_all_heads && run.dims().heads > 1;
  if (one_for_all) {
    if (all_agree(mine.values, mistakes::mean_of_heads(right), mine.slack))
      return Finding{
          "heads_averaged",
          "The saved weights are the mean over the heads, as nn.MultiheadAttention returns them; what follows "
          "was computed from each head's own. average_attn_weights=False gives those.",
          true};
    if (all_agree(mine.values, mistakes::sum_of_heads(right), mine.slack))
      return nothing_changed("The saved " + stage +
                             " are the sum over the heads; what follows was computed from each head's own.");
  }
  if (one_for_all && later.count > 0) {
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
  const std::optional<Stage> held = later.count > 0 ? later_stage_held(run, mine) : std::nullopt;
  if (held)
    return nothing_changed(stage + " holds the right numbers of " + std::string(name(*held)) +
                           ": the array was changed in place (/=, masked_fill_), or its name given to another, "
                           "before it was saved. Save " +
                           stage + ".clone() where it is made.");
  return mine.stage != Stage::mask ? other_layout(run, mine, later.count > 0) : std::nullopt;
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
  if (const OwnStage* masked = own.find(Stage::masked_scores); masked && masked->fits) {
    if (const auto fill = fill_in(masked->values, *run); fill && *fill < -1e3F) choices.push_back(with_fill(*fill));
  }
  std::shared_ptr<const Trace> best = run;
  std::size_t most = agreeing(*run, own);
  for (const auto& choice : choices) {
    auto other = compute_variant({run, {}}, {.explanation = {}, .settings = choice}, how);
    const std::size_t here = agreeing(*other, own);
    if (here > most) best = std::move(other), most = here;
  }
  return best;
}

}  // namespace headlight
