// headlight predict: prints the next word that a network predicts.
#include <cmath>
#include <cstdio>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/commands/commands.h"
#include "core/base/tensor/sampler.h"
#include "core/base/text/number_text.h"
#include "core/compute/network/key_cache.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/network/sampling.h"
#include "core/scenario/settings/settings_table.h"

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

/// A line of the text, with the pass that read it and its batch entry there. If the network has written words, also the
/// whole text and the cache.
struct Line {
  std::shared_ptr<const NetworkRun> pass;
  Index entry = 0;
  std::string written{};
  KeyCache cache{};
};

constexpr const char* keys_for_all =
    "expected weights without NaN, and a mask that leaves each query a key, or --dead-row uniform or zero";

/// Says of which lines nothing is predicted.
void say_without_numbers(const CommandLine& line, const std::vector<Line>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::vector<double> shares = next_shares(*lines[i].pass, lines[i].entry, -1, {});
    if (!shares.empty() && std::isnan(shares.front()))
      say(line.file, "prediction: none" + (lines.size() > 1 ? " of line " + std::to_string(i + 1) : std::string()) +
                         ", since the logits are NaN; " + keys_for_all);
  }
}

/// Appends up to `words` sampled words to each line; fewer if the network ends the line.
std::vector<Line> write_words(const Network& network, Scenario scenario, RunOptions options, const Sampling& sampling,
                              Index words) {
  if (!network.spec().writes())
    throw SettingError("--write", "is of networks that say the next word of a text",
                       "expected a decoder alone, such as GPT-2");
  options.logits = RunOptions::Logits::last;
  std::vector<Line> lines;
  for (std::string& text : text_lines(scenario.text_as_input ? scenario.text : network.usual_text(scenario.text)))
    lines.push_back({.pass = nullptr, .written = std::move(text)});
  const auto count = static_cast<std::uint64_t>(lines.size());
  const Index most = network.spec().stacks.front().embedding.most_positions;
  for (std::size_t entry = 0; entry < lines.size(); ++entry) {
    auto& [pass, at, text, cache] = lines[entry];
    options.cache = &cache;
    for (Index word = 0; word <= words; ++word) {
      scenario.text = text;
      pass = run_network(network.shared_from_this(), scenario, nullptr, options);
      if (word == words || !pass->logits.defined()) break;
      const auto number = philox(static_cast<std::uint64_t>(word) * count + entry, scenario.seed)[0];
      const std::vector<double> shares = next_shares(*pass, 0, -1, sampling);
      if (std::isnan(shares.front()))
        throw SettingError("--write", "draws no word after \"" + text + "\", whose logits are NaN", keys_for_all);
      const Index token = drawn(shares, static_cast<double>(philox_uniform(number)));
      if (token == network.spec().end_token) break;
      if (most > 0 && pass->text.tokens.count() >= most)
        throw SettingError("--write",
                           "so many words need more than the " + std::to_string(most) + " positions of " +
                               network.file() + ", which are full after " + std::to_string(word),
                           "expected at most " + std::to_string(word) + " after this text");
      const auto next = written_on(network, text, 0, pass->text.tokens.count() - 1, token);
      if (!next)
        throw SettingError(
            "--write",
            "cannot go on after \"" + text + "\" with \"" + network.word(token) + "\", which no text reads as",
            "expected fewer words");
      text = *next;
    }
  }
  return lines;
}

/// The bytes of the keys and values in each layer's cache, and their number of positions.
nlohmann::ordered_json bytes_json(const Network& network, const KeyCache& cache) {
  nlohmann::ordered_json layers = nlohmann::ordered_json::array();
  for (Index layer = 0; layer < std::ssize(network.layers()); ++layer)
    layers.push_back(
        {{"layer", network.layer(layer).layer}, {"positions", cache.positions(layer)}, {"bytes", cache.bytes(layer)}});
  return {{"total", cache.bytes()}, {"layers", std::move(layers)}};
}

