// Figures of all layers, and of the difference of two files.
#include "core/figures/export/layers_figure.h"

#include <algorithm>
#include <filesystem>

#include "core/base/tensor/error.h"
#include "core/compute/network/attention_flow.h"
#include "core/compute/network/logit_parts.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/network/next_word.h"
#include "core/figures/figure/figure_layout.h"
#include "core/scenario/inputs/inputs.h"
#include "tests/core/export/small_network.h"
#include "tests/core/figure/without_cairo.h"
#include "tests/core/files/samples.h"
#include "tests/matchers.h"
#include "tests/places.h"

using namespace headlight;

namespace {

ExportOptions options_with(const std::string& layers) {
  ExportOptions options;
  options.stage = Stage::weights;
  options.layers = layers;
  return options;
}

}  // namespace

TEST_CASE("a figure of all layers has a row for each layer, a panel for each head, and one scale") {
  const auto trace = compute_any(small_network());
  const FigureSpec spec = figure_for(*trace, options_with("all"));
  const auto whole = run_network(small_network());
  REQUIRE(spec.panels.size() == 8);
  CHECK(spec.columns == 4);
  CHECK(spec.range_mode == RangeMode::stage);
  CHECK(spec.panels[5].title == "1.1");
  const MatrixView wanted = whole->layers[1].weights.matrix(0, 1);
  for (Index q = 0; q < wanted.rows; ++q) {
    for (Index k = 0; k < wanted.cols; ++k) CHECK(agrees(spec.panels[5].matrix(q, k), wanted(q, k)));
  }
  CHECK(spec.row_ticks.size() == 7);
  CHECK_FALSE(printed(spec).empty());
}

TEST_CASE("numbers of all layers are [L, H, n_q, n_k] and those of the pass") {
  const auto trace = compute_any(small_network());
  const NamedArray array = layers_array(*trace, options_with("all"));
  REQUIRE(array.values.shape() == Shape{2, 4, 7, 7});
  const auto whole = run_network(small_network());
  CHECK_THAT(array.values.slice(0, 0, 1).contiguous(), agrees_with(whole->layers[0].weights));
  CHECK_THAT(array.values.slice(0, 1, 1).contiguous(), agrees_with(whole->layers[1].weights));
}

TEST_CASE("a changed setting is that of its layer alone, and later layers get its changed output") {
  Scenario changed = small_network();
  const auto own = run_network(changed);
  changed.layer = "0";
  const auto differs_after = [&](const char* what, const Scenario& scenario) {
    INFO(what);
    const auto whole = run_network(scenario);
    Run drawn;
    drawn.summary = Summary::whole;
    for (const Run& run : {Run{}, drawn}) {  // the pass may end at the layer or be complete
      const Tensor all = layers_array(*compute_any(scenario, nullptr, run), options_with("all")).values;
      for (const Index layer : {0, 1})
        CHECK_THAT(all.slice(0, layer, 1).contiguous(),
                   agrees_with(whole->layers[static_cast<std::size_t>(layer)].weights));
      CHECK_FALSE(
          layers_array(*compute_any(scenario, nullptr, run), options_with("rollout")).values.at({6, 2}) ==
          Approx(layers_array(*compute_any(small_network(), nullptr, run), options_with("rollout")).values.at({6, 2})));
    }
    CHECK_FALSE(std::ranges::equal(whole->layers[1].weights.values(), own->layers[1].weights.values()));
    CHECK(whole->layers[1].weights.matrix(0, 0)(2, 5) == 0);  // a change in layer 0 does not change the mask of layer 1
  };
  changed.mask = "full()";
  differs_after("mask", changed);
  changed.mask.clear();
  changed.scale = 3.0F;
  differs_after("scale", changed);
  changed.scale.reset();
  changed.edits.push_back({Stage::W_v, 0, 1, 2, 4.0F});
  differs_after("edit", changed);
}

TEST_CASE("rollout written as numbers is that of the pass, through the whole stack or up to a layer") {
  const auto trace = compute_any(small_network());
  const auto whole = run_network(small_network());
  std::vector<Tensor> means;
  for (const LayerRun& layer : whole->layers) {
    Buffer mean(49, 0);
    for (Index h = 0; h < 4; ++h) {
      for (Index i = 0; i < 49; ++i) mean[static_cast<std::size_t>(i)] += layer.weights.matrix(0, h)(i / 7, i % 7) / 4;
    }
    means.emplace_back(Shape{7, 7}, std::move(mean));
  }
  CHECK_THAT(layers_array(*trace, options_with("rollout")).values, agrees_with(attention_rollout(means)));
  CHECK_THAT(layers_array(*trace, options_with("rollout:0")).values, agrees_with(with_residual(means[0])));
  CHECK_THROWS_AS(layers_array(*trace, options_with("rollout:9")), SettingError);
  const FigureSpec flow = figure_for(*trace, options_with("flow"));
  CHECK(flow.panels.front().matrix(6, 6) == Approx(attention_flow(means, 6).at({6})));
}

