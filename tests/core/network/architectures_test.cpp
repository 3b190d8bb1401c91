// Whole networks, block by block, against PyTorch computations written for these tests
// (tests/fixtures/make_networks.py).
#include "core/models/architecture/architectures.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/base/arrays/array_file.h"
#include "core/base/arrays/array_write.h"
#include "core/compute/network/logit_parts.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/network/row_parts.h"
#include "core/models/architecture/model_folder.h"
#include "tests/core/network/networks.h"
#include "tests/matchers.h"

using namespace headlight;

namespace {

std::vector<std::string> all_networks() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(networks::folder))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

}  // namespace

TEST_CASE("every architecture's blocks, attention weights and logits are PyTorch's") {
  for (const std::string& name : all_networks()) {
    INFO(name);
    const auto network = open_network(networks::folder + name);
    const auto expected = open_arrays(networks::folder + name + "/expected.npz");
    const NetworkRun run = network->run(networks::text_of(*network, *expected), {});
    for (std::size_t i = 0; i < run.layers.size(); ++i) {
      const std::string layer = network->layers()[i].layer;
      INFO("layer " << layer);
      if (expected->find("residual." + layer))
        CHECK(networks::excess(run.layers[i].residual, expected->load("residual." + layer)) <= 0);
      CHECK_THAT(run.layers[i].weights, agrees_with(expected->load("weights." + layer)));
      REQUIRE(run.layers[i].experts.defined() == (expected->find("experts." + layer) != nullptr));
      if (run.layers[i].experts.defined())
        CHECK_THAT(run.layers[i].experts, agrees_with(expected->load("experts." + layer)));
    }
    if (expected->find("logits")) CHECK(networks::excess(run.logits, expected->load("logits")) <= 0);
    if (expected->find("final"))
      CHECK(networks::excess(network->before_words(run.final), expected->load("final")) <= 0);
  }
}

namespace {

/// The scenario of CLIP's or SigLIP's fixture, with the texts that its pictures are compared with.
Scenario with_texts(const std::string& name) {
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = networks::folder + name;
  scenario.image = "a picture";
  scenario.text_as_input = true;
  scenario.text = name == "clip" ? "27 3 17 5 28\n27 9 28\n27 14 2 28" : "3 17 5\n9\n14 2";
  return scenario;
}

}  // namespace

TEST_CASE("no network of an architecture is said to lack a bias that the architecture does not have") {
  for (const std::string& name : all_networks()) {
    CAPTURE(name);
    const auto network = open_network(networks::folder + name);
    for (const Message& note : network->spec().notes) CHECK_FALSE(note.english().starts_with("no bias in the file"));
  }
}

TEST_CASE("a picture's similarity to several texts is PyTorch's, and its probabilities are the model's own") {
  for (const std::string name : {"clip", "siglip"}) {
    INFO(name);
    const auto expected = open_arrays(networks::folder + name + "/expected.npz");
    Scenario scenario = with_texts(name);
    const auto network = open_network(scenario);
    const NetworkRun run = network->run(networks::text_of(*network, *expected), {});
    CHECK(networks::excess(run.logits, expected->load("similarity")) <= 0);
    CHECK(network->word(1) == (name == "clip" ? "27 9 28" : "9"));
    for (const Message& note : network->spec().notes) CHECK_FALSE(note.english().starts_with("not used"));
    const Tensor wanted = expected->load("probabilities");
    for (const LikelyToken& text : most_likely(run, 1, -1, 3)) {
      CHECK(text.probability == Approx(wanted.at({1, 0, text.id})).epsilon(1e-4));
      CHECK(probability_of(run, 1, 0, text.id) == text.probability);
    }
    CHECK(open_network(scenario, network) == network);
    scenario.text += "\n5";
    CHECK(open_network(scenario, network)->spec().labels.size() == 4);
    scenario.image.clear();  // --text alone runs the text tower
    const auto texts = open_network(scenario, network);
    CHECK(texts->layers().size() == 2);
    CHECK(texts->spec().vocabulary == 29);
    CHECK(texts->read("9 14").tokens.count() == (name == "clip" ? 2 : 6));
    CHECK_FALSE(network->has_parts());
    scenario.text_as_input = false;
    CHECK(open_network(scenario, texts)->spec().labels.empty());
  }
}

