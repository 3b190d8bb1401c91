// Every option with every kind of figure: it changes the figure, or it is refused. None is passed over.
#include <algorithm>
#include <map>

#include "core/base/tensor/error.h"
#include "core/compute/network/network_trace.h"
#include "core/figures/export/export_options.h"
#include "core/figures/export/layers_figure.h"
#include "core/figures/figure/figure.h"
#include "tests/catch.h"
#include "tests/core/export/small_network.h"
#include "tests/core/files/samples.h"
#include "tests/places.h"

using namespace headlight;

namespace {

using Line = std::vector<std::string>;

ExportOptions options_from(const Line& words) {
  ExportOptions options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto found = std::ranges::find(all_export_options(), words[i], &ExportOption::option);
    REQUIRE(found != all_export_options().end());
    found->apply(options, found->option, found->operand.empty() ? "true" : words.at(++i));
  }
  return options;
}

struct KindOfFigure {
  std::string name;
  std::shared_ptr<const Trace> trace;
  Line words;
  std::map<std::string, Line> own{};  ///< values of options that only suit this kind
};

std::vector<KindOfFigure> kinds_of_figures() {
  Scenario two;
  two.text = "the cat that chases\nthe dogs that sleep";
  two.mask = "h == 1 ? causal() && window(2) : causal()";
  two.heads = 4;
  Scenario vision;
  vision.source = Source::file;
  vision.file = samples::fixture("networks/vit").string();
  Scenario mixture;
  mixture.source = Source::file;
  mixture.file = samples::fixture("networks/qwen3_moe").string();
  mixture.text = "3 17 5 28";
  const auto text = compute_any(two), words = compute_any(small_network()), picture = compute_any(vision),
             experts = compute_any(mixture);
  const Line weights{"--stage", "weights"};
  return {
      {"heatmap", text, {"--stage", "weights", "--head", "all"}},
      {"mask", text, {"--stage", "mask", "--head", "all"}},
      {"arcs", text, {"--stage", "weights", "--kind", "arcs", "--head", "0,1"}, {{"--head", {"--head", "2"}}}},
      {"difference", text, {"--kind", "difference", "--head", "0,1"}, {{"--head", {"--head", "0,2"}}}},
      {"reach", text, {"--kind", "reach"}},
      {"blocks", text, {"--kind", "blocks", "--block", "2"}},
      {"side-by-side", text, {"--kind", "side-by-side", "--other-mask", "window(2)"}},
      {"lens", words, {"--kind", "lens"}},
      {"why", words, {"--kind", "why", "--word", "sleeps"}},
      {"patch",
       words,
       {"--kind", "patch", "--from", "the dog that chases the dogs sleeps", "--word", "sleeps"},
       {{"--from", {"--from", "the girl that chases the dogs sleeps"}}}},
      {"overlay", picture, {"--kind", "overlay", "--head", "all"}},
      {"layers", words, {"--layers", "all"}},
      {"rollout", words, {"--layers", "rollout"}},
      {"experts", experts, {"--layers", "experts"}},
      {"kept", words, {"--layers", "kept"}},
  };
}

/// Each option with a value that differs from what the figures above have.
const std::map<std::string, Line> given{
    {"--stage", {"--stage", "scores"}},
    {"--measure", {"--measure", "arrives"}},
    {"--loss", {"--loss", "is"}},
    {"--batch", {"--batch", "1"}},
    {"--head", {"--head", "1"}},
    {"--layers", {"--layers", "rollout:0"}},
    {"--rows", {"--rows", "1:2"}},
    {"--cols", {"--cols", "0:2"}},
    {"--over", {"--over", "rows"}},
    {"--by", {"--over", "rows", "--by", "max"}},
    {"--fuse", {"--fuse", "max"}},
    {"--discard", {"--discard", "0.5"}},
    {"--query", {"--query", "1,1"}},
    {"--opacity", {"--opacity", "0.3"}},
    {"--word", {"--word", "is"}},
    {"--from", {"--from", "the girl that chases the dogs sleeps"}},
    {"--what", {"--what", "mlp"}},
    {"--other-mask", {"--other-mask", "full()"}},
    {"--other-file", {"--other-file", places::fixtures() + "/s000_masked_mha.input.npz"}},
    {"--block", {"--block", "3"}},
    {"--style", {"--style", "print"}},
    {"--colormap", {"--colormap", "magma"}},
    {"--range", {"--range", "0:0.123"}},
    {"--norm", {"--norm", "sqrt"}},
    {"--theme", {"--theme", "dark"}},
    {"--title", {"--title", "Another title"}},
    {"--row-label", {"--row-label", "who"}},
    {"--col-label", {"--col-label", "whom"}},
    {"--no-tokens", {"--no-tokens"}},
    {"--no-bar", {"--no-bar"}},
    {"--values", {"--values"}},
    {"--bare", {"--bare"}},
    {"--transparent", {"--transparent"}},
    {"--cell", {"--cell", "21"}},
    {"--columns", {"--columns", "1"}},
    {"--letters", {"--letters"}},
    {"--highlight", {"--highlight", "0:1,0:1"}},
    {"--mass", {"--mass", "60%"}},
    {"--size", {"--size", "8x6cm"}},
    {"--font-size", {"--font-size", "12"}},
    {"--font", {"--font", "DejaVu Sans"}},
    {"--svg-text", {"--svg-text", "outlines"}},
};