TEST_CASE("rollout of a file whose rows do not sum to 1 divides them and says so") {
  const auto formula_of = [](float row) {
    const samples::TempFolder folder;
    write_npz(folder / "attentions.npz",
              std::vector<NamedArray>{{"attentions", Tensor({2, 1, 1, 2, 2}, Buffer(8, row / 2))}});
    Scenario scenario;
    scenario.source = Source::file;
    scenario.file = (folder / "attentions.npz").string();
    scenario.axes = "L,B,H,q,k";
    const auto trace = compute_any(scenario);
    const Tensor numbers = layers_array(*trace, options_with("rollout")).values;
    CHECK(numbers.at({0, 0}) + numbers.at({0, 1}) == Approx(1));
    return figure_for(*trace, options_with("rollout")).subtitle;
  };
  CHECK(formula_of(0.7F).find("rows divided by their sum") != std::string::npos);
  CHECK(formula_of(1).find("divided") == std::string::npos);
}

TEST_CASE("stacks of different shapes are drawn one at a time, and a run without layers is refused") {
  Scenario numbers;
  numbers.source = Source::file;
  numbers.file = "model:numbers";
  numbers.text = "digits two hundred forty one";
  const auto trace = compute_any(numbers);
  CHECK_THROWS_AS(figure_for(*trace, options_with("all")), SettingError);
  CHECK(figure_for(*trace, options_with("cross")).panels.size() == 4);
  Scenario random;
  random.source = Source::random;
  CHECK_THROWS_AS(figure_for(*compute_any(random), options_with("all")), SettingError);
}

TEST_CASE("a difference of two files is the second minus the first, of saved or of computed stages") {
  const auto trace = compute_any(small_network());
  Scenario other = small_network();
  other.knock_out = {{"0", 3}};
  other.layer = "1";
  Scenario first = small_network();
  first.layer = "1";
  const auto a = compute_any(first), b = compute_any(other);
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "headlight_difference_test.npz";
  const std::vector<NamedArray> arrays{{"weights", (*b)[Stage::weights]}};
  write_npz(path, arrays);
  ExportOptions options;
  options.stage = Stage::weights;
  options.style.kind = PictureKind::difference;
  options.style.other_file = path.string();
  options.heads = {1};
  const FigureSpec spec = figure_for(*a, options);
  const MatrixView right = (*b)[Stage::weights].matrix(0, 1), left = (*a)[Stage::weights].matrix(0, 1);
  for (Index q = 0; q < left.rows; ++q) {
    for (Index k = 0; k < left.cols; ++k) CHECK(spec.panels.front().matrix(q, k) == right(q, k) - left(q, k));
  }
  CHECK(spec.palette == Palette::diverging);
  Scenario shorter = small_network();
  shorter.text = "the cat";
  const auto small = compute_any(shorter);
  CHECK_THROWS_AS(figure_for(*small, options), FileError);
  std::filesystem::remove(path);
}

TEST_CASE("a figure of a file with several layers names its layer, also the default one") {
  const samples::TempFolder folder;
  write_npz(folder / "attentions.npz", std::vector<NamedArray>{{"attentions", Tensor::full({2, 1, 1, 2, 2}, 0.5F)}});
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = (folder / "attentions.npz").string();
  scenario.axes = "L,B,H,q,k";
  ExportOptions options;
  options.stage = Stage::weights;
  CHECK(figure_for(*compute_any(scenario), options).title.find("layer 0") != std::string::npos);
}

TEST_CASE("the formula of a figure has a bias term where the run has a bias") {
  Scenario scenario;
  ExportOptions options;
  options.stage = Stage::Q;
  CHECK(figure_for(*compute_any(scenario), options).subtitle == as_mathematics("X_q W_qᵀ + b_q"));
  scenario.bias = false;
  CHECK(figure_for(*compute_any(scenario), options).subtitle == as_mathematics("X_q W_qᵀ"));
}

