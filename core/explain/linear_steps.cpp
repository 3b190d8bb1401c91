// Steps that are sums of products, or nothing but a cell that moved.
#include <algorithm>
#include <cmath>

#include "core/explain/steps.h"
#include "core/run/contributions.h"
#include "core/scenario/inputs.h"

namespace headlight::steps {

void explain_given(const Trace&, Explanation& to) {
  const StageInfo& about = info(to.cell.stage);
  to.formula = std::string(is_input(to.cell.stage) ? about.formula : about.name);
}

void explain_projection(const Trace& trace, Explanation& to) {
  const Cell& c = to.cell;
  const StageSources& sources = info(c.stage).sources;
  const Stage input = source_of(trace, c.stage), weight = sources[1].stage, bias = sources[2].stage;
  const auto indexed = [](Stage stage, const std::string& index) {
    return in_stage(stage, std::string(info(stage).letter) + "_{" + index + "}");
  };
  const std::string left = indexed(input, std::to_string(c.row) + ",i");
  to.formula = symbol(c) + " = ";
  if (trace.has(weight)) {
    const Index width = trace[input].size(-1);
    std::vector<Cell> xs, ws;
    for (Index i = 0; i < width; ++i) {
      xs.push_back({input, c.batch, 0, c.row, i});
      ws.push_back({weight, 0, 0, c.col, i});
    }
    to.formula += "Σ_{i} " + left + " " + indexed(weight, std::to_string(c.col) + ",i");
    add_products(trace, to, xs, ws);
  } else {
    const Cell source{input, c.batch, 0, c.row, c.col};
    to.formula += symbol(source);
    add_term(trace, to, source, 1);
    to.numbers = number(to.terms.back().value);
  }
  if (trace.has(bias)) {
    to.formula += " + " + indexed(bias, std::to_string(c.col));
    add_term(trace, to, {bias, 0, 0, 0, c.col}, 1);
    to.numbers += " + " + bracketed(to.terms.back().value);
  }
}

namespace {

void moved(const Trace& trace, Explanation& to, const Cell& source) {
  to.formula = symbol(to.cell) + " = " + symbol(source);
  add_term(trace, to, source, 1);
}

}  // namespace

void explain_split(const Trace& trace, Explanation& to) {
  const Cell& c = to.cell;
  moved(trace, to, {source_of(trace, c.stage), c.batch, 0, c.row, c.head * trace[c.stage].size(3) + c.col});
}

void explain_concat(const Trace& trace, Explanation& to) {
  const Cell& c = to.cell;
  const Stage heads = source_of(trace, c.stage);
  const Index d = trace[heads].size(3);
  moved(trace, to, {heads, c.batch, c.col / d, c.row, c.col % d});
}

void explain_scores(const Trace& trace, Explanation& to) {
  const Cell& c = to.cell;
  const Stage q = source_of(trace, c.stage, 0), k = source_of(trace, c.stage, 1);
  std::vector<Cell> queries, keys;
  for (Index i = 0; i < trace[q].size(3); ++i) {
    queries.push_back({q, c.batch, c.head, c.row, i});
    keys.push_back({k, c.batch, c.head / trace.dims().groups(), c.col, i});
  }
  const auto vector = [&](Stage stage, Index row) {
    return in_stage(stage, std::string(info(stage).letter) + "_{" + std::to_string(row) + "}");
  };
  to.formula = symbol(c) + " = " + vector(q, c.row) + "·" + vector(k, c.col);
  add_products(trace, to, queries, keys);
}

namespace {

/// Of a head that is knocked out: 0.
bool explained_as_silent(const Trace& trace, Explanation& to) {
  const std::vector<Index>& silent = own_rules(trace.inputs).silent_heads;
  if (std::ranges::find(silent, to.cell.head) == silent.end()) return false;
  to.formula = symbol(to.cell) + " = 0";
  to.numbers = "0";
  return true;
}

}  // namespace

void explain_head_outputs(const Trace& trace, Explanation& to) {
  if (explained_as_silent(trace, to)) return;
  const Cell& c = to.cell;
  const Stage a = source_of(trace, c.stage, 0), v = source_of(trace, c.stage, 1);
  std::vector<Cell> weights, values;
  for (Index k = 0; k < trace.dims().n_k; ++k) {
    weights.push_back({a, c.batch, c.head, c.row, k});
    values.push_back({v, c.batch, c.head / trace.dims().groups(), k, c.col});
  }
  const std::string weight = std::string(info(a).letter) + "_{" + std::to_string(c.row) + ",k}";
  const std::string value = std::string(info(v).letter) + "_{k," + std::to_string(c.col) + "}";
  to.formula = symbol(c) + " = Σ_{k} " + in_stage(a, weight) + " " + in_stage(v, value);
  add_products(trace, to, weights, values);
}

/// a · |v W_o,hᵀ|: the weight counts, times the length; values and weights of the projection follow with factor 0.
void explain_contribution(const Trace& trace, Explanation& to) {
  if (explained_as_silent(trace, to)) return;
  const Cell& c = to.cell;
  const Stage a = source_of(trace, c.stage);
  const Index d = trace[Stage::V_heads].size(3);
  const Cell weight{a, c.batch, c.head, c.row, c.col};
  const double length = static_cast<double>(value_norms(trace).at({c.batch, c.head, c.col}));
  const std::string projection = trace.has(Stage::W_o) ? " " + in_stage(Stage::W_o, "W^{o}") : "";
  const std::string value = in_stage(Stage::V_heads, "v_{" + std::to_string(c.col) + "}");
  to.formula = symbol(c) + " = " + symbol(weight) + " · |" + value + projection + "|";
  to.quantities.push_back({"value_norm", length});
  add_term(trace, to, weight, std::copysign(length, static_cast<double>(value_at(trace, weight))));
  to.numbers = number(std::abs(to.terms.back().value)) + "·" + number(length);
  for (Index i = 0; i < d; ++i)
    add_term(trace, to, {Stage::V_heads, c.batch, c.head / trace.dims().groups(), c.col, i}, 0);
  for (Index row = 0; trace.has(Stage::W_o) && row < trace.inputs.W_o.size(0); ++row) {
    for (Index i = 0; i < d; ++i) add_term(trace, to, {Stage::W_o, 0, 0, row, c.head * d + i}, 0);
  }
}

}  // namespace headlight::steps
