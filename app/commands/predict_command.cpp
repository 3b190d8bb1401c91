// headlight predict: what a network says next.
#include <cstdio>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/commands/commands.h"
#include "core/network/network_trace.h"
#include "core/scenario/settings_table.h"

namespace headlight {

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
  const bool two = pass->network->spec().stacks.size() == 2;
  const TokenBatch& tokens = two ? pass->text.decoder : pass->text.tokens;
  const Index position = place_of_prediction(*pass, 0);
  const std::vector<LikelyToken> likely = most_likely(*pass, 0, position, top);
  if (!line.has("--json")) {
    for (const LikelyToken& token : likely) std::printf("%8.4f  %s\n", token.probability, token.text.c_str());
    return 0;
  }
  nlohmann::ordered_json json;
  json["tokens"] = nlohmann::ordered_json::array();
  for (Index i = 0; i < tokens.lengths[0]; ++i) json["tokens"].push_back(tokens.entries[0][static_cast<std::size_t>(i)].text);
  if (two) {
    for (Index i = 0; i < pass->text.tokens.lengths[0]; ++i) json["source"].push_back(pass->text.tokens.entries[0][static_cast<std::size_t>(i)].text);
  }
  json["next"] = nlohmann::ordered_json::array();
  for (const LikelyToken& token : likely) json["next"].push_back({{"token", token.text}, {"probability", token.probability}});
  std::cout << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
  return 0;
}

}  // namespace headlight