TEST_CASE("names of stages are drawn with subscripts, other words stay as they are") {
  const auto trace = compute_any(small_network());
  ExportOptions options;
  options.stage = Stage::scaled_scores;
  const FigureSpec spec = figure_for(*trace, options);
  CHECK(spec.title.find("scaled_scores") == 0);
  CHECK(spec.shape.find("_") == std::string::npos);
  CHECK(as_mathematics("d_head") == std::string("d") + index_begins + "head" + index_ends);
  CHECK(as_mathematics("Q_h K_hᵀ") ==
        std::string("Q") + index_begins + "h" + index_ends + " K" + index_begins + "h" + index_ends + "ᵀ");
  CHECK(as_mathematics("head_outputs scaled_scores _x") == "head_outputs scaled_scores _x");
  const std::string svg = ArrangedFigure(spec).svg();
  CHECK(svg.find("n_q") == std::string::npos);
  CHECK(svg.find("<tspan dy=\"") != std::string::npos);
  Typesetter typesetter;
  CHECK(typesetter.width(as_mathematics("d_head"), FontRole::text, 10) <
        typesetter.width("d_head", FontRole::text, 10));
  options.style.title = "a_b";
  CHECK(figure_for(*trace, options).title == "a_b");
}

TEST_CASE("a figure of shares has rows that sum to one, of one layer and of all", "[figure]") {
  const auto trace = compute_any(small_network());
  for (const char* layers : {"", "all"}) {
    ExportOptions options = options_with(layers);
    options.stage = Stage::contribution_norms;
    options.shares = true;
    const FigureSpec spec = figure_for(*trace, options);
    CHECK(spec.title.starts_with("share of contribution_norms"));
    for (const FigurePanel& panel : spec.panels) {
      double sum = 0;
      for (Index k = 0; k < panel.matrix.cols; ++k) sum += static_cast<double>(panel.matrix(3, k));
      CHECK(sum == Approx(1));
    }
  }
  CHECK_FALSE(trace->has(Stage::contribution_norms));
}

TEST_CASE("a figure of the logit lens shows its words, and the CSV its numbers", "[figure]") {
  const auto trace = compute_any(small_network());
  ExportOptions options;
  options.style.kind = PictureKind::lens;
  const FigureSpec spec = figure_for(*trace, options);
  const auto lens = lens_of(*run_network(small_network()), 0);
  REQUIRE(spec.cell_words.size() == 2 * 7);
  REQUIRE(spec.panels.front().matrix.rows == 2);
  for (std::size_t at = 0; at < 7; ++at) {
    CHECK(spec.cell_words[7 + at] == lens[1][at].likely.text);
    CHECK(spec.panels.front().matrix(0, static_cast<Index>(at)) == Approx(lens[0][at].probability_of));
  }
  CHECK(spec.col_ticks[1] == "cat");
  CHECK(ArrangedFigure(spec).svg().find(lens[1][6].likely.text) != std::string::npos);
  const std::string table = prediction_csv(*trace, options);
  CHECK(std::ranges::count(table, '\n') == 1 + 2 * 7);
  CHECK(table.find("\n1,1,\"cat\",\"" + lens[1][1].likely.text + "\",") != std::string::npos);
  Scenario plain;
  CHECK_THROWS_AS(figure_for(*compute_any(plain), options), SettingError);
  options.cols = {1, 3};
  options.rows = {1, 2};
  const FigureSpec part = figure_for(*trace, options);
  CHECK(part.col_ticks == std::vector<std::string>{"cat", spec.col_ticks[2]});
  CHECK(part.row_ticks == std::vector<std::string>{"block 1"});
  CHECK(part.panels[0].matrix(0, 1) == spec.panels[0].matrix(1, 2));
  CHECK(prediction_csv(*trace, options).find("\n1,1,\"cat\"") != std::string::npos);
}

TEST_CASE("a lens figure of a given size explains its colours, and its bar ends at the largest value", "[figure]") {
  const auto trace = compute_any(small_network());
  ExportOptions options;
  options.style.kind = PictureKind::lens;
  options.size = parse_wanted_size("--size", "12x6cm");
  const FigureSpec spec = figure_for(*trace, options);
  CHECK(ArrangedFigure(spec).svg().find("probability") != std::string::npos);
  float most = 0;
  for (const float share : spec.kept.front().values()) most = std::max(most, share);
  CHECK(panel_ranges(spec, ColormapKind::sequential).front().hi == most);
}