TEST_CASE("an output head that reads several tokens has rows for its tokens; lens and logit parts are refused") {
  for (const std::string name : {"deit", "dinov2", "dinov2_registers"}) {
    const auto network = open_network(networks::folder + name);
    const auto expected = open_arrays(networks::folder + name + "/expected.npz");
    const NetworkRun run = network->run(networks::text_of(*network, *expected), {});
    const LogitProduct product = logit_product(run, 1, 0, 2);
    double sum = static_cast<double>(product.bias);
    for (std::size_t i = 0; i < product.row.size(); ++i)
      sum += static_cast<double>(product.row[i]) * static_cast<double>(product.word[i]);
    CHECK(product.row.size() == 24);
    CHECK(sum == Approx(run.logits.at({1, 0, 2})).margin(1e-5));
    CHECK(samples::has(samples::sentence_of([&] { lens_of(run, 0); }), "are made of more than one token"));
    CHECK(samples::has(samples::sentence_of([&] { network->parts_of(run, 0, 1); }), "are made of more than one token"));
  }
}

TEST_CASE("the stages of a layer are computed from its input in the pass") {
  for (const std::string name : {"gpt2", "gemma2", "t5", "roberta"}) {
    INFO(name);
    const auto network = open_network(networks::folder + name);
    const auto expected = open_arrays(networks::folder + name + "/expected.npz");
    const auto run = std::make_shared<const NetworkRun>(network->run(networks::text_of(*network, *expected), {}));
    for (std::size_t i = 0; i < run->layers.size(); ++i) {
      Scenario scenario;
      network->take_rules(static_cast<Index>(i), scenario);
      const auto trace = compute(scenario, network->inputs_of(*run, static_cast<Index>(i)), nullptr, {});
      CHECK_THAT((*trace)[Stage::weights], agrees_with(expected->load("weights." + network->layers()[i].layer)));
      CHECK(identical((*trace)[Stage::W_q].contiguous(), (*trace)[Stage::W_q]));
    }
  }
}

TEST_CASE("every row of the table of architectures has a network that was computed by another hand") {
  std::set<std::string> drawn;
  for (const std::string& name : all_networks()) drawn.insert(open_network(networks::folder + name)->spec().family);
  for (const Architecture& row : architectures()) {
    const bool twin = row.model_type == "xlm-roberta" || row.model_type == "camembert";  // other names of RoBERTa
    if (!twin) CHECK(drawn.contains(std::string(row.title)));
  }
}

namespace {

bool agree(const AttentionSpec& a, const AttentionSpec& b) {
  return a.heads == b.heads && a.kv_heads == b.kv_heads && a.d_head == b.d_head && a.scale == b.scale &&
         a.softcap == b.softcap && a.causal == b.causal && a.window == b.window && a.rope.pairing == b.rope.pairing &&
         a.rope.frequencies == b.rope.frequencies && a.rope.gain == b.rope.gain && a.alibi == b.alibi &&
         a.slopes == b.slopes && a.scaled_alibi == b.scaled_alibi && a.relative.has_value() == b.relative.has_value() &&
         a.q_norm.kind == b.q_norm.kind && a.q_norm.epsilon == b.q_norm.epsilon &&
         a.q_norm.plus_one == b.q_norm.plus_one;
}

}  // namespace

TEST_CASE("a layer alone has the same rules as in its network, also if its file has nothing else") {
  const samples::TempFolder folder;
  write_npz(folder / "nothing.npz", std::vector<NamedArray>{{"other", Tensor::full({1}, 1)}});
  const Checkpoint nothing(open_arrays(folder / "nothing.npz"));
  int layers = 0;
  for (const std::string& name : all_networks()) {
    std::ifstream stream(networks::folder + name + "/config.json");
    auto config = nlohmann::json::parse(stream, nullptr, false);
    if (name == "meta_llama" || name == "gemma3_published" || name == "llama4") {
      const ModelFolder model = find_model(networks::folder + name);
      config = config_of(model, Checkpoint(model.tensors)).fields();
    }
    if (!config.is_object() || !config.contains("model_type")) continue;
    if (config["model_type"] == "attention_only" || config["model_type"] == "headlight")
      continue;  // whole networks only
    if (open_network(networks::folder + name)->spec().stacks[0].blocks[0].attention.latent) continue;
    if (name.ends_with("_text")) continue;
    if (config["model_type"] == "deberta-v2") continue;  // its positions are not known for a layer alone
    INFO(name);
    const auto network = open_network(networks::folder + name);
    if (network->spec().picture && name != "vit") continue;  // the other vision models are known only as whole networks
    const Checkpoint whole(find_model(networks::folder + name).tensors);
    for (const NetworkLayer& at : network->layers()) {
      INFO(at.name);
      const StackSpec& stack = network->spec().stacks[static_cast<std::size_t>(at.stack)];
      const BlockSpec& block = stack.blocks[static_cast<std::size_t>(at.block)];
      const LayerAlone layer{at.name, network->spec().width, at.heads, at.kv_heads, at.d_head};
      const LayerDescription alone = describe_layer(config, "config.json", nothing, layer);
      CHECK(agree(alone.attention, at.cross ? *block.cross : block.attention));
      CHECK(alone.not_taken.empty());
      const LayerDescription beside = describe_layer(config, "config.json", whole, layer);
      CHECK(beside.attention.q.weight == (at.cross ? *block.cross : block.attention).q.weight);
      CHECK(beside.attention.q.bias == (at.cross ? *block.cross : block.attention).q.bias);
      CHECK(beside.embedding.tokens == stack.embedding.tokens);
      CHECK(beside.embedding.scale == stack.embedding.scale);
      const NormSpec& norm = at.cross ? block.before_cross : block.before_attention;
      CHECK(beside.before_attention.weight == norm.weight);
      CHECK(beside.before_attention.plus_one == norm.plus_one);
      CHECK(beside.before_attention.epsilon == norm.epsilon);
      ++layers;
    }
  }
  CHECK(layers > 60);
}

