// Softmax and dropout.
#include <cmath>
#include <limits>

#include "core/attention/softmax.h"
#include "core/explain/steps.h"

namespace headlight::steps {
namespace {

bool follows_policy(const Trace& trace, const Cell& cell) {
  if (trace.scenario.dead_row == DeadRow::from_fill || !trace.has(Stage::mask)) return false;
  return is_dead_row(trace[Stage::mask].matrix(cell.batch, cell.head), cell.row);
}

void explain_dead_row(const Trace& trace, Explanation& to) {
  Cell source = to.cell;
  source.stage = source_of(trace, to.cell.stage);
  for (source.col = 0; source.col < trace.dims().n_k; ++source.col) add_term(trace, to, source, 0);
  const bool uniform = trace.scenario.dead_row == DeadRow::uniform;
  to.quantities.push_back({"dead_row", to.value, true});
  to.formula = symbol(to.cell) + " = " + (uniform ? "\\frac{1}{n_{k}}" : number(to.value)) + ", all keys are masked";
  if (uniform) to.numbers = "\\frac{1}{" + std::to_string(trace.dims().n_k) + "}";
}

}  // namespace

void explain_weights(const Trace& trace, Explanation& to) {
  const Cell& c = to.cell;
  if (follows_policy(trace, c)) {
    explain_dead_row(trace, to);
    return;
  }
  const Stage before = source_of(trace, c.stage);
  const bool has_sink = trace.sink_logits.defined();
  const float sink_logit = has_sink ? trace.sink_logits.at({c.head}) : -std::numeric_limits<float>::infinity();
  const MatrixView scores = trace[before].matrix(c.batch, c.head);
  const double sink = static_cast<double>(sink_logit);
  Buffer room;
  const float maximum = row_maximum({scores.whole_row(c.row, room), static_cast<std::size_t>(scores.cols)}, sink_logit);
  const double highest = static_cast<double>(maximum), sink_exponential = sink_part(sink_logit, maximum);
  double sum = sink_exponential;
  Cell source = c;
  source.stage = before;
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
  Cell source = c;
  source.stage = source_of(trace, c.stage);
  const bool kept = trace.dropout_keep.at({c.batch, c.head, c.row, c.col}) != 0;
  const auto p = static_cast<double>(trace.scenario.dropout);
  add_term(trace, to, source, kept && p < 1 ? 1 / (1 - p) : 0);
  to.quantities = {{"kept", kept ? 1.0 : 0.0}, {"dropout", p}};
  to.formula = symbol(c) + " = " + (kept ? "\\frac{" + symbol(source) + "}{1 − p}" : "0, dropped");
  // A dropped NaN stays NaN: the product is with 0.
  if (!kept) to.quantities.push_back({"dropped_part", 0 * to.terms[0].value, true});
  if (kept) to.numbers = "\\frac{" + number(to.terms[0].value) + "}{1 − " + number(p) + "}";
}

}  // namespace headlight::steps