TEST_CASE("the cells of a figure of logit parts are those of each layer and head and add up to the logit", "[figure]") {
  const auto trace = compute_any(small_network());
  const auto pass = network_of(trace->inputs);
  ExportOptions options;
  options.style.kind = PictureKind::why;
  for (const char* word : {"sleeps", "sleeps,is", ""}) {
    options.word = word;
    const FigureSpec spec = figure_for(*trace, options);
    const MatrixView cells = spec.panels.front().matrix;
    REQUIRE(cells.rows == std::ssize(spec.row_ticks));
    REQUIRE(cells.cols == std::ssize(spec.col_ticks));
    double sum = 0;
    for (Index row = 0; row < cells.rows; ++row) {
      for (Index col = 0; col < cells.cols; ++col)
        sum += classify(cells, spec.panels.front().masks, row, col) == CellKind::value
                   ? static_cast<double>(cells(row, col))
                   : 0;
    }
    RunOptions how;
    how.parts = true;
    const NetworkRun whole = pass->network->run(pass->text, how);
    const AskedWord asked = asked_word(*word == '\0' ? whole : *pass, 0, word, "--word");
    const LogitParts parts = pass->network->parts_of(whole, 0, asked.word.id, asked.other_id());
    CHECK(std::abs(sum - parts.logit) < 1e-4);
    CHECK(spec.title.find(asked.word.text) != std::string::npos);
    const auto head = std::ranges::find_if(parts.parts, [](const LogitPart& part) { return part.head == 1; });
    REQUIRE(head != parts.parts.end());
    const auto row = std::ranges::find(spec.row_ticks,
                                       pass->network->layers()[static_cast<std::size_t>(*head->layer)].layer),
               col = std::ranges::find(spec.col_ticks, "1");
    CHECK(cells(row - spec.row_ticks.begin(), col - spec.col_ticks.begin()) == Approx(head->value));
    CHECK(std::ranges::count(prediction_csv(*trace, options), '\n') == 1 + std::ssize(parts.parts));
  }
}

TEST_CASE("a figure of patching shows how much each patch changes the logit, at tokens and at heads", "[figure]") {
  const auto trace = compute_any(small_network());
  const auto pass = network_of(trace->inputs);
  const std::string other = "the dog" + pass->asked.substr(std::string("the cat").size());
  ExportOptions options;
  options.style.kind = PictureKind::patch;
  options.from = other;
  options.word = "sleeps,is";
  for (const Patch::What what : {Patch::What::residual, Patch::What::heads, Patch::What::mlp}) {
    options.what = name(what);
    const Network& network = *pass->network;
    const AskedWord word = asked_word(*pass, 0, options.word, "--word");
    const PatchGrid grid = patch_grid(network, network.read(line_of(*pass, 0)), network.read(other), what, word.word.id,
                                      {}, {}, word.other_id());
    const Tensor shown = patch_array(*trace, options).values;
    REQUIRE(shown.shape() == Shape{std::ssize(grid.grid), std::ssize(grid.grid.front())});
    for (Index layer = 0; layer < shown.size(0); ++layer) {
      for (Index at = 0; at < shown.size(1); ++at)
        CHECK(shown.at({layer, at}) ==
              Approx(grid.grid[static_cast<std::size_t>(layer)][static_cast<std::size_t>(at)] - grid.before));
    }
  }
  options.what = "residual";
  CHECK(figure_for(*trace, options).col_ticks[1] == "cat ← dog");
  CHECK_FALSE(printed(figure_for(*trace, options)).empty());
}

TEST_CASE("figures of predictions refuse in a sentence what they cannot draw", "[figure]") {
  const auto trace = compute_any(small_network());
  const auto said = [&](PictureKind kind, const std::string& from, const std::string& word, const Trace& of) {
    ExportOptions options;
    options.style.kind = kind;
    options.from = from, options.word = word;
    return samples::sentence_of([&] { figure_for(of, options); });
  };
  CHECK(samples::has(said(PictureKind::patch, "", "is", *trace), "expected --from"));
  CHECK(samples::has(said(PictureKind::patch, "the", "is", *trace), "expected as many"));
  CHECK(samples::has(said(PictureKind::why, "", "zebra", *trace), "is not in the vocabulary"));
  CHECK(samples::has(said(PictureKind::why, "", "", *compute_any(Scenario())), "expected a language model"));
}

TEST_CASE(
    "a figure of experts has a panel for each layer with experts, a row for each token, and the shares of the pass") {
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = places::fixtures() + "/networks/qwen3_moe";
  scenario.text = "3 17 5 28";
  const auto trace = compute_any(scenario);
  const FigureSpec spec = figure_for(*trace, options_with("experts"));
  REQUIRE(spec.panels.size() == 1);  // layer 0 has one MLP and no experts
  CHECK(spec.panels[0].title == "layer 1");
  CHECK(spec.row_ticks.size() == 4);
  const Tensor shares = run_network(scenario)->layers[1].experts;
  CHECK_THAT(layers_array(*trace, options_with("experts")).values, agrees_with(shares));
  for (Index word = 0; word < 4; ++word) CHECK(agrees(spec.panels[0].matrix(word, 2), shares.at({0, word, 2})));
  CHECK_FALSE(printed(spec).empty());
  CHECK_THROWS_AS(figure_for(*compute_any(small_network()), options_with("experts")), SettingError);
}