/// The words of one line, and the most likely next words.
nlohmann::ordered_json as_json(const NetworkRun& pass, Index entry, Index top, const Sampling& sampling) {
  nlohmann::ordered_json json;
  json["tokens"] = pass.text.last_stack().words(entry);
  if (pass.network->spec().stacks.size() == 2) json["source"] = pass.text.tokens.words(entry);
  json["next"] = nlohmann::ordered_json::array();
  for (const LikelyToken& token : likely_next(pass, entry, top, sampling))
    json["next"].push_back({{"token", token.text}, {"probability", token.probability}});
  return json;
}

void print_lines_as_json(const CommandLine& line, const std::vector<Line>& lines, Index top, const Sampling& sampling) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Line& each : lines) {
    const NetworkRun& pass = *each.pass;
    all.push_back(line.has("--why")    ? why_json(pass, each.entry, line["--why"])
                  : line.has("--lens") ? lens_json(pass, each.entry)
                                       : as_json(pass, each.entry, top, sampling));
    if (line.has("--write")) all.back()["cache_bytes"] = bytes_json(*pass.network, each.cache);
  }
  print_json(lines.size() == 1 ? all[0] : all);
}

void print_lines(const CommandLine& line, const std::vector<Line>& lines, Index top, const Sampling& sampling) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& [pass, entry, text, cache] = lines[i];
    if (lines.size() > 1) std::printf("%sline %zu\n", i > 0 ? "\n" : "", i + 1);
    if (line.has("--write")) std::printf("%s\n", text.c_str());
    if (line.has("--why")) print_why(*pass, entry, line["--why"], top);
    else if (line.has("--lens")) print_lens(*pass, entry);
    else
      for (const LikelyToken& token : likely_next(*pass, entry, top, sampling))
        std::printf("%8s  %s\n", std::isnan(token.probability) ? "NaN" : formatted("%.4f", token.probability).c_str(),
                    token.text.c_str());
  }
}

}  // namespace

int predict_command(const CommandLine& line) {
  if (line.file.empty()) throw UsageError("predict needs a MODEL");
  Scenario scenario = network_scenario(line);
  const Index top = line.has("--top") ? parse_whole("--top", line["--top"], 1, 1000000) : 10;
  RunOptions options;
  options.threads = line.threads();
  options.weights = false;
  const Sampling sampling = sampling_of(line);
  if (line.has("--why") && line.has("--lens")) throw UsageError("--why and --lens are asked one at a time");
  const std::shared_ptr<const Network> network = open_network(scenario);
  options.means = means_over_texts(line, *network);
  if (line.has("--ablate") && scenario.knock_out.empty())
    throw UsageError("--ablate says what stands in the place of the heads that --knock-out names");
  const Scenario original = scenario;
  std::vector<Line> lines;
  if (line.has("--write")) {
    lines = write_words(*network, scenario, options, sampling, parse_whole("--write", line["--write"], 1, 10000));
    scenario.text.clear();
    for (const Line& each : lines) scenario.text += (scenario.text.empty() ? "" : "\n") + each.written;
  }
  if (lines.empty() || line.has("--why") || line.has("--lens")) {  // after --write, only the last row of logits exists
    options.parts = options.weights = line.has("--why");
    const auto pass = run_network(network, scenario, nullptr, options);
    const TokenBatch& said = pass->text.last_stack();
    lines.resize(static_cast<std::size_t>(said.size()));
    for (std::size_t i = 0; i < lines.size(); ++i) lines[i].pass = pass, lines[i].entry = static_cast<Index>(i);
  }
  const NetworkRun& pass = *lines.front().pass;
  print_assumptions(line, notes_of(pass, original));
  check_predicts(line, *network);
  if (pass.change) {
    const std::string& layer = network->layer(pass.change->layer).layer;
    say(line.file, "changed: " + changed_settings(pass.change->settings) + ": in layer " + layer +
                       " alone (--layer); what follows goes on from what it gives");
  }
  say_without_numbers(line, lines);
  line.has("--json") ? print_lines_as_json(line, lines, top, sampling) : print_lines(line, lines, top, sampling);
  return 0;
}

}  // namespace headlight
