// QK-norm and RoPE: from a head's row as it was split to the row that goes into the scores.
#include <cmath>

#include "core/attention/qk_norm.h"
#include "core/attention/rope.h"
#include "core/explain/steps.h"
#include "core/scenario/model_layer.h"

namespace headlight::steps {
namespace {

/// What QK-norm divides the row by; 1 without it.
double divisor(const Trace& trace, const Cell& source) {
  const QkNorm kind = trace.scenario.qk_norm;
  if (kind == QkNorm::none) return 1;
  const Tensor& heads = trace[source.stage];
  const OwnRules& own = own_rules(trace.inputs);
  const MatrixView matrix = heads.matrix(source.batch, source.head);
  double squares = 0;
  if (own.q_norm.defined() && own.norm_over_heads) {
    for (Index h = 0; h < heads.size(1); ++h) {
      for (const float v : row_of(heads, source.batch, h, source.row)) squares += static_cast<double>(v) * static_cast<double>(v);
    }
    return std::sqrt(squares / static_cast<double>(heads.size(1) * matrix.cols) + own.qk_epsilon);
  }
  for (Index i = 0; i < matrix.cols; ++i) {
    squares += static_cast<double>(matrix(source.row, i)) * static_cast<double>(matrix(source.row, i));
  }
  const double epsilon = own.q_norm.defined() ? own.qk_epsilon : rms_epsilon;
  if (kind == QkNorm::rms) return std::sqrt(squares / static_cast<double>(matrix.cols) + epsilon);
  return std::max(std::sqrt(squares), l2_epsilon);
}

/// What a model's learned norm multiplies a channel by; 1 without one.
double gain_of(const Trace& trace, const Cell& c, Index channel) {
  const OwnRules& own = own_rules(trace.inputs);
  const Tensor& gain = c.stage == Stage::Q_rotated ? own.q_norm : own.k_norm;
  if (!gain.defined() || trace.scenario.qk_norm == QkNorm::none) return 1;
  return static_cast<double>(gain.at({own.norm_over_heads ? c.head * trace[c.stage].size(3) + channel : channel}));
}

struct Pair {
  Index partner, index;  ///< the other channel; which pair of the row it is
  bool first;
};

Pair pair_of(Rope pairing, Index col, Index width) {
  const RotaryPair pair = rotary_pair(pairing, col, width);
  return {col == pair.first ? pair.second : pair.first, pair.index, col == pair.first};
}

void norm_formula(const Trace& trace, Explanation& to, const std::string& rotated, const std::string& row) {
  const char* length = trace.scenario.qk_norm == QkNorm::rms ? "\\sqrt{mean(" : "\\sqrt{Σ ";
  const char* end = trace.scenario.qk_norm == QkNorm::rms ? "^{2})}" : "^{2}}";
  to.formula += "\\frac{" + rotated + "}{" + length + row + end + "}";
}

}  // namespace

void explain_position(const Trace& trace, Explanation& to) {
  const Cell& c = to.cell;
  Cell source = c;
  source.stage = c.stage == Stage::Q_rotated ? Stage::Q_heads : Stage::K_heads;
  const bool normed = trace.scenario.qk_norm != QkNorm::none;
  const double length = divisor(trace, source);
  const std::string letter = c.stage == Stage::Q_rotated ? "q" : "k";
  const Index width = trace[source.stage].size(3);
  std::string turned = symbol(source);
  Index partner = -1;
  const OwnRules& own = own_rules(trace.inputs);
  const Index rotated = own.rope_frequencies.empty() ? trace.scenario.rotary_dim.value_or(width) : 2 * static_cast<Index>(own.rope_frequencies.size());
  if (trace.scenario.rope == Rope::none || c.col >= rotated) {
    add_term(trace, to, source, gain_of(trace, c, c.col) / length);
    to.numbers = number(to.terms[0].value);
  } else {
    const Pair pair = pair_of(trace.scenario.rope, c.col, rotated);
    const double frequency = !own.rope_frequencies.empty()
                                 ? own.rope_frequencies[static_cast<std::size_t>(pair.index)]
                                 : std::pow(static_cast<double>(trace.scenario.rope_base),
                                            -2 * static_cast<double>(pair.index) / static_cast<double>(rotated));
    const double angle = static_cast<double>(c.row + (c.stage == Stage::Q_rotated ? trace.query_offset : 0)) * frequency;
    Cell other = source;
    other.col = partner = pair.partner;
    const double sine = own.rope_gain * gain_of(trace, c, partner) * (pair.first ? -std::sin(angle) : std::sin(angle));
    const double cosine = own.rope_gain * gain_of(trace, c, c.col) * std::cos(angle);
    add_term(trace, to, source, cosine / length);
    add_term(trace, to, other, sine / length);
    turned += " cos θ " + std::string(pair.first ? "− " : "+ ") + symbol(other) + " sin θ";
    to.numbers = number(to.terms[0].value) + "·" + bracketed(cosine) + " + " + bracketed(to.terms[1].value) +
                 "·" + bracketed(sine);
    to.quantities.insert(to.quantities.end(),
                         {{"angle", angle}, {"cosine", std::cos(angle)}, {"sine", std::sin(angle)}});
  }
  to.formula = symbol(c) + " = ";
  if (!normed) {
    to.formula += turned;
    return;
  }
  norm_formula(trace, to, turned, in_stage(source.stage, letter + "_{" + std::to_string(c.row) + "}"));
  to.numbers = "\\frac{" + to.numbers + "}{" + number(length) + "}";
  to.quantities.push_back({"norm", length});
  for (Index i = 0; i < width; ++i) {
    if (i != c.col && i != partner) add_term(trace, to, {source.stage, c.batch, c.head, c.row, i}, 0);
  }
}

}  // namespace headlight::steps