TEST_CASE("a figure of the KV cache has a row for each layer and the bytes of each position, none before its window") {
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = places::fixtures() + "/networks/gpt_oss";  // 4 heads on 2, d_head 8, a window of 3 in the first layer
  scenario.text = "3 17 5 28 0";
  const Tensor bytes = layers_array(*compute_any(scenario), options_with("kept")).values;
  REQUIRE(bytes.shape() == Shape{2, 5});
  const float each = 2 * 2 * 8 * 2;
  for (Index at = 0; at < 5; ++at) {
    CHECK(bytes.at({0, at}) == (at < 2 ? 0 : each));
    CHECK(bytes.at({1, at}) == each);
  }
  const FigureSpec spec = figure_for(*compute_any(scenario), options_with("kept"));
  CHECK(spec.row_ticks == std::vector<std::string>{"L0 GQA 2/4", "L1 GQA 2/4"});
  CHECK(spec.subtitle == "reads 384 bytes, adds 128 (unshared: 256)");
  CHECK(spec.cell_words[4] == "+64");
}

TEST_CASE("a part that drowns the others ends the bar before it, and the title says where it is and how large") {
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = "model:induction";
  scenario.text = "red star blue cat drum red star blue cat";
  const auto trace = compute_any(scenario);
  ExportOptions options;
  options.style.kind = PictureKind::why;
  const FigureSpec spec = figure_for(*trace, options);
  CHECK(spec.broken_bar);
  CHECK(spec.title.starts_with("the parts of the logit of “drum”: "));
  CHECK(spec.title.find("; beyond the colours: layer 1 · head ") != std::string::npos);
  float most = 0, next = 0;
  each_cell(spec, spec.panels.front(), [&](Index row, Index col, CellKind kind) {
    const float size = kind == CellKind::value ? std::abs(spec.panels.front().matrix(row, col)) : 0;
    if (size > most) next = most, most = size;
    else next = std::max(next, size);
  });
  CHECK(most > 4 * next);
  CHECK(spec.range == ValueRange{-next, next});
  for (const auto size : {std::optional<FigureSize>(), std::optional(FigureSize{300, 200})}) {
    FigureSpec drawn = spec;
    drawn.size = size;
    Typesetter typesetter("");
    const FigureLayout layout = lay_out(drawn, colormap("signal", drawn.theme), typesetter);
    CHECK(std::ranges::count(layout.inside, "≈", &Label::text) == 1);
  }
  scenario.file = "model:english";
  scenario.text = "The cat sat on the mat and it slept";
  CHECK(!figure_for(*compute_any(scenario), options).broken_bar);
}

TEST_CASE("layers of a file are drawn with the cells masked that are 0 in every head of theirs, as one layer is") {
  const samples::TempFolder folder;
  Buffer cells;
  for (Index i = 0; i < 2 * 2 * 9; ++i)
    cells.push_back(i % 9 % 3 > i % 9 / 3 ? 0.0F : 1.0F / static_cast<float>(1 + i % 9 / 3));
  write_npz(folder / "attentions.npz",
            std::vector<NamedArray>{{"attentions", Tensor({2, 1, 2, 3, 3}, cells), false, "L,B,H,q,k"}});
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = (folder / "attentions.npz").string();
  const FigureSpec spec = figure_for(*compute_any(scenario), options_with("all"));
  REQUIRE(spec.panels.size() == 4);
  for (const FigurePanel& panel : spec.panels) {
    Index masked = 0;
    each_cell(spec, panel, [&](Index, Index, CellKind kind) { masked += kind == CellKind::masked; });
    CHECK(masked == 3);
  }
}

TEST_CASE("a head that no layer has is refused, also beside one that they have") {
  const auto trace = compute_any(small_network());
  ExportOptions options = options_with("all");
  options.heads = {0, 9};
  CHECK_THROWS_AS(figure_for(*trace, options), SettingError);
  CHECK_THROWS_AS(layers_array(*trace, options), SettingError);
  options.heads = {0, 3};
  CHECK_NOTHROW(figure_for(*trace, options));
}
