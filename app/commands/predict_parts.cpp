// predict --why and --lens: what a next word is made of, and what the network would say after each layer.
#include "app/commands/predict_parts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/network/logit_parts.h"
#include "core/text/graphemes.h"

namespace headlight {
namespace {

using Json = nlohmann::ordered_json;

/// "is,are": two words; a comma alone is a word.
std::pair<std::string, std::string> words_of(const std::string& asked) {
  const std::size_t comma = asked.find(',', 1);
  if (comma == std::string::npos || comma + 1 == asked.size()) return {asked, ""};
  return {asked.substr(0, comma), asked.substr(comma + 1)};
}

/// The line that the entry was read from; "" where its words do not follow from it.
std::string line_of(const NetworkRun& pass, Index entry) {
  if (pass.network->spec().stacks.size() != 1) return "";
  const std::vector<std::string> lines = text_lines(pass.asked);
  return entry < std::ssize(lines) ? lines[static_cast<std::size_t>(entry)] : "";
}

LogitParts parts_for(const NetworkRun& pass, Index entry, const std::string& asked) {
  const auto [word, other] = words_of(asked);
  const std::string line = line_of(pass, entry);
  const Index id = next_token(*pass.network, line, word, "--why").id;
  const std::optional<Index> than =
      other.empty() ? std::nullopt : std::optional(next_token(*pass.network, line, other, "--why").id);
  return pass.network->parts_of(pass, entry, id, than);
}

std::string part_text(const Network& network, const LogitPart& part) {
  std::string text;
  if (part.layer) text = "layer " + network.layers()[static_cast<std::size_t>(*part.layer)].layer + " ";
  text += part.what == LogitPart::What::attention_bias ? "attention bias"
          : part.what == LogitPart::What::final_bias   ? "final bias"
                                                       : std::string(name(part.what));
  return part.head ? text + " " + std::to_string(*part.head) : text;
}

std::vector<Token> tokens_of(const NetworkRun& pass, Index entry) {
  const TokenBatch& tokens = pass.network->spec().stacks.size() == 2 ? pass.text.decoder : pass.text.tokens;
  std::vector<Token> words = tokens.entries[static_cast<std::size_t>(entry)];
  words.resize(static_cast<std::size_t>(tokens.lengths[static_cast<std::size_t>(entry)]));
  return words;
}

/// A head's part by the word that it comes from.
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
    if (part.layer) one["layer"] = network.layers()[static_cast<std::size_t>(*part.layer)].layer;
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
  double rest = 0;
  Index printed = 0, left = 0;
  for (const LogitPart& part : made.parts) {
    if (printed++ < top) {
      std::printf("%+8.4f  %s\n", part.value, part_text(network, part).c_str());
    } else {
      rest += part.value;
      ++left;
    }
  }
  if (left > 0) std::printf("%+8.4f  the other %lld parts (--top N)\n", rest, static_cast<long long>(left));
}

Json lens_json(const NetworkRun& pass, Index entry) {
  Json json{{"tokens", Json::array()}, {"layers", Json::array()}};
  for (const Token& token : tokens_of(pass, entry)) json["tokens"].push_back(token.text);
  for (const std::vector<LensCell>& line : lens_of(pass, entry)) {
    Json& cells = json["layers"].emplace_back(Json::array());
    for (const LensCell& cell : line)
      cells.push_back({{"token", cell.likely.text}, {"probability", cell.likely.probability}});
  }
  return json;
}

void print_lens(const NetworkRun& pass, Index entry) {
  std::vector<std::vector<std::string>> table(1, {"after"});
  for (const Token& token : tokens_of(pass, entry)) table.front().push_back(token.text);
  for (const std::vector<LensCell>& line : lens_of(pass, entry)) {
    std::vector<std::string>& row = table.emplace_back(1, "block " + std::to_string(table.size() - 1));
    for (const LensCell& cell : line) {
      char share[16];
      std::snprintf(share, sizeof share, " %.2f", cell.likely.probability);
      row.push_back(cell.likely.text + share);
    }
  }
  std::vector<std::size_t> widths(table.front().size());
  for (const std::vector<std::string>& row : table) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], terminal_width(row[i]));
  }
  for (const std::vector<std::string>& row : table) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += row[i] + std::string(widths[i] - terminal_width(row[i]) + 2, ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    std::printf("%s\n", line.c_str());
  }
}

}  // namespace headlight
