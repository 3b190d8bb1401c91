// Steps that are sums of products, or nothing but a cell that moved.
#include <algorithm>

#include "core/explain/steps.h"
#include "core/scenario/model_layer.h"

namespace headlight::steps {

void explain_projection(const Trace& trace, Explanation& to) {
  const Cell& c = to.cell;
  const auto [input, weight, bias] = projection_of(c.stage);
  const std::string x = input == Stage::concat ? "c" : "x";
  const std::string letter(
      1, "qkvo"[c.stage == Stage::output ? 3 : static_cast<int>(c.stage) - static_cast<int>(Stage::Q)]);
  const std::string left = in_stage(input, x + "_{" + std::to_string(c.row) + ",i}");
  to.formula = symbol(c) + " = ";
  if (trace.has(weight)) {
    const Index width = trace[input].size(-1);
    std::vector<Cell> xs, ws;
    for (Index i = 0; i < width; ++i) {
      xs.push_back({input, c.batch, 0, c.row, i});
      ws.push_back({weight, 0, 0, c.col, i});
    }
    to.formula += "Σ_{i} " + left + " " + in_stage(weight, "W^{" + letter + "}_{" + std::to_string(c.col) + ",i}");
    add_products(trace, to, xs, ws);
  } else {
    const Cell source{input, c.batch, 0, c.row, c.col};
    to.formula += symbol(source);
    add_term(trace, to, source, 1);
    to.numbers = number(to.terms.back().value);
  }
  if (trace.has(bias)) {
    to.formula += " + " + in_stage(bias, "b^{" + letter + "}_{" + std::to_string(c.col) + "}");
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
  const auto whole =
      static_cast<Stage>(static_cast<int>(c.stage) - static_cast<int>(Stage::Q_heads) + static_cast<int>(Stage::Q));
  moved(trace, to, {whole, c.batch, 0, c.row, c.head * trace[c.stage].size(3) + c.col});
}

void explain_concat(const Trace& trace, Explanation& to) {
  const Cell& c = to.cell;
  const Index d = trace[Stage::head_outputs].size(3);
  moved(trace, to, {Stage::head_outputs, c.batch, c.col / d, c.row, c.col % d});
}

void explain_scores(const Trace& trace, Explanation& to) {
  const Cell& c = to.cell;
  const Stage q = queries_of_scores(trace), k = keys_of_scores(trace);
  std::vector<Cell> queries, keys;
  for (Index i = 0; i < trace[q].size(3); ++i) {
    queries.push_back({q, c.batch, c.head, c.row, i});
    keys.push_back({k, c.batch, c.head / trace.dims().groups(), c.col, i});
  }
  const char* prime = q == Stage::Q_rotated ? "′" : "";
  const auto vector = [&](Stage stage, const char* letter, Index row) {
    return in_stage(stage, std::string(letter) + prime + "_{" + std::to_string(row) + "}");
  };
  to.formula = symbol(c) + " = " + vector(q, "q", c.row) + "·" + vector(k, "k", c.col);
  add_products(trace, to, queries, keys);
}

void explain_head_outputs(const Trace& trace, Explanation& to) {
  const std::vector<Index>& silent = own_rules(trace.inputs).silent_heads;
  if (std::ranges::find(silent, to.cell.head) != silent.end()) {  // knocked out
    to.formula = symbol(to.cell) + " = 0";
    to.numbers = "0";
    return;
  }
  const Cell& c = to.cell;
  const Stage a = weights_in_use(trace);
  std::vector<Cell> weights, values;
  for (Index k = 0; k < trace.dims().n_k; ++k) {
    weights.push_back({a, c.batch, c.head, c.row, k});
    values.push_back({Stage::V_heads, c.batch, c.head / trace.dims().groups(), k, c.col});
  }
  const std::string weight = (a == Stage::weights ? "a_{" : "a′_{") + std::to_string(c.row) + ",k}";
  to.formula = symbol(c) + " = Σ_{k} " + in_stage(a, weight) + " " + in_stage(Stage::V_heads, "v_{k," + std::to_string(c.col) + "}");
  add_products(trace, to, weights, values);
}

}  // namespace headlight::steps
