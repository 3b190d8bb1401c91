// QK-norm and RoPE: from a head's row as it was split to the row that goes into the scores.
#include <cmath>

#include "core/explain/steps.h"
#include "core/run/stage_steps.h"

namespace headlight::steps {
namespace {

Cell source_cell(const Trace& trace, const Cell& cell) {
  Cell source = cell;
  source.stage = source_of(trace, cell.stage);
  return source;
}

}  // namespace

void explain_norm(const Trace& trace, Explanation& to) {
  const Cell& c = to.cell;
  const Cell source = source_cell(trace, c);
  const Tensor& heads = trace[source.stage];
  const HeadNorm norm = norm_of(trace, c.stage);
  const Index d = heads.size(3);
  const auto [mean, length] = norm_of_row(heads, norm, c.batch, c.head, c.row);
  const double gain = norm.gain_of(c.head, c.col, d), bias = norm.bias_of(c.head, c.col, d);
  add_term(trace, to, source, gain / length);
  const std::string row =
      in_stage(source.stage, std::string(info(source.stage).letter) + "_{" + std::to_string(c.row) + "}");
  const bool layer = norm.kind == QkNorm::layer;
  const std::string spread = layer                      ? "var(" + row + ")"
                             : norm.kind == QkNorm::rms ? "mean(" + row + "^{2})"
                                                        : "Σ " + row + "^{2}";
  to.formula =
      symbol(c) + " = \\frac{" + symbol(source) + (layer ? " − mean(" + row + ")" : "") + "}{\\sqrt{" + spread + "}}";
  to.numbers =
      "\\frac{" + number(to.terms[0].value) + (layer ? " − " + bracketed(mean) : "") + "}{" + number(length) + "}";
  if (layer) to.quantities.push_back({"mean", mean});
  to.quantities.push_back({"norm", length});
  if (norm.gain.defined()) {
    to.formula += " g_{" + std::to_string(c.col) + "}";
    to.numbers += "·" + bracketed(gain);
    to.quantities.push_back({"gain", gain});
  }
  if (norm.bias.defined()) {
    to.formula += " + b_{" + std::to_string(c.col) + "}";
    to.numbers += " + " + bracketed(bias);
  }
  if (layer) to.quantities.push_back({"shift", bias - mean / length * gain, true});
  const Index first = norm.over_all_heads ? 0 : c.head, end = norm.over_all_heads ? heads.size(1) : c.head + 1;
  for (Index h = first; h < end; ++h) {
    for (Index i = 0; i < d; ++i) {
      if (h != c.head || i != c.col) add_term(trace, to, {source.stage, c.batch, h, c.row, i}, 0);
    }
  }
}

void explain_rotation(const Trace& trace, Explanation& to) {
  const Cell& c = to.cell;
  const Cell source = source_cell(trace, c);
  const Rotation rotation = rotation_of(trace, c.stage);
  to.formula = symbol(c) + " = " + symbol(source);
  if (c.col >= rotation.turned()) {
    add_term(trace, to, source, 1);
    return;
  }
  const RotaryPair pair = rotation.pair_of(c.col);
  const bool first = c.col == pair.first;
  const double angle = rotation.angle(c.row, pair.index);
  Cell other = source;
  other.col = first ? pair.second : pair.first;
  const double cosine = rotation.gain * std::cos(angle),
               sine = rotation.gain * (first ? -std::sin(angle) : std::sin(angle));
  add_term(trace, to, source, cosine);
  add_term(trace, to, other, sine);
  to.formula += " cos θ " + std::string(first ? "− " : "+ ") + symbol(other) + " sin θ";
  to.numbers = number(to.terms[0].value) + "·" + bracketed(cosine) + " + " + bracketed(to.terms[1].value) + "·" +
               bracketed(sine);
  to.quantities.insert(to.quantities.end(), {{"angle", angle}, {"cosine", std::cos(angle)}, {"sine", std::sin(angle)}});
  if (rotation.gain == 1) return;
  to.formula = symbol(c) + " = g (" + symbol(source) + " cos θ " + (first ? "− " : "+ ") + symbol(other) + " sin θ)";
  to.quantities.push_back({"gain", rotation.gain});
}

}  // namespace headlight::steps
