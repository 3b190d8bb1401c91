// The overview of heads, for networks and for files with the attention of several layers.
#include "core/compute/network/head_overview.h"

#include <filesystem>

#include "core/base/arrays/array_write.h"
#include "core/base/tensor/error.h"
#include "core/base/tensor/sampler.h"
#include "core/compute/network/attention_flow.h"
#include "core/compute/network/head_patterns.h"
#include "core/compute/network/network_trace.h"
#include "core/scenario/inputs/inputs.h"
#include "tests/core/network/networks.h"
#include "tests/matchers.h"
#include "tests/places.h"

using namespace headlight;

namespace {

std::shared_ptr<const Trace> drawn(const Scenario& scenario, const Trace* last = nullptr) {
  Run run;
  run.summary = Summary::whole;
  return compute_any(scenario, last, run);
}

Scenario of_model(const std::string& file, const std::string& text, const std::string& layer = "") {
  Scenario s;
  s.source = Source::file;
  s.file = file;
  s.text = text;
  s.layer = layer;
  return s;
}

/// Random attention [B, H, n_q, n_k] whose rows sum to one.
Tensor attention(std::uint64_t seed, Shape shape) {
  const Tensor raw = Sampler(seed, "attention").uniform(shape, 0.1F, 1);
  Buffer shares;
  const auto width = static_cast<std::size_t>(shape.back());
  for (std::size_t first = 0; first < raw.values().size(); first += width) {
    float sum = 0;
    for (const float v : raw.values().subspan(first, width)) sum += v;
    for (const float v : raw.values().subspan(first, width)) shares.push_back(v / sum);
  }
  return {shape, std::move(shares)};
}

struct File {
  explicit File(const std::vector<NamedArray>& arrays)
      : path(std::filesystem::temp_directory_path() / "headlight_overview_test.npz") {
    write_npz(path, arrays);
  }
  ~File() { std::filesystem::remove(path); }
  std::filesystem::path path;
};

}  // namespace

TEST_CASE("for a short text the overview has the weights of every head of every layer, and its pattern") {
  const auto trace = drawn(of_model(places::sentences(), "the cat that chases the dogs sleeps", "1"));
  REQUIRE(trace->overview);
  const HeadOverview& overview = *trace->overview;
  CHECK(overview.network);
  CHECK(overview.chosen == 1);
  REQUIRE(overview.layers.size() == 2);
  CHECK(overview.heads() == 4);
  CHECK(identical(overview.layers[1].summary.pictures, network_of(trace->inputs)->layers[1].weights));
  CHECK_THAT(overview.layers[1].summary.pictures, agrees_with((*trace)[Stage::weights]));
  const NetworkRun& pass = *network_of(trace->inputs);
  const auto patterns = head_patterns_of(pass.layers[0].weights, pass.queries_of(0), pass.keys_of(0));
  CHECK(overview.layers[0].summary.patterns[2][HeadPattern::first] == patterns[2][HeadPattern::first]);
  CHECK(overview.layers[0].keys->front()[1] == "cat");
  const Tensor &entering = overview.layers[1].summary.entering, &residual = pass.layers[1].residual;
  REQUIRE(entering.shape() == Shape{1, residual.size(1)});
  double squares = 0;
  for (Index i = 0; i < residual.size(2); ++i) squares += std::pow(static_cast<double>(residual.at({0, 1, i})), 2);
  CHECK(static_cast<double>(entering.at({0, 1})) == Approx(std::sqrt(squares / static_cast<double>(residual.size(2)))));
  CHECK(overview.leaving.shape() == entering.shape());
}

TEST_CASE("another layer of the same pass has the same overview, and a silent head is marked") {
  const auto first = drawn(of_model(places::sentences(), "the cat sleeps", "0"));
  const auto second = drawn(of_model(places::sentences(), "the cat sleeps", "1"), first.get());
  CHECK(network_of(first->inputs) == network_of(second->inputs));
  CHECK(second->overview->chosen == 1);
  CHECK(identical(first->overview->layers[0].summary.pictures, second->overview->layers[0].summary.pictures));
  Scenario without = of_model(places::sentences(), "the cat sleeps", "1");
  without.knock_out = {{"0", 2}};
  const auto knocked = drawn(without, second.get());
  CHECK(knocked->overview->layers[0].silent == std::vector<bool>{false, false, true, false});
}

