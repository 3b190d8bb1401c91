// QK-norm and RoPE: from a head's row as it was split to the row that goes into the scores.
#include <cmath>

#include "core/attention/qk_norm.h"
#include "core/attention/rope.h"
#include "core/explain/steps.h"

namespace headlight::steps {
namespace {

/// What QK-norm divides the row by; 1 without it.
double divisor(const Trace& trace, const Cell& source) {
  const QkNorm kind = trace.scenario.qk_norm;
  if (kind == QkNorm::none) return 1;
  const MatrixView matrix = trace[source.stage].matrix(source.batch, source.head);
  double squares = 0;
  for (Index i = 0; i < matrix.cols; ++i) {
    squares += static_cast<double>(matrix(source.row, i)) * static_cast<double>(matrix(source.row, i));
  }
  if (kind == QkNorm::rms) return std::sqrt(squares / static_cast<double>(matrix.cols) + rms_epsilon);
  return std::max(std::sqrt(squares), l2_epsilon);
}

struct Pair {
  Index partner, index;  ///< the other channel; which pair of the row it is
  bool first;
};

Pair pair_of(Rope pairing, Index col, Index width) {
  if (pairing == Rope::half) return {(col + width / 2) % width, col % (width / 2), col < width / 2};
  return {col ^ 1, col / 2, col % 2 == 0};
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
  if (trace.scenario.rope == Rope::none) {
    add_term(trace, to, source, 1 / length);
    to.numbers = number(to.terms[0].value);
  } else {
    const Pair pair = pair_of(trace.scenario.rope, c.col, width);
    const double frequency = std::pow(static_cast<double>(trace.scenario.rope_base),
                                      -2 * static_cast<double>(pair.index) / static_cast<double>(width));
    const double angle = static_cast<double>(c.row) * frequency;
    Cell other = source;
    other.col = partner = pair.partner;
    const double sine = pair.first ? -std::sin(angle) : std::sin(angle);
    add_term(trace, to, source, std::cos(angle) / length);
    add_term(trace, to, other, sine / length);
    turned += " cos θ " + std::string(pair.first ? "− " : "+ ") + symbol(other) + " sin θ";
    to.numbers = number(to.terms[0].value) + "·" + bracketed(std::cos(angle)) + " + " + bracketed(to.terms[1].value) +
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
