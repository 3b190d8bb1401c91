// The mask's expression with one part changed: a pattern left out or another one, a number one off, "and" for "or".

#include <cctype>

#include "core/base/tensor/error.h"
#include "core/rules/mask/expression.h"
#include "core/scenario/inputs/inputs.h"
#include "core/scenario/inputs/scenario_rules.h"
#include "core/teaching/diagnosis/mask_parts.h"
#include "core/teaching/diagnosis/mistakes.h"
#include "core/teaching/diagnosis/reproduction.h"

namespace headlight::mistakes {
namespace {

using Expressions = std::vector<std::string>;

std::string with_part(const std::string& text, std::size_t begin, std::size_t end, const std::string& other) {
  return text.substr(0, begin) + other + text.substr(end);
}

/// Each pattern left out of what it is joined to, of every other head, or in the place of a similar one.
void add_other_patterns(const std::string& text, Index heads, Expressions& all) {
  for (const PatternCall& call : MaskExpression::parse(text).pattern_calls()) {
    const std::string own = text.substr(call.begin, call.end - call.begin);
    const std::size_t open = own.find('(');
    const std::string number = open == std::string::npos ? "" : own.substr(open + 1, own.size() - open - 2);
    Expressions others{"full()", "(k < 0)"};
    if (call.pattern->name == "global") others.insert(others.end(), {"(k < " + number + ")", "(q < " + number + ")"});
    if (call.pattern->name == "strided")
      others.insert(others.end(), {"(k % " + number + " == 0)", "(q % " + number + " == 0)"});
    if (call.pattern->name == "causal_bottom_right") others.push_back("(k >= n_k - n_q && k - (n_k - n_q) <= q)");
    if (call.pattern->name == "window") others.push_back("(abs(q - k) > " + number + " - 1)");
    for (const int parity : {0, 1}) {
      if (heads > 1) others.push_back("(" + own + " || h % 2 == " + std::to_string(parity) + ")");
    }
    for (const std::string& other : others) all.push_back(with_part(text, call.begin, call.end, other));
  }
}

/// Each whole number one less and one more; of two in a list, one more where the other is one less.
void add_other_numbers(const std::string& text, Expressions& all) {
  struct Place {
    std::size_t begin, end;
    int value;
  };
  std::vector<Place> places;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto is_digit = [&](std::size_t at) { return std::isdigit(static_cast<unsigned char>(text[at])) != 0; };
    const bool in_word = i > 0 && (std::isalnum(static_cast<unsigned char>(text[i - 1])) != 0 || text[i - 1] == '_' ||
                                   text[i - 1] == '.');
    if (!is_digit(i) || in_word) continue;
    std::size_t end = i;
    while (end < text.size() && is_digit(end)) ++end;
    if (end - i < 7) places.push_back({i, end, std::stoi(text.substr(i, end - i))});
    i = end;
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Place& place = places[i];
    for (const int by : {1, -1}) {
      const std::string one = with_part(text, place.begin, place.end, std::to_string(place.value + by));
      all.push_back(one);
      const bool listed = i > 0 && text.substr(places[i - 1].end, place.begin - places[i - 1].end) == ", ";
      if (!listed) continue;
      const Place& before = places[i - 1];
      all.push_back(with_part(one, before.begin, before.end, std::to_string(before.value - by)));
    }
  }
}

void add_other_operators(const std::string& text, Expressions& all) {
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const std::string two = text.substr(i, 2);
    if (two == "&&") all.push_back(with_part(text, i, i + 2, "||"));
    if (two == "||") all.push_back(with_part(text, i, i + 2, "&&"));
  }
}

}  // namespace

Variants mask_expression_off(const Suspect& suspect) {
  const Trace& run = suspect.run;
  const std::string& text = run.scenario.mask;
  constexpr std::size_t longest = 200;
  if (!run.has(Stage::mask) || text.empty() || text.size() > longest) return {};
  Expressions all;
  add_other_patterns(text, run.dims().heads, all);
  add_other_numbers(text, all);
  add_other_operators(text, all);
  Variants variants;
  const Shape& shape = run[Stage::mask].shape();
  const Tensor right = once_for_all_heads(run[Stage::mask]);
  for (const std::string& other : all) {
    Scenario scenario = run.scenario;
    scenario.mask = other;
    Tensor cells;
    try {
      cells = once_for_all_heads(build_mask(mask_rule(scenario, run.inputs)).expand(shape));
    } catch (const InputError&) { continue; }
    if (all_agree(cells, right)) continue;
    for (Variant& variant : with_masks(suspect, {cells.expand(shape)},
                                       "The mask is another one: " + other + "; this run's is " + text + ".")) {
      variant.yours = other, variant.here = text;
      variant.rare = true;
      variants.push_back(std::move(variant));
    }
  }
  return variants;
}

}  // namespace headlight::mistakes
