// headlight explain: shows how one number is computed.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/commands/commands.h"
#include "core/base/text/number_text.h"
#include "core/compute/network/gradients.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/run/contributions.h"
#include "core/compute/run/pipeline.h"
#include "core/teaching/explain/explain.h"
#include "core/teaching/explain/math_markup.h"

namespace headlight {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no NaN and no infinities: they are written as strings that Python's float() and JavaScript's Number() read.
Json number_json(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  return value;
}

/// "weights"; "d_weights" for its gradient.
std::string stage_text(const Cell& cell, bool gradient) {
  return gradient ? gradient_name(cell.stage) : std::string(name(cell.stage));
}

Json cell_json(const Trace& trace, const Cell& cell, bool gradient, double value) {
  return {{"stage", stage_text(cell, gradient)}, {"index", own_index(trace, cell)}, {"value", number_json(value)}};
}

Json explanation_json(const Trace& trace, const Explanation& e) {
  Json json = cell_json(trace, e.cell, e.gradient, e.value);
  json["formula"] = without_stages(e.formula);
  json["terms"] = Json::array();
  for (const Term& term : e.terms) {
    json["terms"].push_back(cell_json(trace, term.cell, term.gradient, term.value));
    json["terms"].back()["factor"] = number_json(term.factor);
  }
  json["numbers"] = e.numbers;
  json["quantities"] = Json::array();
  for (const Quantity& quantity : e.quantities) {
    json["quantities"].push_back(
        {{"name", std::string(quantity.name)}, {"value", number_json(quantity.value)}, {"added", quantity.added}});
  }
  return json;
}

std::string cell_text(const Trace& trace, const Cell& cell, bool gradient) {
  std::string index;
  for (const Index i : own_index(trace, cell)) index += (index.empty() ? "" : ", ") + std::to_string(i);
  return stage_text(cell, gradient) + "[" + index + "]";
}

std::string exact(double value) {
  if (std::isnan(value)) return "nan";
  return formatted("%.9g", value);
}

/// "name        0.25", with the numbers aligned on the right.
void print_line(const std::string& label, std::size_t width, double value, const std::string& after = {}) {
  std::printf("  %-*s %16s%s\n", static_cast<int>(width), label.c_str(), exact(value).c_str(), after.c_str());
}

void print_explanation(const Trace& trace, const Explanation& e) {
  std::printf("%s = %s\n", cell_text(trace, e.cell, e.gradient).c_str(), exact(e.value).c_str());
  std::printf("\n  %s\n", plain_math(e.formula).c_str());
  if (!e.numbers.empty() && !e.says_value) std::printf("  = %s\n", plain_math(e.numbers).c_str());
  if (!e.quantities.empty()) std::puts("");
  for (const Quantity& quantity : e.quantities) print_line(std::string(quantity.name), 20, quantity.value);
  if (e.terms.empty()) return;
  std::puts("\nComputed from");
  std::size_t width = 20;
  for (const Term& term : e.terms) width = std::max(width, cell_text(trace, term.cell, term.gradient).size());
  const bool softmax = e.quantity("exponential") != nullptr;
  constexpr std::size_t most_lines = 2000;
  std::size_t printed = 0, left_out = 0;
  for (const Term& term : e.terms) {
    if (term.factor == 0 && printed >= most_lines && ++left_out > 0) continue;
    ++printed;
    const std::string factor = softmax            ? "   exp(value - row_maximum) = " + exact(term.factor)
                               : term.factor != 0 ? "   × " + exact(term.factor)
                                                  : "";
    print_line(cell_text(trace, term.cell, term.gradient), width, term.value, factor);
  }
  if (left_out > 0) std::printf("  … and %zu more, which --json lists\n", left_out);
}

}  // namespace

int explain_command(const CommandLine& line) {
  if (!line.has("--cell")) throw UsageError("explain needs --cell STAGE:b,h,row,col");
  if (line["--cell"].starts_with(logit_parts_cell)) return explain_logit(line);
  auto trace = trace_of(line);
  if (line["--cell"].starts_with(name(Stage::contribution_norms))) trace = with_contributions(trace, line.threads());
  std::string cell = line["--cell"];
  if (gradient_named(cell.substr(0, cell.find(':')))) {
    cell.erase(0, std::string_view("d_").size());
    trace = gradient_trace(trace, line["--loss"]);
    say(line.file.empty() ? "headlight" : line.file, trace->loss.english());
  } else if (line.has("--loss")) {
    throw SettingError("--loss", "is of gradients", "expected a cell of one, such as d_weights:0,0,1,0");
  }
  const Explanation explanation = explain(*trace, cell_named(*trace, "--cell", cell));
  if (line.has("--json")) print_json(explanation_json(*trace, explanation));
  else print_explanation(*trace, explanation);
  print_assumptions(line, trace->inputs.assumptions);
  return 0;
}

}  // namespace headlight
