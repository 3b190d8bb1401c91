// predict --why and --lens: the parts of a next word's logit, and the prediction after each layer.

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "app/commands/commands.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/unicode.h"
#include "core/compute/network/logit_parts.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/network/next_word.h"
#include "core/scenario/settings/settings_table.h"

namespace headlight {
namespace {

using Json = nlohmann::ordered_json;

LogitParts parts_for(const NetworkRun& pass, Index entry, const std::string& asked) {
  const AskedWord word = asked_word(pass, entry, asked, "--why");
  return pass.network->parts_of(pass, entry, word.word.id, word.other_id());
}

std::string part_text(const Network& network, const LogitPart& part) {
  std::string text;
  if (part.layer) text = "layer " + network.layer(*part.layer).layer + " ";
  text += part.what == LogitPart::What::attention_bias ? "attention bias"
          : part.what == LogitPart::What::final_bias   ? "final bias"
                                                       : std::string(name(part.what));
  return part.head ? text + " " + std::to_string(*part.head) : text;
}

/// The part of a head, split by the words that it attends to.
Json sources_json(const NetworkRun& pass, Index entry, const LogitPart& part) {
  Json sources = Json::array();
  const std::vector<Token>& keys = pass.keys_of(*part.layer).entries[static_cast<std::size_t>(entry)];
  for (std::size_t k = 0; k < part.sources.size(); ++k)
    sources.push_back({{"token", k < keys.size() ? keys[k].text : ""}, {"value", part.sources[k]}});
  return sources;
}

}  // namespace

Json why_json(const NetworkRun& pass, Index entry, const std::string& asked) {
  const Network& network = *pass.network;
  const LogitParts made = parts_for(pass, entry, asked);
  Json json{{"word", network.word(made.word)}, {"other", nullptr}, {"logit", made.logit}, {"parts", Json::array()}};
  if (made.other) json["other"] = network.word(*made.other);
  for (const LogitPart& part : made.parts) {
    Json one{{"layer", nullptr}, {"what", std::string(name(part.what))}, {"head", nullptr}, {"value", part.value}};
    if (part.layer) one["layer"] = network.layer(*part.layer).layer;
    if (part.head) one["head"] = *part.head;
    if (!part.sources.empty()) one["sources"] = sources_json(pass, entry, part);
    json["parts"].push_back(std::move(one));
  }
  return json;
}

void print_why(const NetworkRun& pass, Index entry, const std::string& asked, Index top) {
  const Network& network = *pass.network;
  LogitParts made = parts_for(pass, entry, asked);
  std::printf("%8.4f  logit of %s%s\n\n", made.logit, network.word(made.word).c_str(),
              made.other ? (" less " + network.word(*made.other)).c_str() : "");
  std::ranges::stable_sort(made.parts, std::ranges::greater(),
                           [](const LogitPart& part) { return std::abs(part.value); });
  double others = 0;
  Index printed = 0, left = 0;
  for (const LogitPart& part : made.parts) {
    if (printed++ < top) std::printf("%+8.4f  %s\n", part.value, part_text(network, part).c_str());
    else others += part.value, ++left;
  }
  if (left > 0) std::printf("%+8.4f  the other %lld parts (--top N)\n", others, static_cast<long long>(left));
}

namespace {

/// The name of a part in the address of a cell: "token", "1.2" (a head), "mlp.1", "final_bias".
std::string part_name(const Network& network, const LogitPart& part) {
  if (!part.layer) return std::string(name(part.what));
  const std::string& layer = network.layer(*part.layer).layer;
  return part.head ? layer + "." + std::to_string(*part.head) : std::string(name(part.what)) + "." + layer;
}

struct LogitCell {
  Index entry = 0, position = 0;
  std::string word, part;  ///< part: "" for the whole logit
};

/// Reads "logit_parts:0,5,is,1.2"; a comma alone can be the word.
LogitCell logit_cell(const std::string& text) {
  const std::string_view rest = std::string_view(text).substr(logit_parts_cell.size());
  const std::size_t first = rest.find(','), second = rest.find(',', first == rest.npos ? rest.npos : first + 1);
  if (second == rest.npos || second + 1 == rest.size())
    throw SettingError("--cell", "\"" + text + "\" names no logit",
                       "expected logit_parts:b,q,WORD or logit_parts:b,q,WORD,PART, such as logit_parts:0,5,is,1.2");
  LogitCell cell;
  cell.entry = parse_whole("--cell", rest.substr(0, first), 0, Index{1} << 40);
  cell.position = parse_whole("--cell", rest.substr(first + 1, second - first - 1), 0, Index{1} << 40);
  const std::string_view word = rest.substr(second + 1);
  const std::size_t third = word.find(',', 1);
  cell.word = word.substr(0, third);
  if (third != word.npos) cell.part = word.substr(third + 1);
  return cell;
}

/// value = Σ factor · value of the terms + an addend.
struct Sum {
  std::string of;
  double value = 0;
  struct Term {
    Json cell;  ///< "part", or "stage" and "index", or only "index"
    std::string text;
    double value = 0, factor = 1;
  };
  std::vector<Term> terms{};
  double added = 0;
};

Sum sum_of_logit(const NetworkRun& pass, const LogitParts& made, const std::string& of) {
  Sum sum{of, made.logit};
  for (const LogitPart& part : made.parts) {
    const std::string id = part_name(*pass.network, part);
    sum.terms.push_back({{{"part", id}}, id, part.value, 1});
  }
  return sum;
}

/// A head as the sum over keys of what each value would add with weight 1; any other part as the product with the row
/// that it adds.
Sum sum_of_part(const NetworkRun& pass, const LogitCell& at, const LogitPart& part, const std::string& of) {
  Sum sum{of, part.value, {}, part.constant};
  const Tensor weights = part.layer ? pass.layers[static_cast<std::size_t>(*part.layer)].weights : Tensor();
  if (part.head && !part.sources.empty() && weights.defined()) {
    const std::vector<Token>& keys = pass.keys_of(*part.layer).entries[static_cast<std::size_t>(at.entry)];
    for (std::size_t k = 0; k < part.sources.size(); ++k) {
      const auto weight = static_cast<double>(weights.at({at.entry, *part.head, at.position, static_cast<Index>(k)}));
      const Json index{at.entry, *part.head, at.position, k};
      sum.terms.push_back({{{"stage", "weights"}, {"index", index}, {"token", k < keys.size() ? keys[k].text : ""}},
                           "weight on " + (k < keys.size() ? keys[k].text : std::to_string(k)),
                           weight,
                           weight == 0 ? 0 : part.sources[k] / weight});
    }
    return sum;
  }
  for (std::size_t i = 0; i < part.state.size(); ++i)
    sum.terms.push_back({{{"index", i}}, "number " + std::to_string(i), part.state[i], part.direction[i]});
  return sum;
}

void print_sum(const CommandLine& line, const Sum& sum) {
  if (line.has("--json")) {
    Json json{{"stage", "logit_parts"}, {"cell", sum.of}, {"value", sum.value}, {"terms", Json::array()}};
    for (const Sum::Term& term : sum.terms) {
      Json& one = json["terms"].emplace_back(term.cell);
      one["value"] = term.value;
      one["factor"] = term.factor;
    }
    json["quantities"] = Json::array();
    if (sum.added != 0) json["quantities"].push_back({{"name", "bias"}, {"value", sum.added}, {"added", true}});
    return print_json(json);
  }
  std::printf("%s = %.9g\n\nComputed from\n", sum.of.c_str(), sum.value);
  std::size_t width = 20;
  for (const Sum::Term& term : sum.terms) width = std::max(width, terminal_width(term.text));
  for (const Sum::Term& term : sum.terms) {
    std::printf("  %s%s %16.9g", term.text.c_str(), std::string(width - terminal_width(term.text), ' ').c_str(),
                term.value);
    if (term.factor != 1) std::printf("   × %.9g", term.factor);
    std::printf("\n");
  }
  if (sum.added != 0) std::printf("  %-*s %16.9g\n", static_cast<int>(width), "bias", sum.added);
}

}  // namespace

int explain_logit(const CommandLine& line) {
  LogitCell at = logit_cell(line["--cell"]);
  const Scenario scenario = network_scenario(line);
  RunOptions options;
  options.threads = line.threads();
  options.parts = true;
  const auto network = open_network(scenario);
  const auto pass = run_network(network, scenario, nullptr, options);
  print_assumptions(line, notes_of(*pass, scenario));
  check_predicts(line, *network);
  if (!network->has_parts())
    throw SettingError("--cell", "the logits of " + network->spec().family + " go through a layer that is not linear",
                       "expected a network whose logits are a sum of parts, such as GPT-2");
  const auto check = [](const std::string& what, Index index, Index count) {
    if (index >= count)
      throw SettingError("--cell", what + " " + std::to_string(index) + " is not there",
                         "expected 0 to " + std::to_string(count - 1));
  };
  check("batch entry", at.entry, pass->logits.size(0));
  check("position", at.position, pass->text.last_stack().lengths[static_cast<std::size_t>(at.entry)]);
  const Token word = next_token(*network, line_of(*pass, at.entry), at.word, "--cell");
  const LogitParts made = network->parts_of(*pass, at.entry, word.id, {}, at.position);
  if (at.part.empty()) {
    print_sum(line, sum_of_logit(*pass, made, line["--cell"]));
    return 0;
  }
  const auto part =
      std::ranges::find(made.parts, at.part, [&](const LogitPart& each) { return part_name(*network, each); });
  if (part == made.parts.end())
    throw SettingError("--cell", "\"" + at.part + "\" is no part of the logit",
                       "expected " + part_name(*network, made.parts.front()) +
                           ", a head such as 0.1, or another of those that " +
                           line["--cell"].substr(0, line["--cell"].rfind(',')) + " lists");
  print_sum(line, sum_of_part(*pass, at, *part, line["--cell"]));
  return 0;
}

Json lens_json(const NetworkRun& pass, Index entry) {
  Json json{{"tokens", pass.text.last_stack().words(entry)}, {"layers", Json::array()}};
  for (const std::vector<LensCell>& line : lens_of(pass, entry)) {
    Json& cells = json["layers"].emplace_back(Json::array());
    for (const LensCell& cell : line)
      cells.push_back({{"token", cell.likely.text}, {"probability", cell.likely.probability}});
  }
  return json;
}

void print_lens(const NetworkRun& pass, Index entry) {
  std::vector<std::vector<std::string>> table{pass.text.last_stack().words(entry)};
  table.front().insert(table.front().begin(), "after");
  for (const std::vector<LensCell>& line : lens_of(pass, entry)) {
    std::vector<std::string>& row = table.emplace_back(1, "block " + std::to_string(table.size() - 1));
    for (const LensCell& cell : line) row.push_back(cell.likely.text + formatted(" %.2f", cell.likely.probability));
  }
  print_columns(table);
}

}  // namespace headlight
