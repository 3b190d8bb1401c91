#include "core/teaching/explain/steps.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "core/base/text/number_text.h"
#include "core/compute/run/contributions.h"
#include "core/scenario/inputs/inputs.h"

namespace headlight::steps {
namespace {

constexpr std::size_t shown_at_most = 4;

/// "a·b" as a term of a sum: " − 0.5·2" if it is not the first.
std::string product_text(double a, double b, bool first) {
  const std::string product = number(first ? a : std::abs(a)) + "·" + bracketed(b);
  return first ? product : (a < 0 ? " − " : " + ") + product;
}

/// The indices of the products to write out: the largest ones, in their order.
std::vector<std::size_t> largest(const std::vector<double>& products) {
  std::vector<std::size_t> order(products.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= shown_at_most) return order;
  const auto size = [&](std::size_t i) { return std::isnan(products[i]) ? HUGE_VAL : std::abs(products[i]); };
  constexpr std::size_t kept = shown_at_most - 1;
  std::ranges::partial_sort(order, order.begin() + kept, [&](std::size_t a, std::size_t b) {
    return size(a) != size(b) ? size(a) > size(b) : a < b;
  });
  order.resize(kept);
  std::ranges::sort(order);
  return order;
}

}  // namespace

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
  const double size = std::abs(value);
  const std::string sign = value < 0 ? "−" : "";
  if (size == 0 || (size >= 1e-3 && size < 1e5))
    return sign + formatted("%.*f", size >= 100 ? 1 : size >= 10 ? 2 : 3, size);
  const auto exponent = static_cast<int>(std::floor(std::log10(size)));
  return sign +
         formatted("%.2f·10^{%s%d}", size * std::pow(10.0, -exponent), exponent < 0 ? "−" : "", std::abs(exponent));
}

std::string bracketed(double value) { return value < 0 ? "(" + number(value) + ")" : number(value); }

std::string at(Index row, Index col) { return "_{" + std::to_string(row) + "," + std::to_string(col) + "}"; }

std::string in_stage(Stage stage, const std::string& text) {
  return "\\in{" + std::string(name(stage)) + "}{" + text + "}";
}

std::string indexed(Stage stage, const std::string& index) {
  return in_stage(stage, std::string(info(stage).letter) + "_{" + index + "}");
}

std::string symbol(const Cell& cell) {
  return indexed(cell.stage, std::to_string(cell.row) + "," + std::to_string(cell.col));
}

Stage source_of(const Trace& trace, Stage stage, std::size_t which) {
  const std::optional<Stage> there = trace.standing_for(info(stage).sources[which].stage);
  assert(there);
  return *there;
}

Cell source_cell(const Trace& trace, const Cell& cell) {
  Cell source = cell;
  source.stage = source_of(trace, cell.stage);
  return source;
}

void add_term(const Trace& trace, Explanation& to, const Cell& cell, double factor) {
  to.terms.push_back({cell, static_cast<double>(value_at(trace, cell)), factor});
}

namespace {

/// Adds the terms left[i] with factor right[i], and right[i] with factor 0 (shown, but not added). The text shows the
/// largest products.
void add_products(const Trace& trace, Explanation& to, std::span<const Cell> left, std::span<const Cell> right) {
  assert(left.size() == right.size());
  std::vector<double> products;
  for (std::size_t i = 0; i < left.size(); ++i) {
    add_term(trace, to, left[i], static_cast<double>(value_at(trace, right[i])));
    products.push_back(to.terms.back().value * to.terms.back().factor);
  }
  const std::size_t first = to.terms.size() - left.size();
  double others = std::accumulate(products.begin(), products.end(), 0.0);
  const std::vector<std::size_t> shown = largest(products);
  for (const std::size_t i : shown) {
    const Term& term = to.terms[first + i];
    to.numbers += product_text(term.value, term.factor, i == shown.front());
    others -= products[i];
  }
  if (shown.size() < products.size()) {
    to.numbers += " + … (" + std::to_string(products.size() - shown.size()) + " more: " + number(others) + ")";
  }
  for (const Cell& cell : right) add_term(trace, to, cell, 0);
}

}  // namespace

void explain_given(const Trace&, Explanation& to) {
  const StageInfo& about = info(to.cell.stage);
  to.formula = std::string(is_input(to.cell.stage) ? about.formula : about.name);
}

void explain_projection(const Trace& trace, Explanation& to) {
  const Cell& c = to.cell;
  const StageSources& sources = info(c.stage).sources;
  const Stage input = source_of(trace, c.stage), weight = sources[1].stage, bias = sources[2].stage;
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
  to.formula = symbol(c) + " = " + indexed(q, std::to_string(c.row)) + "·" + indexed(k, std::to_string(c.col));
  add_products(trace, to, queries, keys);
}

namespace {

/// A head that is knocked out gives 0.
bool explained_as_silent(const Trace& trace, Explanation& to) {
  const std::vector<Index>& silent = trace.inputs.rules.silent_heads;
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
  to.formula = symbol(c) + " = Σ_{k} " + indexed(a, std::to_string(c.row) + ",k") + " " +
               indexed(v, "k," + std::to_string(c.col));
  add_products(trace, to, weights, values);
}

/// a · |v W_o,hᵀ|: the term is the weight, its factor the length. The values and the weights of the projection follow
/// with factor 0.
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
