// A cell of a stage's gradient, computed from the gradients of the stages after it: the backward pass of
// core/compute/training/pass.h, one number at a time.
#include <algorithm>
#include <cmath>

#include "core/rules/position/rope_waves.h"
#include "core/teaching/explain/steps.h"

namespace headlight::steps {
namespace {

/// Builds the explanation: value = Σ factor · gradient of a later cell.
class Backward {
 public:
  Backward(const Trace& gradients, Explanation& to) : d_(gradients), trace_(*gradients.gradients_of), to_(to) {}

  void add(const Cell& later, double factor) {
    to_.terms.push_back({later, static_cast<double>(value_at(d_, later)), factor, true});
  }
  /// The number that a factor is, in the stage itself.
  double number_at(const Cell& cell) const { return static_cast<double>(value_at(trace_, cell)); }
  void show(const Cell& factor) { to_.terms.push_back({factor, number_at(factor), 0, false}); }
  void add_product(const Cell& later, const Cell& factor) { add(later, number_at(factor)); }

  const Trace& d_;
  const Trace& trace_;
  Explanation& to_;
};

std::string slope(Stage stage, const std::string& index) { return "d" + indexed(stage, index); }

Index group_of(const Trace& trace, Index head) { return head / trace.dims().groups(); }

/// dQ_h = dS K_h: over the keys. dK_h = dSᵀ Q_h: over the queries of the heads that share it.
void explain_operand(Backward& b, const Cell& c, bool query) {
  const Trace& t = b.trace_;
  const Stage other = *t.standing_for(query ? Stage::K_rotated : Stage::Q_rotated);
  const std::string row = std::to_string(c.row), col = std::to_string(c.col);
  if (query) {
    b.to_.formula = slope(c.stage, row + "," + col) + " = Σ_{k} " + slope(Stage::scores, row + ",k") + " " +
                    indexed(other, "k," + col);
    for (Index k = 0; k < t.dims().n_k; ++k)
      b.add_product({Stage::scores, c.batch, c.head, c.row, k}, {other, c.batch, group_of(t, c.head), k, c.col});
    return;
  }
  b.to_.formula = slope(c.stage, row + "," + col) + " = Σ_{q} " + slope(Stage::scores, "q," + row) + " " +
                  indexed(other, "q," + col);
  for (Index h = c.head * t.dims().groups(); h < (c.head + 1) * t.dims().groups(); ++h) {
    for (Index q = 0; q < t.dims().n_q; ++q)
      b.add_product({Stage::scores, c.batch, h, q, c.row}, {other, c.batch, h, q, c.col});
  }
}

/// dV_h = A′ᵀ dO_h
void explain_values(Backward& b, const Cell& c) {
  const Trace& t = b.trace_;
  const Stage used = *t.standing_for(Stage::dropped_weights);
  const std::string row = std::to_string(c.row), col = std::to_string(c.col);
  b.to_.formula = slope(c.stage, row + "," + col) + " = Σ_{q} " + indexed(used, "q," + row) + " " +
                  slope(Stage::head_outputs, "q," + col);
  for (Index h = c.head * t.dims().groups(); h < (c.head + 1) * t.dims().groups(); ++h) {
    for (Index q = 0; q < t.dims().n_q; ++q)
      b.add_product({Stage::head_outputs, c.batch, h, q, c.col}, {used, c.batch, h, q, c.row});
  }
}

/// dA′ = dO_h V_hᵀ
void explain_used_weights(Backward& b, const Cell& c) {
  const Trace& t = b.trace_;
  const std::string row = std::to_string(c.row), col = std::to_string(c.col);
  b.to_.formula = slope(c.stage, row + "," + col) + " = Σ_{j} " + slope(Stage::head_outputs, row + ",j") + " " +
                  indexed(Stage::V_heads, col + ",j");
  for (Index j = 0; j < t[Stage::V_heads].size(-1); ++j)
    b.add_product({Stage::head_outputs, c.batch, c.head, c.row, j},
                  {Stage::V_heads, c.batch, group_of(t, c.head), c.col, j});
}

/// dA = dA′ · kept / (1 − p)
void explain_kept_weights(Backward& b, const Cell& c) {
  const double kept = static_cast<double>(b.trace_.dropout_keep.matrix(c.batch, c.head)(c.row, c.col));
  const double share = 1 - static_cast<double>(b.trace_.scenario.dropout);
  b.to_.formula = slope(c.stage, std::to_string(c.row) + "," + std::to_string(c.col)) + " = dA′ · kept / (1 − p)";
  Cell later = c;
  later.stage = Stage::dropped_weights;
  b.add(later, share > 0 ? kept / share : 0);
}

/// dS = A (dA − Σ_k dA A): of the scores that the softmax reads.
void explain_softmax_input(Backward& b, const Cell& c) {
  const std::string row = std::to_string(c.row), col = std::to_string(c.col), own = row + "," + col;
  b.to_.formula = slope(c.stage, own) + " = " + indexed(Stage::weights, own) + " (" + slope(Stage::weights, own) +
                  " − Σ_{k} " + slope(Stage::weights, row + ",k") + " " + indexed(Stage::weights, row + ",k") + ")";
  const bool dead = b.trace_.has(Stage::mask) && [&] {
    const MatrixView mask = b.trace_[Stage::mask].matrix(c.batch, c.head);
    for (Index k = 0; k < mask.cols; ++k) {
      if (mask(c.row, k) != 0) return false;
    }
    return true;
  }();
  const auto weight = [&](Index k) { return b.number_at({Stage::weights, c.batch, c.head, c.row, k}); };
  const double at_cell = dead ? 0 : weight(c.col);
  for (Index k = 0; k < b.trace_.dims().n_k; ++k) {
    const double factor = at_cell * ((k == c.col ? 1 : 0) - weight(k));
    b.add({Stage::weights, c.batch, c.head, c.row, k}, dead ? 0 : factor);
  }
  b.show({Stage::weights, c.batch, c.head, c.row, c.col});
}

/// A stage before another cell by cell: the mask, a bias, the soft-cap, the scale.
void explain_cell_by_cell(Backward& b, const Cell& c, Stage next) {
  Cell later = c;
  later.stage = next;
  const std::string own = std::to_string(c.row) + "," + std::to_string(c.col);
  const std::string after = slope(next, own);
  b.to_.formula = slope(c.stage, own) + " = ";
  double factor = 1;
  if (next == Stage::masked_scores) {
    const bool open = !b.trace_.has(Stage::mask) || b.trace_[Stage::mask].matrix(c.batch, c.head)(c.row, c.col) != 0;
    factor = open ? 1 : 0;
    b.to_.formula += after + (factor == 0 ? " · 0, masked" : "");
  } else if (next == Stage::capped_scores) {
    const double cap = static_cast<double>(b.trace_.scenario.softcap.value_or(1)), t = b.number_at(later) / cap;
    factor = 1 - t * t;
    const std::string share = indexed(next, own) + " / c";
    b.to_.formula += after + " (1 − (" + share + ")^{2})";
  } else if (next == Stage::scaled_scores) {
    factor = static_cast<double>(b.trace_.scale);
    b.to_.formula += after + " · scale";
  } else {
    b.to_.formula += after;
  }
  b.add(later, factor);
}

/// The gradient is rotated back: (da cos + db sin, −da sin + db cos).
void explain_rotated_back(Backward& b, const Cell& c, Stage rotated) {
  const Scenario& s = b.trace_.scenario;
  Rotation rotation;
  rotation.pairing = s.rope;
  const Index turned = s.rotary_dim.value_or(b.trace_.dims().d_head);
  rotation.frequencies = rope_frequencies(static_cast<double>(s.rope_base), turned);
  b.to_.formula = slope(c.stage, std::to_string(c.row) + "," + std::to_string(c.col)) + " = RoPE(" +
                  slope(rotated, std::to_string(c.row)) + ", −position)";
  if (c.col >= turned) return b.add({rotated, c.batch, c.head, c.row, c.col}, 1);
  const RotaryPair pair = rotation.pair_of(c.col);
  const double angle = rotation.angle(c.row, pair.index);
  const bool first = c.col == pair.first;
  b.add({rotated, c.batch, c.head, c.row, pair.first}, first ? std::cos(angle) : -std::sin(angle));
  b.add({rotated, c.batch, c.head, c.row, pair.second}, first ? std::sin(angle) : std::cos(angle));
}

/// Q, K or V from its heads; a head's output from concat.
void explain_moved(Backward& b, const Cell& c) {
  const Index d = b.trace_.dims().d_head;
  const std::string own = slope(c.stage, std::to_string(c.row) + "," + std::to_string(c.col)) + " = ";
  Cell later;
  if (c.stage == Stage::head_outputs) {
    later = {Stage::concat, c.batch, 0, c.row, c.head * b.trace_[Stage::head_outputs].size(-1) + c.col};
  } else {
    const Stage heads = c.stage == Stage::Q ? Stage::Q_heads : c.stage == Stage::K ? Stage::K_heads : Stage::V_heads;
    later = {heads, c.batch, c.col / d, c.row, c.col % d};
  }
  b.to_.formula = own + slope(later.stage, std::to_string(later.row) + "," + std::to_string(later.col));
  b.add(later, 1);
}

/// dX = dY W: through the projections that read it.
void explain_projected(Backward& b, const Cell& c, std::initializer_list<std::pair<Stage, Stage>> outputs) {
  std::string sum;
  for (const auto& [output, weight] : outputs) {
    sum += (sum.empty() ? "" : " + ") + std::string("Σ_{j} ") + slope(output, std::to_string(c.row) + ",j") + " " +
           indexed(weight, "j," + std::to_string(c.col));
    for (Index j = 0; j < b.trace_[output].size(-1); ++j)
      b.add_product({output, c.batch, 0, c.row, j}, {weight, 0, 0, j, c.col});
  }
  b.to_.formula = slope(c.stage, std::to_string(c.row) + "," + std::to_string(c.col)) + " = " + sum;
}

/// dW = dYᵀ X, db = Σ dY: over every position of every batch entry.
void explain_parameter(Backward& b, const Cell& c) {
  struct Place {
    Stage weight, bias, output, input;
  };
  constexpr Place places[] = {{Stage::W_q, Stage::b_q, Stage::Q, Stage::query},
                              {Stage::W_k, Stage::b_k, Stage::K, Stage::key},
                              {Stage::W_v, Stage::b_v, Stage::V, Stage::value},
                              {Stage::W_o, Stage::b_o, Stage::output, Stage::concat}};
  const Place& place =
      *std::ranges::find_if(places, [&](const Place& p) { return p.weight == c.stage || p.bias == c.stage; });
  const bool bias = place.bias == c.stage;
  const Tensor& rows = b.trace_[place.output];
  const std::string column = std::to_string(bias ? c.col : c.row);
  b.to_.formula = "d" + indexed(c.stage, bias ? column : column + "," + std::to_string(c.col)) + " = Σ_{i} " +
                  slope(place.output, "i," + column) +
                  (bias ? "" : " " + indexed(place.input, "i," + std::to_string(c.col)));
  for (Index entry = 0; entry < rows.size(0); ++entry) {
    for (Index row = 0; row < rows.size(1); ++row) {
      const Cell later{place.output, entry, 0, row, bias ? c.col : c.row};
      if (bias) b.add(later, 1);
      else b.add_product(later, {place.input, entry, 0, row, c.col});
    }
  }
}

/// The score-shaped stage after this one that is there.
Stage next_score(const Trace& trace, Stage stage) {
  auto next = static_cast<std::size_t>(stage) + 1;
  while (!trace.has(static_cast<Stage>(next)) || static_cast<Stage>(next) == Stage::mask) ++next;
  return static_cast<Stage>(next);
}

}  // namespace

Explanation explain_gradient(const Trace& gradients, const Cell& c) {
  Explanation result;
  result.cell = c;
  result.value = static_cast<double>(value_at(gradients, c));
  result.gradient = true;
  Backward b(gradients, result);
  const Trace& t = b.trace_;
  const bool drops = t.has(Stage::dropped_weights);
  if (is_parameter(c.stage)) explain_parameter(b, c);
  else if (is_input(c.stage))
    explain_projected(b, c, {{Stage::Q, Stage::W_q}, {Stage::K, Stage::W_k}, {Stage::V, Stage::W_v}});
  else if (c.stage == Stage::Q || c.stage == Stage::K || c.stage == Stage::V || c.stage == Stage::head_outputs)
    explain_moved(b, c);
  else if (c.stage == Stage::V_heads) explain_values(b, c);
  else if (c.stage == Stage::Q_heads && t.has(Stage::Q_rotated)) explain_rotated_back(b, c, Stage::Q_rotated);
  else if (c.stage == Stage::K_heads && t.has(Stage::K_rotated)) explain_rotated_back(b, c, Stage::K_rotated);
  else if (c.stage == Stage::Q_heads || c.stage == Stage::Q_rotated) explain_operand(b, c, true);
  else if (c.stage == Stage::K_heads || c.stage == Stage::K_rotated) explain_operand(b, c, false);
  else if (c.stage == Stage::dropped_weights || (c.stage == Stage::weights && !drops)) explain_used_weights(b, c);
  else if (c.stage == Stage::weights) explain_kept_weights(b, c);
  else if (c.stage == Stage::concat) explain_projected(b, c, {{Stage::output, Stage::W_o}});
  else if (c.stage == Stage::output)
    result.formula = slope(c.stage, std::to_string(c.row) + "," + std::to_string(c.col)) +
                     ": what comes after this layer gives it, back from the loss";
  else if (const Stage next = next_score(t, c.stage); next == Stage::weights) explain_softmax_input(b, c);
  else explain_cell_by_cell(b, c, next);
  result.numbers = number(result.value);
  return result;
}

}  // namespace headlight::steps
