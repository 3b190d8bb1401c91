// headlight predict: what a network says next.
#include <cstdio>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/commands/commands.h"
#include "core/network/network_trace.h"
#include "core/scenario/settings_table.h"

namespace headlight {

namespace {

std::vector<LikelyToken> likely_next(const NetworkRun& pass, Index entry, Index top) { return most_likely(pass, entry, place_of_prediction(pass, entry), top); }

/// The words of one line, and what comes next.
nlohmann::ordered_json as_json(const NetworkRun& pass, Index entry, Index top) {
  nlohmann::ordered_json json;
  const auto add_words = [&](const char* key, const TokenBatch& tokens) {
    json[key] = nlohmann::ordered_json::array();
    const auto at = static_cast<std::size_t>(entry);
    for (Index i = 0; i < tokens.lengths[at]; ++i) json[key].push_back(tokens.entries[at][static_cast<std::size_t>(i)].text);
  };
  const bool two = pass.network->spec().stacks.size() == 2;
  add_words("tokens", two ? pass.text.decoder : pass.text.tokens);
  if (two) add_words("source", pass.text.tokens);
  json["next"] = nlohmann::ordered_json::array();
  for (const LikelyToken& token : likely_next(pass, entry, top)) json["next"].push_back({{"token", token.text}, {"probability", token.probability}});
  return json;
}

}  // namespace

int predict_command(const CommandLine& line) {
  if (line.file.empty()) throw UsageError("predict needs a MODEL");
  Scenario scenario = scenario_of(line);
  scenario.source = Source::file;
  scenario.text_as_input = true;
  const Index top = line.has("--top") ? parse_whole("--top", line["--top"], 1, 1000000) : 10;
  RunOptions options;
  options.threads = line.threads();
  options.weights = false;
  const auto pass = run_network(scenario, nullptr, options);
  if (!pass->logits.defined()) throw FileError(line.file, "has no output head, so that it predicts nothing", "expected a language model");
  if (pass->change) {
    const std::string layer = pass->network->layers()[static_cast<std::size_t>(pass->change->layer)].layer;
    std::cerr << line.file << ": changed: " << changed_settings(pass->change->settings) << ": in layer " << layer << " alone (--layer); what follows goes on from what it gives\n";
  }
  const Index lines = (pass->network->spec().stacks.size() == 2 ? pass->text.decoder : pass->text.tokens).size();
  if (line.has("--json")) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (Index entry = 0; entry < lines; ++entry) all.push_back(as_json(*pass, entry, top));
    std::cout << (lines == 1 ? all[0] : all).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
    return 0;
  }
  for (Index entry = 0; entry < lines; ++entry) {
    if (lines > 1) std::printf("%sline %lld\n", entry > 0 ? "\n" : "", static_cast<long long>(entry + 1));
    for (const LikelyToken& token : likely_next(*pass, entry, top)) std::printf("%8.4f  %s\n", token.probability, token.text.c_str());
  }
  return 0;
}

}  // namespace headlight