/// What these kinds have without being asked; the experts are of one layer, and the overlay is one column already.
bool has_already(const std::string& kind, const std::string& option) {
  static const std::vector<std::pair<std::string, std::string>> all{
      {"why", "--values"},    {"patch", "--values"},        {"kept", "--values"},     {"mask", "--no-bar"},
      {"blocks", "--no-bar"}, {"side-by-side", "--no-bar"}, {"experts", "--columns"}, {"overlay", "--columns"},
  };
  return std::ranges::find(all, std::pair(kind, option)) != all.end();
}

std::string drawn(const Trace& trace, const ExportOptions& options) {
  return ArrangedFigure(figure_for(trace, options)).svg(options.svg_text);
}

}  // namespace

TEST_CASE("an option changes the figure of a kind, or is refused with the kinds that have it", "[figure][options]") {
  for (const KindOfFigure& kind : kinds_of_figures()) {
    const std::string usual = drawn(*kind.trace, options_from(kind.words));
    for (const ExportOption& option : all_export_options()) {
      const std::string name(option.option);
      if (name == "--dpi" || name == "--kind") continue;  // of pixels; what the table's rows are
      if (name == "--batch" && kind.trace->dims().batch == 1) continue;
      CAPTURE(kind.name, name);
      const auto own = kind.own.find(name);
      REQUIRE(given.contains(name));
      Line words = kind.words;
      const Line& more = own == kind.own.end() ? given.at(name) : own->second;
      words.insert(words.end(), more.begin(), more.end());
      const std::string said = samples::sentence_of([&] {
        const ExportOptions options = options_from(words);
        check_options(options, std::vector<std::string>{name});
        const std::string figure = drawn(*kind.trace, options);
        Line before = kind.words;
        if (name == "--by") before.insert(before.end(), {"--over", "rows"});
        const std::string without = name == "--by" ? drawn(*kind.trace, options_from(before)) : usual;
        const bool changed = figure != without;
        CHECK((changed || has_already(kind.name, name)));
      });
      if (said == "no error") continue;
      CHECK(samples::has(said, "expected"));
    }
  }
}

TEST_CASE("several heads are refused where one head's mask is drawn", "[figure][options]") {
  for (const char* heads : {"0,1", "all", "mean"}) {
    const ExportOptions options = options_from({"--kind", "reach", "--head", heads});
    CHECK(samples::has(samples::sentence_of([&] { check_options(options, std::vector<std::string>{"--head"}); }),
                       "expected one number"));
  }
}

TEST_CASE("a title that says what the colours are, and the legend of colours that are no scale, stay on small paper") {
  const auto text = kinds_of_figures();
  std::vector<KindOfFigure> kinds;
  std::ranges::copy_if(text, std::back_inserter(kinds), [](const KindOfFigure& kind) {
    return std::ranges::count(kind.words, "--kind") == 1 && kind.name != "arcs" && kind.name != "overlay";
  });
  kinds.push_back({"mean", text.front().trace, {"--stage", "weights", "--head", "mean"}});
  kinds.push_back({"over", text.front().trace, {"--stage", "weights", "--head", "1", "--over", "rows"}});
  kinds.push_back({"mass", text.front().trace, {"--stage", "weights", "--head", "1", "--mass", "60%"}});
  REQUIRE(kinds.size() == 10);
  for (const KindOfFigure& kind : kinds) {
    for (const char* size : {"column", "8x6cm", "5x5cm"}) {
      INFO(kind.name << " " << size);
      ExportOptions options = options_from(kind.words);
      options.size = parse_wanted_size("--size", size);
      const FigureSpec spec = figure_for(*kind.trace, options);
      CHECK(spec.keep_title);
      for (const Message& left_out : ArrangedFigure(spec).left_out()) {
        INFO(left_out.english());
        CHECK(left_out.english() != "title");
        CHECK((spec.categories.empty() || left_out.english() != "legend"));
      }
    }
  }
}

TEST_CASE("arcs keep their title where the height is free") {
  for (const KindOfFigure& kind : kinds_of_figures()) {
    if (kind.name != "arcs") continue;
    ExportOptions options = options_from(kind.words);
    options.size = parse_wanted_size("--size", "column");
    CHECK(ArrangedFigure(figure_for(*kind.trace, options)).left_out().empty());
  }
}