TEST_CASE("for a long text layers keep pooled pictures and no score-shaped stage") {
  std::string text = "the cat";
  const auto network = open_network(networks::folder + "gpt2");
  TokenBatch tokens{{{}}, {network->spec().stacks[0].embedding.most_positions}};
  for (Index i = 0; i < tokens.lengths[0]; ++i) tokens.entries[0].push_back({i * 7 % 29, std::to_string(i)});
  RunOptions options;
  options.summaries = true;
  options.most_weights = 10;
  const NetworkRun run = network->run({tokens, {}, {}, {}}, options);
  for (const LayerRun& layer : run.layers) {
    CHECK_FALSE(layer.weights.defined());
    CHECK(layer.summary.pictures.defined());
  }
  const Tensor wide = attention(1, {1, 2, 100, 130});
  TokenBatch queries, keys;
  for (Index i = 0; i < 130; ++i) keys.entries.resize(1), keys.entries[0].push_back({i, std::to_string(i)});
  keys.lengths = {130};
  queries = keys;
  queries.entries[0].resize(100);
  queries.lengths = {100};
  const LayerSummary summary = summary_of(wide, queries, keys);
  CHECK(summary.pictures.shape() == Shape{1, 2, picture_side, picture_side});
  CHECK(summary.mean.shape() == Shape{1, 100, 130});
}

TEST_CASE("a list of layers, and layers along the first of the stated axes, open as one overview") {
  const auto stacked = attention(2, {3, 2, 4, 4});
  for (const bool list : {true, false}) {
    std::vector<NamedArray> arrays;
    if (list) {
      for (Index l = 0; l < 3; ++l)
        arrays.push_back({"attentions_" + std::to_string(l), stacked.slice(0, l, 1).contiguous()});
    } else {
      arrays.push_back({"attentions", stacked});
    }
    const File file(arrays);
    Scenario s = of_model(file.path.string(), "");
    s.tokens = {{"a", "b", "a", "c"}};
    s.axes = list ? "L,B,H,q,k" : "L,H,q,k";
    const auto trace = drawn(s);
    REQUIRE(trace->overview->layers.size() == 3);
    CHECK_THAT(trace->overview->layers[2].summary.pictures, agrees_with(stacked.slice(0, 2, 1).contiguous()));
    CHECK(trace->overview->layers[2].summary.patterns[0].rows[static_cast<std::size_t>(HeadPattern::duplicate)] == 1);
    CHECK(trace->overview->layers[0].queries->front()[3] == "c");
    s.layer = "2";
    const auto last = drawn(s, trace.get());
    CHECK(last->overview->chosen == 2);
    CHECK_THAT((*last)[Stage::weights], agrees_with(stacked.slice(0, 2, 1).contiguous()));
  }
}

TEST_CASE("encoder, decoder and cross attention of one call open together, with the encoder's first layer shown") {
  const Tensor encoder = attention(3, {1, 2, 5, 5}), decoder = attention(4, {1, 2, 3, 3}),
               cross = attention(5, {1, 2, 3, 5});
  const File file({{"encoder_attentions.0", encoder},
                   {"encoder_attentions.1", encoder},
                   {"decoder_attentions.0", decoder},
                   {"decoder_attentions.1", decoder},
                   {"cross_attentions.0", cross},
                   {"cross_attentions.1", cross}});
  const auto trace = drawn(of_model(file.path.string(), ""));
  CHECK_THAT((*trace)[Stage::weights], agrees_with(encoder));
  const HeadOverview& overview = *trace->overview;
  REQUIRE(overview.layers.size() == 6);
  CHECK(overview.layers[0].layer == "encoder_attentions.0");
  CHECK(overview.layers[5].cross);
  CHECK(overview.means_up_to(1, 0).size() == 2);
  CHECK(overview.means_up_to(3, 0).size() == 2);
  const auto opened = drawn(of_model(file.path.string(), "", overview.layers[5].layer));
  CHECK_THAT((*opened)[Stage::weights], agrees_with(cross));
  CHECK(opened->overview->chosen == 5);
}

TEST_CASE("a file of two attentions with unrelated names needs a layer") {
  const Tensor one = attention(6, {1, 2, 3, 3});
  const File file({{"weights", one}, {"attn", one}});
  CHECK_THROWS_AS(drawn(of_model(file.path.string(), "")), FileError);
}
