// From raw scores to masked ones: scale, soft-cap, bias, mask.

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/compute/attention/softmax.h"
#include "core/compute/run/score_terms.h"
#include "core/compute/run/stage_steps.h"
#include "core/scenario/inputs/inputs.h"
#include "core/teaching/explain/steps.h"

namespace headlight::steps {
namespace {

/// Whether the cell is painted and the painted value replaces the expression. An expression that calls painted()
/// decides itself.
bool is_painted_over(const Trace& trace, const Cell& c) {
  return trace.mask_rule->paints_over() && std::ranges::any_of(trace.scenario.painted, [&](const PaintedCells& cells) {
           return lies_in(cells, c.batch, c.head) && c.row >= cells.query && c.row < cells.query + cells.queries &&
                  c.col >= cells.key && c.col < cells.key + cells.keys;
         });
}

}  // namespace

void explain_scale(const Trace& trace, Explanation& to) {
  const Cell source = source_cell(trace, to.cell);
  const auto scale = static_cast<double>(trace.scale);
  add_term(trace, to, source, scale);
  const double raw = to.terms[0].value;
  to.quantities.push_back({"scale", scale});
  if (trace.scenario.scale) {
    to.formula = symbol(to.cell) + " = " + symbol(source) + " × " + number(scale);
    to.numbers = number(raw) + " × " + number(scale);
  } else {
    to.formula = symbol(to.cell) + " = \\frac{" + symbol(source) + "}{\\sqrt{d_{head}}}";
    to.numbers = "\\frac{" + number(raw) + "}{\\sqrt{" + std::to_string(trace.dims().d_head) + "}}";
  }
}

void explain_cap(const Trace& trace, Explanation& to) {
  const Cell source = source_cell(trace, to.cell);
  const auto cap = static_cast<double>(*trace.scenario.softcap);
  const auto score = static_cast<double>(value_at(trace, source));
  add_term(trace, to, source, score == 0 ? 1 : cap * std::tanh(score / cap) / score);
  to.quantities.push_back({"softcap", cap});
  to.formula = symbol(to.cell) + " = c tanh(\\frac{" + symbol(source) + "}{c})";
  to.numbers = number(cap) + "·tanh(\\frac{" + number(score) + "}{" + number(cap) + "})";
}

void explain_bias(const Trace& trace, Explanation& to) {
  const Cell& c = to.cell;
  const Cell source = source_cell(trace, c);
  add_term(trace, to, source, 1);
  to.formula = symbol(c) + " = " + symbol(source);
  to.numbers = number(to.terms[0].value);
  for (const ScoreTerm* term : terms_of(trace.scenario, trace.inputs)) {
    for (const TermOfCell& part : term->of_cell(trace, c)) {
      to.quantities.push_back({part.name, part.value, true});
      to.formula += " + " + part.formula;
      to.numbers += " + " + (part.product ? number(part.product->first) + "·(" + (part.product->second < 0 ? "−" : "") +
                                                std::to_string(std::abs(part.product->second)) + ")"
                                          : bracketed(part.value));
      if (!part.also.empty()) to.quantities.push_back({part.also, part.also_value});
    }
  }
}

void explain_mask(const Trace& trace, Explanation& to) {
  const std::string& mask = trace.scenario.mask;
  to.formula = symbol(to.cell) + " = " + (is_painted_over(trace, to.cell) ? "painted()" : mask.empty() ? "mask" : mask);
  to.numbers = to.value != 0 ? "true" : "false";
}

void explain_masked_scores(const Trace& trace, Explanation& to) {
  const Cell source = source_cell(trace, to.cell);
  if (!trace.has(Stage::mask)) {
    to.formula = symbol(to.cell) + " = " + symbol(source);
    add_term(trace, to, source, 1);
    return;
  }
  Cell mask = source;
  mask.stage = Stage::mask;
  const bool attends = value_at(trace, mask) != 0;
  const bool adds = trace.scenario.mask_mode == MaskMode::add;
  add_term(trace, to, source, attends || adds ? 1 : 0);
  add_term(trace, to, mask, 0);
  const auto fill = static_cast<double>(trace.fill);
  to.quantities.push_back({"fill", fill, !attends});
  const std::string filled = adds ? symbol(source) + " + " + bracketed(fill) : number(fill);
  // The case comes first, so that the numbers follow what they are equal to.
  to.formula =
      symbol(mask) + (attends ? " = 1: " : " = 0: ") + symbol(to.cell) + " = " + (attends ? symbol(source) : filled);
  to.says_value = !attends && !adds;
  if (attends) to.numbers = number(to.terms[0].value);
  else if (adds) to.numbers = number(to.terms[0].value) + " + (" + number(fill) + ")";
}

void explain_norm(const Trace& trace, Explanation& to) {
  const Cell& c = to.cell;
  const Cell source = source_cell(trace, c);
  const Tensor& heads = trace[source.stage];
  const HeadNorm norm = norm_of(trace, c.stage);
  const Index d = heads.size(3);
  const auto [mean, length] = norm_of_row(heads, norm, c.batch, c.head, c.row);
  const double gain = norm.gain_of(c.head, c.col, d), bias = norm.bias_of(c.head, c.col, d);
  add_term(trace, to, source, gain / length);
  const std::string row = indexed(source.stage, std::to_string(c.row));
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

namespace {

bool follows_policy(const Trace& trace, const Cell& cell) {
  if (trace.scenario.dead_row == DeadRow::from_fill || !trace.has(Stage::mask)) return false;
  return is_dead_row(trace[Stage::mask].matrix(cell.batch, cell.head), cell.row);
}

void explain_dead_row(const Trace& trace, Explanation& to) {
  Cell source = source_cell(trace, to.cell);
  for (source.col = 0; source.col < trace.dims().n_k; ++source.col) add_term(trace, to, source, 0);
  const bool uniform = trace.scenario.dead_row == DeadRow::uniform;
  to.quantities.push_back({"dead_row", to.value, true});
  to.formula = "all keys masked: " + symbol(to.cell) + " = " + (uniform ? "\\frac{1}{n_{k}}" : number(to.value));
  to.says_value = !uniform;
  if (uniform) to.numbers = "\\frac{1}{" + std::to_string(trace.dims().n_k) + "}";
}

}  // namespace

void explain_weights(const Trace& trace, Explanation& to) {
  const Cell& c = to.cell;
  if (follows_policy(trace, c)) {
    explain_dead_row(trace, to);
    return;
  }
  Cell source = source_cell(trace, c);
  const bool has_sink = trace.sink_logits.defined();
  const float sink_logit = has_sink ? trace.sink_logits.at({c.head}) : -std::numeric_limits<float>::infinity();
  const MatrixView scores = trace[source.stage].matrix(c.batch, c.head);
  const double sink = static_cast<double>(sink_logit);
  Buffer scratch;
  const float maximum =
      row_maximum({scores.whole_row(c.row, scratch), static_cast<std::size_t>(scores.cols)}, sink_logit);
  const double highest = static_cast<double>(maximum), sink_exponential = sink_part(sink_logit, maximum);
  double sum = sink_exponential;
  for (source.col = 0; source.col < scores.cols; ++source.col) {
    add_term(trace, to, source, std::exp(static_cast<double>(scores(c.row, source.col)) - highest));
    sum += to.terms.back().factor;
  }
  const Term& own = to.terms[static_cast<std::size_t>(c.col)];
  to.quantities = {{"row_maximum", highest}, {"exponential", own.factor}, {"sum", sum}};
  if (has_sink)
    to.quantities.insert(to.quantities.end(), {{"sink_logit", sink}, {"sink_exponential", sink_exponential}});
  const std::string score = in_stage(source.stage, "s" + at(c.row, c.col));
  const std::string row = in_stage(source.stage, "s_{" + std::to_string(c.row) + ",k}");
  to.formula = symbol(c) + " = \\frac{exp(" + score + " − max)}{Σ_{k} exp(" + row + " − max)" +
               (has_sink ? " + exp(sink − max)" : "") + "}";
  to.numbers = "\\frac{exp(" + number(own.value) + " − " + bracketed(highest) + ")}{" + number(sum) + "} = \\frac{" +
               number(own.factor) + "}{" + number(sum) + "}";
}

void explain_dropout(const Trace& trace, Explanation& to) {
  const Cell& c = to.cell;
  const Cell source = source_cell(trace, c);
  const bool kept = trace.dropout_keep.at({c.batch, c.head, c.row, c.col}) != 0;
  const auto p = static_cast<double>(trace.scenario.dropout);
  add_term(trace, to, source, kept && p < 1 ? 1 / (1 - p) : 0);
  to.quantities = {{"kept", kept ? 1.0 : 0.0}, {"dropout", p}};
  if (!kept) {
    // A dropped NaN stays NaN, since it is multiplied by 0.
    to.says_value = to.value == 0;
    to.formula = "dropped: " + symbol(c) + " = 0" + (to.says_value ? "" : " × " + symbol(source));
    to.quantities.push_back({"dropped_part", 0 * to.terms[0].value, true});
    return;
  }
  to.formula = symbol(c) + " = \\frac{" + symbol(source) + "}{1 − p}";
  to.numbers = "\\frac{" + number(to.terms[0].value) + "}{1 − " + number(p) + "}";
}

}  // namespace headlight::steps
