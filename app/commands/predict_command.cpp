// headlight predict: what a network says next.
#include <cmath>
#include <cstdio>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/commands/commands.h"
#include "app/commands/predict_parts.h"
#include "core/network/network_trace.h"
#include "core/network/sampling.h"
#include "core/scenario/settings_table.h"
#include "core/tensor/philox.h"

namespace headlight {

namespace {

Sampling sampling_of(const CommandLine& line) {
  Sampling sampling;
  if (line.has("--temperature")) sampling.temperature = parse_number("--temperature", line["--temperature"]);
  if (line.has("--top-k")) sampling.top_k = parse_whole("--top-k", line["--top-k"], 1, 1'000'000'000);
  if (line.has("--top-p")) sampling.top_p = parse_number("--top-p", line["--top-p"]);
  if (!(sampling.temperature >= 0 && std::isfinite(sampling.temperature)))
    throw SettingError("--temperature", "\"" + line["--temperature"] + "\" is no temperature",
                       "expected a number from 0");
  if (!(sampling.top_p > 0 && sampling.top_p <= 1))
    throw SettingError("--top-p", "\"" + line["--top-p"] + "\" is no share", "expected a number above 0, at most 1");
  return sampling;
}

std::vector<LikelyToken> likely_next(const NetworkRun& pass, Index entry, Index top, const Sampling& sampling) {
  const Index place = place_of_prediction(pass, entry);
  std::vector<LikelyToken> likely = most_likely(pass, entry, place, top);
  if (sampling.is_plain()) return likely;
  const std::vector<double> shares = next_shares(pass, entry, place, sampling);
  for (LikelyToken& token : likely) token.probability = shares[static_cast<std::size_t>(token.id)];
  return likely;
}

/// So many words, drawn one after the other at the end of every line; fewer where the network ends it.
std::string written(Scenario scenario, const RunOptions& options, const Sampling& sampling, Index words) {
  std::string text = scenario.text;
  std::vector<bool> ended;
  std::shared_ptr<const NetworkRun> pass;
  for (Index word = 0; word < words; ++word) {
    scenario.text = text;
    pass = run_network(scenario, pass, options);
    const NetworkSpec& spec = pass->network->spec();
    if (spec.masked || spec.stacks.size() != 1)
      throw SettingError("--write", "is of networks that say the next word of a text",
                         "expected a decoder alone, such as GPT-2");
    const Index lines = pass->text.tokens.size();
    ended.resize(static_cast<std::size_t>(lines));
    for (Index entry = 0; entry < lines; ++entry) {
      const auto number = philox(static_cast<std::uint64_t>(word * lines + entry), scenario.seed)[0];
      const Index token = drawn(next_shares(*pass, entry, -1, sampling), static_cast<double>(philox_uniform(number)));
      const auto line = static_cast<std::size_t>(entry);
      ended[line] = ended[line] || token == spec.end_token;
      if (ended[line]) continue;
      const Index last = pass->text.tokens.lengths[line] - 1;
      const auto next = written_on(*pass->network, text, entry, last, token);
      if (!next)
        throw SettingError("--write",
                           "cannot go on after \"" + text_lines(text)[line] + "\" with \"" +
                               pass->network->word(token) + "\", which no text reads as",
                           "expected fewer words");
      text = *next;
    }
  }
  return text;
}

/// The words of one line, and what comes next.
nlohmann::ordered_json as_json(const NetworkRun& pass, Index entry, Index top, const Sampling& sampling) {
  nlohmann::ordered_json json;
  const auto add_words = [&](const char* key, const TokenBatch& tokens) {
    json[key] = nlohmann::ordered_json::array();
    const auto at = static_cast<std::size_t>(entry);
    for (Index i = 0; i < tokens.lengths[at]; ++i)
      json[key].push_back(tokens.entries[at][static_cast<std::size_t>(i)].text);
  };
  const bool two = pass.network->spec().stacks.size() == 2;
  add_words("tokens", two ? pass.text.decoder : pass.text.tokens);
  if (two) add_words("source", pass.text.tokens);
  json["next"] = nlohmann::ordered_json::array();
  for (const LikelyToken& token : likely_next(pass, entry, top, sampling))
    json["next"].push_back({{"token", token.text}, {"probability", token.probability}});
  return json;
}

}  // namespace

int predict_command(const CommandLine& line) {
  if (line.file.empty()) throw UsageError("predict needs a MODEL");
  Scenario scenario = scenario_of(line);
  scenario.source = Source::file;
  const Index top = line.has("--top") ? parse_whole("--top", line["--top"], 1, 1000000) : 10;
  RunOptions options;
  options.threads = line.threads();
  options.weights = false;
  const Sampling sampling = sampling_of(line);
  if (line.has("--write"))
    scenario.text = written(scenario, options, sampling, parse_whole("--write", line["--write"], 1, 10000));
  options.parts = options.weights = line.has("--why");
  if (options.parts && line.has("--lens")) throw UsageError("--why and --lens are asked one at a time");
  const auto pass = run_network(scenario, nullptr, options);
  print_assumptions(line, notes_of(*pass, scenario));
  if (!pass->logits.defined())
    throw FileError(line.file, "has no output head, so that it predicts nothing", "expected a language model");
  if (pass->change) {
    const std::string layer = pass->network->layers()[static_cast<std::size_t>(pass->change->layer)].layer;
    say(line.file, "changed: " + changed_settings(pass->change->settings) + ": in layer " + layer +
                       " alone (--layer); what follows goes on from what it gives");
  }
  const Index lines = (pass->network->spec().stacks.size() == 2 ? pass->text.decoder : pass->text.tokens).size();
  if (line.has("--json")) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (Index entry = 0; entry < lines; ++entry)
      all.push_back(line.has("--why")    ? why_json(*pass, entry, line["--why"])
                    : line.has("--lens") ? lens_json(*pass, entry)
                                         : as_json(*pass, entry, top, sampling));
    std::cout << (lines == 1 ? all[0] : all).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
              << '\n';
    return 0;
  }
  for (Index entry = 0; entry < lines; ++entry) {
    if (lines > 1) std::printf("%sline %lld\n", entry > 0 ? "\n" : "", static_cast<long long>(entry + 1));
    if (line.has("--write")) std::printf("%s\n", text_lines(scenario.text)[static_cast<std::size_t>(entry)].c_str());
    if (line.has("--why")) print_why(*pass, entry, line["--why"], top);
    else if (line.has("--lens")) print_lens(*pass, entry);
    else
      for (const LikelyToken& token : likely_next(*pass, entry, top, sampling))
        std::printf("%8.4f  %s\n", token.probability, token.text.c_str());
  }
  return 0;
}

}  // namespace headlight
