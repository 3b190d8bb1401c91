// headlight heads: measures each head of a network over many sentences. headlight patch: puts states of one sentence
// into another one.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/commands/commands.h"
#include "core/base/text/number_text.h"
#include "core/base/text/unicode.h"
#include "core/compute/network/head_study.h"
#include "core/compute/network/logit_parts.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/network/next_word.h"
#include "core/scenario/inputs/tensor_file.h"

namespace headlight {
namespace {

using Json = nlohmann::ordered_json;

/// Prints every few seconds how much of a long computation is done, and how long the rest takes.
class ProgressLine {
 public:
  explicit ProgressLine(std::string subject) : subject_(std::move(subject)) {}
  void operator()(double share) {
    constexpr double between = 5;
    const double now = seconds();
    if (now - printed_at_ < between || share >= 1) return;
    printed_at_ = now;
    say(subject_, formatted("%.0f %%, about %.0f s left", 100 * share, now / share - now));
  }

 private:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  std::string subject_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double printed_at_ = 0;
};

void print_heads(const Network& network, const std::vector<HeadMeans>& heads, bool csv) {
  std::printf(csv ? "layer,head" : "%-10s %4s", "layer", "head");
  for (const StudyColumn& column : study_columns()) std::printf(csv ? ",%s" : " %9s", column.name);
  std::printf("\n");
  for (const HeadMeans& head : heads) {
    const std::string& layer = network.layer(head.layer).layer;
    std::printf(csv ? "%s,%lld" : "%-10s %4lld", layer.c_str(), static_cast<long long>(head.head));
    for (const StudyColumn& column : study_columns()) {
      const std::optional<double> value = column.value(head);
      if (value) std::printf(csv ? ",%.9g" : " %9.4f", *value);
      else std::printf(csv ? "," : "         -");
    }
    std::printf("\n");
  }
}

Json heads_json(const Network& network, const std::vector<HeadMeans>& heads, const std::vector<std::string>& lines) {
  Json json = Json::array();
  for (const HeadMeans& head : heads) {
    Json& one = json.emplace_back(Json{{"layer", network.layer(head.layer).layer}, {"head", head.head}});
    for (const StudyColumn& column : study_columns()) {
      const std::optional<double> value = column.value(head);
      one[column.name] = value ? Json(*value) : Json(nullptr);
    }
    one["sentences"] = Json::array();
    for (const HeadMeans::Line& line : head.lines)
      one["sentences"].push_back({{"text", lines[line.line]}, {"effect", line.effect}});
  }
  return json;
}

/// The settings of the scenario that a pass uses.
RunOptions options_of(const CommandLine& line, const Network& network, const Scenario& scenario) {
  RunOptions options;
  options.threads = line.threads();
  options.knock_out = network.knock_out_of(scenario.knock_out);
  options.change = change_of(network, scenario);
  return options;
}

/// Whether --ablate asks for means.
bool wants_means(const CommandLine& line) {
  const std::string kind = line.text("--ablate", "zero");
  if (kind != "zero" && kind != "mean")
    throw SettingError("--ablate", "\"" + kind + "\" is nothing that a head is replaced by", "expected zero or mean");
  return kind == "mean";
}

/// An error in a line of the text becomes an error of the file.
template <typename Compute>
auto with_sentences(const CommandLine& line, const Compute& compute) {
  try {
    return compute(sentences_of(line["--texts"]));
  } catch (const SettingError& error) {
    if (error.subject() != "--text") throw;
    throw FileError(line["--texts"], Message("a line of it {0}", error.sentence()));
  }
}

void print_grid(const Network& network, const TokenBatch& tokens, const TokenBatch& from, Patch::What what,
                const PatchGrid& made, const std::string& word) {
  std::printf("%8.4f  logit of %s\n%8.4f  with every patch\n\n", made.before, word.c_str(), made.after_all);
  std::vector<std::string> names;
  const std::size_t widest = std::ranges::max_element(made.grid, {}, &std::vector<double>::size)->size();
  for (std::size_t i = 0; i < widest; ++i) {
    const std::string &own = tokens.entries[0][std::min(i, tokens.entries[0].size() - 1)].text,
                      &other = from.entries[0][std::min(i, from.entries[0].size() - 1)].text;
    names.push_back(what == Patch::What::heads ? "head " + std::to_string(i) : own == other ? own : own + "<" + other);
  }
  const auto cell = [](const std::string& text, std::size_t width) {
    const std::size_t columns = std::min(terminal_width(text), width);
    std::printf("  %s%s", std::string(width - columns, ' ').c_str(), text.c_str());
  };
  std::printf("%-10s", "layer");
  std::vector<std::size_t> widths;
  for (const std::string& name : names) {
    widths.push_back(std::max<std::size_t>(8, terminal_width(name)));
    cell(name, widths.back());
  }
  std::printf("\n");
  for (std::size_t layer = 0; layer < made.grid.size(); ++layer) {
    std::printf("%-10s", network.layers()[layer].layer.c_str());
    for (std::size_t i = 0; i < made.grid[layer].size(); ++i) {
      cell(formatted("%.4f", made.grid[layer][i]), widths[i]);
    }
    std::printf("\n");
  }
}

}  // namespace

int heads_command(const CommandLine& line) {
  if (line.file.empty()) throw UsageError("heads needs a MODEL");
  if (!line.has("--texts")) throw UsageError("heads needs --texts FILE, one sentence a line");
  const Scenario scenario = network_scenario(line);
  const auto network = open_network(line.file);
  const Ablation ablation = wants_means(line) ? Ablation::mean : Ablation::zero;
  ProgressLine progress(line.file);
  with_sentences(line, [&](const std::vector<std::string>& lines) {
    const std::vector<HeadMeans> heads = head_means(
        *network, lines, options_of(line, *network, scenario), [&](const auto&, double share) { progress(share); },
        ablation);
    if (line.has("--json")) print_json(heads_json(*network, heads, lines));
    else print_heads(*network, heads, line.has("--csv"));
  });
  return 0;
}

std::shared_ptr<const MeanHeads> means_over_texts(const CommandLine& line, const Network& network) {
  if (!wants_means(line)) {
    if (line.has("--texts")) throw UsageError("--texts is read for --ablate mean");
    return nullptr;
  }
  if (!line.has("--texts")) throw UsageError("--ablate mean needs --texts FILE, one sentence a line");
  ProgressLine progress(line.file);
  RunOptions options;
  options.threads = line.threads();
  return with_sentences(line, [&](const std::vector<std::string>& lines) {
    return mean_heads(network, lines, options, std::ref(progress));
  });
}

int patch_command(const CommandLine& line) {
  if (line.file.empty()) throw UsageError("patch needs a MODEL");
  for (const char* needed : {"--from", "--what", "--word"}) {
    if (!line.has(needed)) throw UsageError("patch needs --text, --from, --what residual|heads|mlp and --word");
  }
  const Scenario scenario = network_scenario(line);
  const Patch::What what = state_named(line["--what"]);
  const auto network = open_network(line.file);
  const std::string input = input_of(*network, scenario);
  const NetworkText text = network->read(input), from = network->read(line["--from"]);
  check_predicts(line, *network);
  const AskedWord word = asked_word(*network, input.substr(0, input.find('\n')), line["--word"], "--word");
  ProgressLine progress(line.file);
  const PatchGrid made = patch_grid(
      *network, text, from, what, word.word.id, options_of(line, *network, scenario),
      [&](const auto&, double share) { progress(share); }, word.other_id());
  if (!line.has("--json")) {
    print_grid(*network, text.tokens, from.tokens, what, made, word.text());
    return 0;
  }
  Json json{{"tokens", texts_of(text.tokens.entries.front())},
            {"from", texts_of(from.tokens.entries.front())},
            {"word", word.word.text}};
  if (word.other) json["other"] = word.other->text;
  json["before"] = made.before;
  json["after_all"] = made.after_all;
  json["grid"] = made.grid;
  print_json(json);
  return 0;
}

}  // namespace headlight