TEST_CASE("a layer alone is refused if config.json rotates more channels than a head can have") {
  const samples::TempFolder folder;
  write_npz(folder / "nothing.npz", std::vector<NamedArray>{{"other", Tensor::full({1}, 1)}});
  const Checkpoint nothing(open_arrays(folder / "nothing.npz"));
  for (const nlohmann::json& fields :
       {nlohmann::json{{"model_type", "gpt_neox"}, {"rotary_pct", 1e9}},
        nlohmann::json{{"model_type", "phi"}, {"partial_rotary_factor", 1e9}},
        nlohmann::json{{"model_type", "llama"}, {"rope_parameters", {{"partial_rotary_factor", 1e9}}}},
        nlohmann::json{{"model_type", "gptj"}, {"rotary_dim", 1000000000}}}) {
    INFO(fields.dump());
    CHECK_THROWS_AS(describe_layer(fields, "config.json", nothing, {"layers.0.self_attn", 8, 2, 2, 4}), FileError);
  }
}

TEST_CASE("where layers differ, a layer name without a number is refused") {
  const samples::TempFolder folder;
  write_npz(folder / "nothing.npz", std::vector<NamedArray>{{"other", Tensor::full({1}, 1)}});
  const Checkpoint nothing(open_arrays(folder / "nothing.npz"));
  const auto describe = [&](const char* type, const char* name) {
    return describe_layer({{"model_type", type}}, "config.json", nothing, {name, 8, 2, 2, 4});
  };
  CHECK(samples::has(samples::sentence_of([&] { describe("gemma3_text", "self_attn"); }), "has no number"));
  CHECK(describe("gemma3_text", "layers.5.self_attn").attention.rope.theta == 1000000);
  CHECK(describe("gemma3_text", "layers.4.self_attn").attention.rope.theta == 10000);
  CHECK(describe("qwen3", "self_attn").attention.q_norm.kind == NormKind::rms);
  CHECK(describe("no such model", "self_attn").family.empty());
}

// Not run with the others: headlight_core_tests "[errors]" prints the table of docs/networks.md.
TEST_CASE("largest errors of each architecture against PyTorch", "[.][errors]") {
  const auto largest = [](const Tensor& got, const Tensor& expected) {
    double most = 0;
    const Tensor a = got.contiguous(), b = expected.contiguous();
    for (std::size_t i = 0; i < a.values().size(); ++i)
      most = std::max(most, std::abs(static_cast<double>(a.values()[i]) - static_cast<double>(b.values()[i])));
    return most;
  };
  std::printf("| network | is | residuals | weights | logits |\n|---|---|---|---|---|\n");
  for (const std::string& name : all_networks()) {
    const auto expected = open_arrays(networks::folder + name + "/expected.npz");
    const char* logits = expected->find("similarity") ? "similarity" : "logits";
    const auto network =
        expected->find("similarity") ? open_network(with_texts(name)) : open_network(networks::folder + name);
    const NetworkRun run = network->run(networks::text_of(*network, *expected), {});
    double residual = 0, weights = 0;
    for (std::size_t i = 0; i < run.layers.size(); ++i) {
      const std::string layer = network->layers()[i].layer;
      if (expected->find("residual." + layer))
        residual = std::max(residual, largest(run.layers[i].residual, expected->load("residual." + layer)));
      weights = std::max(weights, largest(run.layers[i].weights, expected->load("weights." + layer)));
    }
    const bool has_logits = expected->find(logits) != nullptr;
    std::printf("| `%s` | %s | %.1e | %.1e | %s |\n", name.c_str(), network->spec().family.c_str(), residual, weights,
                has_logits ? [&] { char text[16]; std::snprintf(text, sizeof text, "%.1e", largest(run.logits, expected->load(logits))); return std::string(text); }().c_str() : "none");
    CHECK(weights < 1e-4);
  }
}
