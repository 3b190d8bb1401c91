// From raw scores to masked ones: scale, soft-cap, bias, mask.
#include <algorithm>
#include <cmath>

#include "core/explain/steps.h"
#include "core/position/relative_bias.h"
#include "core/scenario/model_layer.h"

namespace headlight::steps {
namespace {

Cell before(const Trace& trace, const Cell& cell) {
  Cell source = cell;
  source.stage = source_of(trace, cell.stage);
  return source;
}

/// Whether the cell is what was painted over the expression; one that calls painted() says itself what becomes of it.
bool is_painted_over(const Trace& trace, const Cell& c) {
  return trace.mask_rule->paints_over() && std::ranges::any_of(trace.scenario.painted, [&](const PaintedCells& cells) {
           return lies_in(cells, c.batch, c.head) && c.row >= cells.query && c.row < cells.query + cells.queries &&
                  c.col >= cells.key && c.col < cells.key + cells.keys;
         });
}

}  // namespace

void explain_scale(const Trace& trace, Explanation& to) {
  const Cell source = before(trace, to.cell);
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
  const Cell source = before(trace, to.cell);
  const auto cap = static_cast<double>(*trace.scenario.softcap);
  const auto score = static_cast<double>(value_at(trace, source));
  add_term(trace, to, source, score == 0 ? 1 : cap * std::tanh(score / cap) / score);
  to.quantities.push_back({"softcap", cap});
  to.formula = symbol(to.cell) + " = c tanh(\\frac{" + symbol(source) + "}{c})";
  to.numbers = number(cap) + "·tanh(\\frac{" + number(score) + "}{" + number(cap) + "})";
}

void explain_bias(const Trace& trace, Explanation& to) {
  const Cell& c = to.cell;
  const Cell source = before(trace, c);
  add_term(trace, to, source, 1);
  to.formula = symbol(c) + " = " + symbol(source);
  to.numbers = number(to.terms[0].value);
  const auto add = [&](std::string_view name, double value, const std::string& formula, const std::string& numbers) {
    to.quantities.push_back({name, value, true});
    to.formula += " + " + formula;
    to.numbers += " + " + numbers;
  };
  const Index distance = c.col - c.row - trace.query_offset;
  if (trace.scenario.alibi) {
    const double slope = alibi_slopes(trace.dims().heads)[static_cast<std::size_t>(c.head)];
    add("alibi", slope * static_cast<double>(distance), "m_{" + std::to_string(c.head) + "} (k − q)",
        number(slope) + "·(" + (distance < 0 ? "−" : "") + std::to_string(std::abs(distance)) + ")");
    to.quantities.push_back({"slope", slope});
  }
  if (trace.scenario.t5_bias) {
    const Index bucket = t5_bucket(distance, trace.scenario.t5_bidirectional);
    const auto value = static_cast<double>(trace.t5_table.at({c.head, bucket}));
    add("t5_bias", value, "T_{" + std::to_string(c.head) + "," + std::to_string(bucket) + "}", bracketed(value));
    to.quantities.push_back({"bucket", static_cast<double>(bucket)});
  }
  const OwnRules& own = own_rules(trace.inputs);
  if (own.to_place.defined() && !trace.scenario.attn_bias) {
    for (const auto& [name, term] : {std::pair{"c2p", &own.to_place}, {"p2c", &own.from_place}}) {
      const auto value = static_cast<double>(term->at({c.batch, c.head, c.row, c.col}));
      add(name, value, name + at(c.row, c.col), bracketed(value));
    }
  } else if (trace.inputs.bias.defined()) {
    const Tensor bias = trace.inputs.bias.expand(trace[c.stage].shape());
    const auto value = static_cast<double>(bias.at({c.batch, c.head, c.row, c.col}));
    add("bias", value, "bias" + at(c.row, c.col), bracketed(value));
  }
}

void explain_mask(const Trace& trace, Explanation& to) {
  const std::string& mask = trace.scenario.mask;
  to.formula = symbol(to.cell) + " = " + (is_painted_over(trace, to.cell) ? "painted()" : mask.empty() ? "mask" : mask);
  to.numbers = to.value != 0 ? "true" : "false";
}

void explain_masked_scores(const Trace& trace, Explanation& to) {
  const Cell source = before(trace, to.cell);
  to.formula = symbol(to.cell) + " = ";
  if (!trace.has(Stage::mask)) {
    to.formula += symbol(source);
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
  to.formula += (attends ? symbol(source) : filled) + " where " + symbol(mask) + (attends ? " = 1" : " = 0");
  if (attends) to.numbers = number(to.terms[0].value);
  else if (adds) to.numbers = number(to.terms[0].value) + " + (" + number(fill) + ")";
}

}  // namespace headlight::steps
