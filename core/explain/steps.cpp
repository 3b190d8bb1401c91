#include "core/explain/steps.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace headlight::steps {
namespace {

constexpr std::size_t shown_at_most = 4;

/// "a·b" to be added: " − 0.5·2" where it is not the first.
std::string product_text(double a, double b, bool first) {
  const std::string product = number(first ? a : std::abs(a)) + "·" + bracketed(b);
  return first ? product : (a < 0 ? " − " : " + ") + product;
}

/// Which products to write out, in their order: the largest ones.
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
  char text[40];
  if (size != 0 && (size < 1e-3 || size >= 1e5)) {
    const auto exponent = static_cast<int>(std::floor(std::log10(size)));
    std::snprintf(text, sizeof text, "%.2f·10^{%s%d}", size * std::pow(10.0, -exponent), exponent < 0 ? "−" : "",
                  std::abs(exponent));
  } else {
    std::snprintf(text, sizeof text, "%.*f", size >= 100 ? 1 : size >= 10 ? 2 : 3, size);
  }
  return (value < 0 ? "−" : "") + std::string(text);
}

std::string bracketed(double value) { return value < 0 ? "(" + number(value) + ")" : number(value); }

std::string at(Index row, Index col) { return "_{" + std::to_string(row) + "," + std::to_string(col) + "}"; }

std::string in_stage(Stage stage, const std::string& text) {
  return "\\in{" + std::string(name(stage)) + "}{" + text + "}";
}

std::string symbol(const Cell& cell) {
  return in_stage(cell.stage, std::string(info(cell.stage).letter) + at(cell.row, cell.col));
}

Stage source_of(const Trace& trace, Stage stage, std::size_t which) {
  const std::optional<Stage> there = trace.standing_for(info(stage).sources[which].stage);
  assert(there);
  return *there;
}

void add_term(const Trace& trace, Explanation& to, const Cell& cell, double factor) {
  to.terms.push_back({cell, static_cast<double>(value_at(trace, cell)), factor});
}

void add_products(const Trace& trace, Explanation& to, std::span<const Cell> left, std::span<const Cell> right) {
  assert(left.size() == right.size());
  std::vector<double> products;
  for (std::size_t i = 0; i < left.size(); ++i) {
    add_term(trace, to, left[i], static_cast<double>(value_at(trace, right[i])));
    products.push_back(to.terms.back().value * to.terms.back().factor);
  }
  const std::size_t first = to.terms.size() - left.size();
  double rest = std::accumulate(products.begin(), products.end(), 0.0);
  const std::vector<std::size_t> shown = largest(products);
  for (const std::size_t i : shown) {
    const Term& term = to.terms[first + i];
    to.numbers += product_text(term.value, term.factor, i == shown.front());
    rest -= products[i];
  }
  if (shown.size() < products.size()) {
    to.numbers += " + … (" + std::to_string(products.size() - shown.size()) + " more: " + number(rest) + ")";
  }
  for (const Cell& cell : right) add_term(trace, to, cell, 0);
}

}  // namespace headlight::steps
