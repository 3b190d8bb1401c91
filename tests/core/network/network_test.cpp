// A network as scenarios and commands use it: names of layers, knocked-out heads, kept results, refusals.
#include "core/compute/network/network.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "core/base/tensor/error.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/network/row_parts.h"
#include "core/models/architecture/model_folder.h"
#include "core/scenario/inputs/inputs.h"
#include "tests/core/files/samples.h"
#include "tests/core/network/networks.h"
#include "tests/matchers.h"

using namespace headlight;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using samples::sentence_of;

NetworkRun run_of(const std::string& name, const RunOptions& options = {}) {
  const auto network = open_network(networks::folder + name);
  return network->run(networks::text_of(*network, *open_arrays(networks::folder + name + "/expected.npz")), options);
}

/// A copy of a fixture's folder that a test may change, with a tokenizer of whole words "w0" … "w28".
struct Copy {
  samples::TempFolder folder;
  fs::path path;
  explicit Copy(const std::string& name) : path(folder / name) {
    fs::copy(networks::folder + name, path);
    write_tokenizer(29);
  }
  void write_tokenizer(int words) const {
    json vocabulary = json::object();
    for (int i = 0; i < words; ++i) vocabulary["w" + std::to_string(i)] = i;
    std::ofstream(path / "tokenizer.json")
        << json{{"model", {{"type", "WordLevel"}, {"vocab", vocabulary}, {"unk_token", "[UNK]"}}},
                {"pre_tokenizer", {{"type", "WhitespaceSplit"}}},
                {"added_tokens", json::array()}};
  }
  void set(const std::string& field, const json& value) const {
    json config = json::parse(std::ifstream(path / "config.json"));
    config[field] = value;
    std::ofstream(path / "config.json") << config;
  }
  Scenario scenario(const std::string& text = "w3 w17 w5") const {
    Scenario s;
    s.source = Source::file;
    s.file = path.string();
    s.text = text;
    return s;
  }
  std::string error() const {
    return sentence_of([&] { compute_any(scenario()); });
  }
};

}  // namespace

TEST_CASE("a network is described in one line") {
  CHECK(open_network(networks::folder + "gpt2")->title() == "GPT-2, 2 layers of 3 heads, 29 tokens");
  CHECK(open_network(networks::folder + "t5")->title() == "T5, 2 + 2 layers of 3 heads, 29 tokens");
}

TEST_CASE("layers are named by number, by stack, or by the prefix of their arrays") {
  const auto gpt2 = open_network(networks::folder + "gpt2"), t5 = open_network(networks::folder + "t5");
  CHECK(gpt2->layer_named("1") == 1);
  CHECK(gpt2->layer_named("transformer.h.1.attn") == 1);
  CHECK(gpt2->layer_named("") == 0);
  CHECK(t5->layers()[4].layer == "cross.0");
  CHECK(t5->layers()[4].cross);
  CHECK(t5->layer_named("decoder.1") == 3);
  CHECK(sentence_of([&] {
          t5->layer_named("7");
        }).find("encoder.0 to encoder.1, decoder.0 to decoder.1, cross.0 to cross.1") != std::string::npos);
}

TEST_CASE("a layer is found by a part of its arrays' names that no other layer has") {
  const auto bert = open_network(networks::folder + "bert");
  const std::string name = bert->layers()[1].name;
  CHECK(bert->layer_named(name.substr(0, name.rfind('.'))) == 1);
  const auto bart = open_network(networks::folder + "bart");
  CHECK_FALSE(bart->find_layer("decoder.layers.0"));  // ambiguous: self-attention or cross-attention
}

TEST_CASE("a model that does not know the default text gets a text of its own, with a note") {
  const samples::TempFolder folder;
  for (const char* name : {"config.json", "model.safetensors"})
    std::filesystem::copy(networks::folder + "gpt2/" + name, folder / name);
  samples::write_text(folder / "tokenizer.json",
                      R"({"pre_tokenizer": {"type": "Whitespace"}, "model": {"type": "WordLevel", "vocab":)"
                      R"({"[UNK]": 0, "ein": 1, "Hund": 2, "bellt": 3}}})");
  const auto network = open_network(folder.path().string());
  CHECK(network->usual_text(Scenario().text) == "ein Hund bellt");
  CHECK(network->usual_text("Hund") == "Hund");
  CHECK(open_network(networks::folder + "gpt2")->usual_text(Scenario().text) == "0 1 2 3 4 5 6 7");
}

TEST_CASE("a text that was given is read, also where it is the usual one and the model has no tokenizer") {
  Scenario s;
  s.source = Source::file;
  s.file = networks::folder + "gpt2";
  CHECK(run_network(s)->text.tokens.entries[0].front().id == 0);
  s.text_as_input = true;
  CHECK(sentence_of([&] { run_network(s); }).find("the") != std::string::npos);
}

TEST_CASE("words that a decoder generated are reused for the same text") {
  Copy copy("t5");
  const auto first = run_network(copy.scenario());
  Scenario moved = copy.scenario();
  moved.scale = 0.5F;
  const auto second = run_network(moved, first);
  CHECK(second != first);
  CHECK(second->text == first->text);
  CHECK(second->network == first->network);
}

TEST_CASE("a pass that keeps no weights has the same results as one that keeps them") {
  for (const char* name : {"gpt2", "gemma2", "bloom", "t5", "mistral"}) {
    INFO(name);
    const NetworkRun kept = run_of(name), lean = run_of(name, {.weights = false});
    REQUIRE(kept.logits.defined());
    CHECK_THAT(lean.logits, agrees_with(kept.logits));
    CHECK(kept.layers[0].weights.defined());
    CHECK_FALSE(lean.layers[0].weights.defined());
  }
}

TEST_CASE("a field of config.json that contradicts the file or the table is used, refused by name, or noted") {
  const auto notes = [](const Copy& copy) {
    std::string all;
    const auto network = open_network(copy.path.string());
    for (const Message& note : network->spec().notes) all += note.english() + "\n";
    return all;
  };
  {
    Copy copy("llama");
    copy.set("is_causal", false);
    CHECK(copy.error().find("is_causal is false") != std::string::npos);
    copy.set("is_causal", true);
    copy.set("embedding_multiplier", 12.0);  // a field of Granite
    CHECK(copy.error().find("embedding_multiplier") != std::string::npos);
  }
  {
    Copy copy("granite");  // Granite's scale is 1 where config.json has no attention_multiplier, as in transformers
    json config = json::parse(std::ifstream(copy.path / "config.json"));
    config.erase("attention_multiplier");
    std::ofstream(copy.path / "config.json") << config;
    CHECK(open_network(copy.path.string())->spec().stacks[0].blocks[0].attention.scale == 1);
  }
  {
    Copy copy("llama");
    copy.set("auto_map", {{"AutoModelForCausalLM", "modeling_own.Own"}});
    CHECK(notes(copy).find("auto_map") != std::string::npos);
  }
  {
    Copy copy("llama3");  // a model whose projections have biases
    copy.set("attention_bias", false);
    CHECK(open_network(copy.path.string())->spec().stacks[0].blocks[0].attention.q.bias.empty());
    CHECK(notes(copy).find("q_proj.bias") != std::string::npos);
  }
  {
    Copy copy("qwen2");
    copy.set("use_sliding_window", true);
    copy.set("sliding_window", 2);
    copy.set("layer_types", nullptr);
    copy.set("max_window_layers", nullptr);  // the default of its library is 28
    CHECK(open_network(copy.path.string())->spec().stacks[0].blocks[0].attention.window == 0);
    copy.set("max_window_layers", 1);
    CHECK(open_network(copy.path.string())->spec().stacks[0].blocks[1].attention.window == 2);
  }
  {
    Copy copy("llama3");  // Llama has no sliding window
    copy.set("sliding_window", 2);
    CHECK(open_network(copy.path.string())->spec().stacks[0].blocks[0].attention.window == 0);
    CHECK(notes(copy).find("sliding_window") != std::string::npos);
  }
}

TEST_CASE(
    "a row that enters a layer is its token's row, its place's and what the blocks before have added, and nothing is "
    "said where it is no such sum") {
  const NetworkRun run = run_of("gpt2");
  const std::vector<Token>& tokens = run.text.tokens.entries[0];
  for (Index layer = 0; layer < 2; ++layer) {
    const auto first = row_parts(run, layer, 0, 0), later = row_parts(run, layer, 0, 2);
    REQUIRE((first && later));
    CHECK(first->word == run.network->token_row(0, tokens[0].id));
    CHECK(later->earlier.empty() == (layer == 0));
    for (std::size_t c = 0; c < later->enters.size(); ++c) {
      CHECK(later->word[c] + later->place[c] + (later->earlier.empty() ? 0 : later->earlier[c]) ==
            Approx(later->enters[c]).margin(1e-5));
      CHECK(later->enters[c] ==
            run.layers[static_cast<std::size_t>(layer)].residual.matrix(0, 0)(2, static_cast<Index>(c)));
    }
    // A position adds the same to every token.
    if (run.text.tokens.size() > 1) {
      const auto other = row_parts(run, layer, 1, 2);
      REQUIRE(other);
      for (std::size_t c = 0; c < other->place.size(); ++c)
        CHECK(other->place[c] == Approx(later->place[c]).margin(1e-5));
    }
  }
  const NetworkRun rotated = run_of("llama");
  CHECK_FALSE(row_parts(rotated, 0, 0, 1));  // with RoPE, the row is the token's embedding alone
  REQUIRE(row_parts(rotated, 1, 0, 1));
  CHECK(row_parts(rotated, 1, 0, 1)->place.empty());
  CHECK_FALSE(row_parts(run_of("bert"), 0, 0, 1));  // BERT normalises the sum
}

Scenario settled(const Network& network, Index layer) {
  Scenario scenario;
  network.take_rules(layer, scenario);
  return scenario;
}

TEST_CASE("a block adds its heads' parts, a bias and its MLP to a row, up to float32") {
  for (const char* name : {"gpt2", "llama", "gptj", "bert"}) {
    INFO(name);
    const NetworkRun run = run_of(name);
    const Network& network = *run.network;
    for (const Index layer : {Index{0}, Index{1}}) {
      const auto trace = compute(settled(network, layer), network.inputs_of(run, layer));
      const LayerRun& own = run.layers[static_cast<std::size_t>(layer)];
      const auto parts = block_parts(run, *trace, layer, 0, 2);
      REQUIRE(parts);
      CHECK(std::ssize(parts->heads) == trace->dims().heads);
      for (std::size_t c = 0; c < parts->before.size(); ++c) {
        const auto col = static_cast<Index>(c);
        const float added = own.added.matrix(0)(2, col), before = own.residual.matrix(0)(2, col);
        CHECK(parts->before[c] == before);
        float heads = 0;
        for (const std::vector<float>& head : parts->heads) heads += head[c];
        CHECK(heads + (parts->bias.empty() ? 0 : parts->bias[c]) == Approx(added).margin(1e-5));
        CHECK(parts->after[c] == Approx(before + added).margin(1e-5));
        if (parts->mlp.empty()) continue;
        const float leaves = layer == 0 ? run.layers[1].residual.matrix(0)(2, col) : run.final.matrix(0)(2, col);
        CHECK(parts->after[c] + parts->mlp[c] == Approx(leaves).margin(1e-5));
      }
      CHECK(parts->mlp.empty() == (std::string(name) == "bert"));  // in BERT a norm follows the sum
      CHECK(parts->normed == (std::string(name) == "bert"));
    }
  }
}

TEST_CASE("the rows of a token and of a position are found in their tables, with their neighbours") {
  const NetworkRun run = run_of("gpt2");
  const auto parts = row_parts(run, 0, 0, 2);
  REQUIRE(parts);
  const RowLookup found = row_lookup(run, 0, 0, 2, 1);
  CHECK(found.token == run.queries_of(0).entries[0][2].id);
  CHECK(found.place == 2);
  const auto row_in = [](const std::vector<TableRow>& table, Index number) {
    const auto row = std::ranges::find(table, number, &TableRow::number);
    REQUIRE(row != table.end());
    return row->numbers;
  };
  CHECK(row_in(found.words, found.token) == parts->word);
  CHECK(row_in(found.places, 2) == parts->place);
  CHECK(std::ranges::is_sorted(found.words, {}, &TableRow::number));
  for (const TableRow& row : found.words) {
    CHECK(std::abs(row.number - found.token) <= 1);
    CHECK(row.numbers == run.network->token_row(0, row.number));
  }
  CHECK(run.network->token_row(0, 1'000'000'000).empty());  // this id is past the end of the table
}

TEST_CASE("neurons of an MLP add up to its output and name the words that they raise") {
  const NetworkRun run = run_of("gpt2");
  const Network& network = *run.network;
  const auto trace = compute(settled(network, 1), network.inputs_of(run, 1));
  const auto parts = block_parts(run, *trace, 1, 0, 2);
  REQUIRE(parts);
  const NeuronsOfRow all = network.neurons_of(1, *parts, 1'000'000);
  CHECK(all.largest.size() == all.hidden.size());
  REQUIRE(!all.hidden.empty());
  CHECK(all.normed.size() == parts->after.size());
  const NeuronsOfRow some = network.neurons_of(1, *parts, 3);
  REQUIRE(some.largest.size() == 3);
  for (std::size_t n = 0; n < 3; ++n) {
    CHECK(some.largest[n].index == all.largest[n].index);
    CHECK(some.largest[n].activation == all.largest[n].activation);
    CHECK(some.largest[n].activation == all.hidden[static_cast<std::size_t>(some.largest[n].index)]);
    CHECK(some.largest[n].words.size() == 3);
    if (n > 0) CHECK(some.largest[n].added <= some.largest[n - 1].added);  // sorted by what they add
  }
}

TEST_CASE("a knocked-out head adds nothing, and later layers get the changed row") {
  const NetworkRun whole = run_of("gpt2");
  const NetworkRun without = run_of("gpt2", {.knock_out = whole.network->knock_out_of({{"0", 1}})});
  CHECK_THAT(without.layers[0].residual, agrees_with(whole.layers[0].residual));
  CHECK_THAT(without.layers[0].weights, agrees_with(whole.layers[0].weights));
  CHECK_THAT(without.layers[1].residual, !agrees_with(whole.layers[1].residual));
  const NetworkRun none = run_of("gpt2", {.knock_out = whole.network->knock_out_of({{"0", -1}})});
  const Tensor bias =
      open_arrays(networks::folder + "gpt2/model.safetensors")->load("transformer.h.0.attn.c_proj.bias");
  CHECK_THAT(none.layers[0].added, agrees_with(bias.view({1, 1, 12}).expand({2, 7, 12}).contiguous()));
  for (const HeadAddress& wrong : {HeadAddress{"0", 3}, {"2", 0}, {"x", -1}, {"decoder", 0}})
    CHECK_THROWS_AS(whole.network->knock_out_of({wrong}), SettingError);
  const auto t5 = open_network(networks::folder + "t5");
  CHECK(t5->knock_out_of({{"decoder", 1}}) == KnockOut{{3, 0}, {3, 1}, {3, 2}});
  CHECK(t5->knock_out_of({{"decoder.1", 2}}) == KnockOut{{3, 2}});
}

TEST_CASE("a run up to a layer computes nothing after the layer's input") {
  const NetworkRun whole = run_of("gpt2"), part = run_of("gpt2", {.until = 1});
  CHECK_THAT(part.layers[1].residual, agrees_with(whole.layers[1].residual));
  CHECK_FALSE(part.layers[1].weights.defined());
  CHECK_FALSE(part.logits.defined());
}

TEST_CASE("logits of only the last position equal those of a whole run") {
  const NetworkRun whole = run_of("llama"), last = run_of("llama", {.logits = RunOptions::Logits::last});
  CHECK_THAT(last.logits, agrees_with(whole.logits.slice(1, 6, 1).contiguous()));
}

TEST_CASE("another mask in the selected layer reuses a pass that ends there, another text does not") {
  const Copy copy("gpt2");
  Scenario scenario = copy.scenario();
  scenario.layer = "1";
  const auto first = compute_any(scenario);
  REQUIRE(network_of(first->inputs));
  CHECK(first->scenario.mask == "causal()");
  scenario.mask = "full()";
  const auto second = compute_any(scenario, first.get());
  CHECK(network_of(second->inputs) == network_of(first->inputs));
  CHECK(identical((*second)[Stage::Q], (*first)[Stage::Q]));
  CHECK_FALSE(identical((*second)[Stage::weights], (*first)[Stage::weights]));
  const bool said = std::ranges::any_of(second->inputs.assumptions, [](const Assumption& a) {
    return a.what == "changed" && a.taken_for.english().starts_with("mask: in this layer alone");
  });
  CHECK(said);
  scenario.text = "w3 w17 w6";
  CHECK(network_of(compute_any(scenario, second.get())->inputs) != network_of(first->inputs));
}

TEST_CASE(
    "what is changed in a layer goes on through the layers after it to the prediction, and computes none before it "
    "again") {
  const Copy copy("gpt2");
  Scenario scenario = copy.scenario();
  scenario.layer = "1";
  Run drawn;
  drawn.summary = Summary::whole;
  const auto pass_of = [&](const Trace& trace) { return network_of(trace.inputs); };
  const auto own = compute_any(scenario, nullptr, drawn);
  scenario.mask = "causal()";  // the model's own mask
  const auto same = compute_any(scenario, own.get(), drawn);
  CHECK_THAT(pass_of(*same)->logits, agrees_with(pass_of(*own)->logits));

  scenario.mask = "causal() && window(1)";
  const auto changed = compute_any(scenario, own.get(), drawn);
  const NetworkRun &before = *pass_of(*own), &after = *pass_of(*changed);
  CHECK(after.layers[0].weights.matrix().data == before.layers[0].weights.matrix().data);
  CHECK_THAT(after.layers[1].residual, agrees_with(before.layers[1].residual));
  CHECK_THAT(after.layers[1].weights, agrees_with((*changed)[Stage::weights]));
  CHECK_THAT(after.layers[1].added, agrees_with((*changed)[Stage::output]));
  CHECK(std::abs(after.logits.at({0, 2, 1}) - before.logits.at({0, 2, 1})) > 1e-3f);
  CHECK_THAT(
      after.logits,
      agrees_with(
          run_network(scenario, nullptr, {.summaries = true})->logits));  // the pass was computed again from its start

  scenario.layer = "0";  // the changed layer is the selected one
  const auto moved = compute_any(scenario, changed.get(), drawn);
  CHECK_THAT(pass_of(*moved)->layers[0].weights, agrees_with((*moved)[Stage::weights]));
  CHECK_THAT(pass_of(*moved)->logits, agrees_with(run_network(scenario, nullptr, {.summaries = true})->logits));
  scenario.mask.clear();
  CHECK_THAT(pass_of(*compute_any(scenario, moved.get(), drawn))->logits, agrees_with(before.logits));
}

TEST_CASE("predicted probabilities sum to one and are sorted from the largest") {
  const Copy copy("gpt2");
  const auto network = open_network(copy.path.string());
  const NetworkRun run = network->run(network->read("w3 w17 w5"), {});
  const auto likely = most_likely(run, 0, -1, 29);
  REQUIRE(likely.size() == 29);
  double sum = 0;
  for (std::size_t i = 0; i < likely.size(); ++i) {
    sum += likely[i].probability;
    CHECK(likely[i].probability <= likely[i == 0 ? 0 : i - 1].probability);
    CHECK(likely[i].text == "w" + std::to_string(likely[i].id));
  }
  CHECK(sum == Approx(1));
  CHECK(probability_of(run, 0, -1, likely[0].id) == Approx(likely[0].probability));
}

TEST_CASE("each of several lines of different lengths has the numbers that it has alone") {
  for (const std::string name : {"gpt2", "bert", "t5"}) {
    const Copy copy(name);
    const auto network = open_network(copy.path.string());
    const std::string end = name == "t5" ? " => w4 w5" : "";
    const NetworkRun both = network->run(network->read("w3 w17 w5 w9" + end + "\nw8 w2" + end), {});
    const NetworkRun alone = network->run(network->read("w8 w2" + end), {});
    const Index positions = alone.logits.size(1);
    CHECK_THAT(both.logits.slice(0, 1, 1).slice(1, 0, positions).contiguous(), agrees_with(alone.logits));
  }
}

TEST_CASE("a decoder generates the most likely token at each step") {
  const Copy copy("bart");
  const auto network = open_network(copy.path.string());
  const NetworkText text = network->read("w3 w17 w5");
  const NetworkRun run = network->run(text, {});
  for (Index i = 0; i + 1 < text.decoder.count(); ++i) {
    CHECK(most_likely(run, 0, i, 1)[0].id == text.decoder.entries[0][static_cast<std::size_t>(i + 1)].id);
  }
}

TEST_CASE("an output head in a file of its own beside the network is found") {
  const Copy nested("mistral");
  const auto spec_of = [](const fs::path& path) { return open_network(path.string())->spec(); };
  const std::string at = spec_of(nested.path).stacks.front().embedding.tokens;
  REQUIRE(at == "model.embed_tokens.weight");
  std::ostringstream whole;
  whole << std::ifstream(nested.path / "model.safetensors", std::ios::binary).rdbuf();
  const std::string bytes = whole.str();
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), 8);
  const std::uint64_t data = 8 + size;
  const json header = json::parse(bytes.substr(8, size));
  json under = json::object();
  for (const auto& [name, entry] : header.items()) under["net." + name] = entry;
  const std::string text = under.dump();
  size = text.size();
  std::ofstream out(nested.path / "model.safetensors", std::ios::binary);
  out.write(reinterpret_cast<const char*>(&size), 8) << text << bytes.substr(data);
  out.close();
  CHECK(spec_of(nested.path).head.output.weight == "net.lm_head.weight");
}

TEST_CASE("a faulty model is refused in one sentence that names the file") {
  {
    const Copy copy("gpt2");
    fs::remove(copy.path / "config.json");
    CHECK(copy.error().find("has no config.json") != std::string::npos);
  }
  {
    const Copy copy("gpt2");
    copy.set("model_type", "reformer");
    CHECK(copy.error().find("its model_type \"reformer\" is not known; expected one of gpt2") != std::string::npos);
  }
  {
    const Copy copy("llama");  // the names of attention layers in hybrid models
    copy.set("model_type", "jamba");
    CHECK(copy.error().find("\"jamba\" has layers of state spaces, which are not computed here") != std::string::npos);
    CHECK(copy.error().find("by --layer: model.layers.0.self_attn, model.layers.1.self_attn") != std::string::npos);
  }
  {
    const Copy copy("gpt2");
    copy.set("n_embd", 24);
    CHECK(copy.error().find("\"transformer.wte.weight\" has shape [29, 12]; expected [29, 24]") != std::string::npos);
  }
  {
    const Copy copy("llama");
    fs::remove(copy.path / "model-00002-of-00003.safetensors");
    CHECK(copy.error().find("names the shard \"model-00002-of-00003.safetensors\", which is not beside it") !=
          std::string::npos);
  }
  {
    const Copy copy("gpt2");
    copy.write_tokenizer(40);
    CHECK(copy.error().find("has 40 tokens, but the token embedding 29 rows") != std::string::npos);
  }
  {
    const Copy copy("gpt2");
    CHECK(sentence_of([&] {
            compute_any(copy.scenario("w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11"));
          }).find("has 11 tokens; expected at most 10") != std::string::npos);
  }
  {
    const Copy copy("llama");
    copy.set("quantization_config", {{"quant_method", "gptq"}, {"bits", 4}});
    CHECK(copy.error().find("quantised by gptq") != std::string::npos);
  }
}

TEST_CASE("an option of a family that is not computed is refused by name") {
  const auto refused = [](const char* name, const char* field, const json& value, const char* said) {
    const Copy copy(name);
    copy.set(field, value);
    INFO(name << ": " << copy.error());
    CHECK(copy.error().find(said) != std::string::npos);
  };
  refused("llama", "quantization_config", {{"quant_method", "awq"}}, "quantised by awq");
  refused("deepseek_v3", "quantization_config", {{"quant_method", "fp8"}}, "quantised by fp8");
  refused("deepseek_v3", "quantization_config", nullptr, "its dtype \"F8_E4M3\" is not read");
  refused("deepseek_v3", "quantization_config", {{"quant_method", "fp8"}, {"weight_block_size", {4, 8}}},
          "one for each block of the weight");
  refused("deepseek_v3", "kv_lora_rank", 1000000000, "which the file cannot hold");
  refused("deepseek_v3", "kv_lora_rank", 9, "expected [13, 16]");
  refused("deepseek_v3", "n_group", 4, "chooses 2 of 4 groups of its 6 experts");
  refused("deepseek_v3", "num_experts_per_tok", 5, "expected 1 to 4");
  refused("deepseek_v3", "n_routed_experts", 7, "has shape [6]; expected [7]");
  refused("deepseek_v2", "topk_method", "noaux_free", "its topk_method is noaux_free");
  refused("deepseek_v2", "norm_topk_prob", true, "its norm_topk_prob is true");
  refused("deepseek_v2", "v_head_dim", 0, "a v_head_dim of 0");
  refused("gpt_oss_packed", "num_local_experts", 4, "expected [4, 32]");
  refused("deberta2", "conv_kernel_size", 3, "its conv_kernel_size is 3, which is not computed here");
  refused("deberta2", "relative_attention", false, "its relative_attention is false");
  refused("deberta2", "position_buckets", 3, "has 3 position_buckets for distances up to 12");
  refused("deberta2", "max_relative_positions", 3, "has 4 position_buckets for distances up to 3");
  refused("olmo", "clip_qkv", 8, "its clip_qkv is 8, which is not computed here");
  refused("phi", "qk_layernorm", true, "its qk_layernorm is true, which is not computed here");
  refused("cohere2", "position_embedding_type", "absolute", "its position_embedding_type is \"absolute\"");
  refused("albert", "inner_group_num", 2, "its inner_group_num is 2");
  refused("granitemoe", "num_experts_per_tok", 9, "expected 1 to 5");
  refused("olmo3", "layer_types", json::array({"full_attention"}), "expected one for each of 4");
}

TEST_CASE("the published Gemma 3 is opened as its text model, with a note that its pictures are not read") {
  const Copy copy("gemma3_published");
  const NetworkSpec spec = open_network(copy.path.string())->spec();
  CHECK(std::ranges::count(spec.notes, "its vision tower is not used: text alone is computed") == 1);
  CHECK(spec.stacks.front().blocks.front().attention.name == "language_model.model.layers.0.self_attn");
  CHECK(spec.end_token == 1);
  for (const char* family : {"clip", "siglip"}) {  // of these the image tower is read
    const std::vector<Message> notes = open_network(networks::folder + family)->spec().notes;
    CHECK(std::ranges::count(notes, "its vision tower is not used: text alone is computed") == 0);
  }
}

TEST_CASE("rope_parameters mean the same as the older fields, for all layers or for each kind") {
  const auto logits_of = [](const Copy& copy) { return run_network(copy.scenario("w3 w17 w5 w28 w0"))->logits; };
  Copy neox("gpt_neox");
  const Tensor by_share = logits_of(neox);
  neox.set("rotary_pct", nullptr);
  neox.set("rotary_emb_base", nullptr);
  neox.set("rope_parameters", {{"rope_type", "default"}, {"rope_theta", 5000.0}, {"partial_rotary_factor", 0.5}});
  CHECK_THAT(logits_of(neox), agrees_with(by_share));

  Copy gemma("gemma3");
  const Tensor by_layer = logits_of(gemma);
  for (const char* older : {"rope_theta", "rope_local_base_freq", "rope_scaling"}) gemma.set(older, nullptr);
  const json local{{"rope_type", "default"}, {"rope_theta", 100.0}},
      far{{"rope_type", "linear"}, {"factor", 8.0}, {"rope_theta", 1000.0}};
  gemma.set("rope_parameters", {{"sliding_attention", local}, {"full_attention", far}});
  CHECK_THAT(logits_of(gemma), agrees_with(by_layer));
  gemma.set("rope_parameters", {{"full_attention", far}});
  CHECK(gemma.error().find("no sliding_attention") != std::string::npos);
}

TEST_CASE("weights of a checkpoint that config.json does not account for are named, buffers are not") {
  const auto said = [](const Copy& copy) {
    std::string all;
    const auto trace = compute_any(copy.scenario());
    for (const Assumption& a : trace->inputs.assumptions) all += a.taken_for.english() + "\n";
    return all;
  };
  Copy gpt2("gpt2");  // its file contains causal masks
  CHECK(said(gpt2).find("not used") == std::string::npos);
  std::ofstream(gpt2.path / "adapter_config.json") << "{}";
  CHECK_THAT(said(gpt2), ContainsSubstring("adapter beside the weights is not applied"));
  gpt2.set("n_layer", 1);
  CHECK_THAT(said(gpt2), ContainsSubstring("not used: \"transformer.h.1."));
  Copy qwen3("qwen3");
  CHECK(said(qwen3).find("not used") == std::string::npos);
  qwen3.set("model_type", "llama");
  qwen3.set("use_sliding_window", nullptr);
  qwen3.set("max_window_layers", nullptr);
  CHECK(said(qwen3).find("_norm.weight\" and 3 more") != std::string::npos);
  qwen3.set("rope_theta", -1);
  CHECK(qwen3.error().find("rope_theta is -1") != std::string::npos);
}

TEST_CASE("an unknown field of config.json that would change attention is refused by name, a harmless one ignored") {
  {
    const Copy copy("llama");
    copy.set("attention_temperature_tuning", 4);
    CHECK(copy.error().find("attention_temperature_tuning") != std::string::npos);
  }
  {
    const Copy copy("llama");
    copy.set("rope_scaling", {{"rope_type", "longrope"}, {"factor", 4}});
    CHECK(copy.error().find("long_factor") != std::string::npos);
    const Index pairs = static_cast<Index>(open_network(networks::folder + std::string("llama"))
                                               ->spec()
                                               .stacks[0]
                                               .blocks[0]
                                               .attention.rope.frequencies.size());
    const std::vector<double> ones(static_cast<std::size_t>(pairs), 1.0), twos(static_cast<std::size_t>(pairs), 2.0);
    copy.set("rope_scaling", {{"rope_type", "longrope"},
                              {"original_max_position_embeddings", 4},
                              {"short_factor", ones},
                              {"long_factor", twos},
                              {"short_mscale", 1.25},
                              {"long_mscale", 1.5}});
    const auto stretched = open_network(copy.path.string());
    const RopeSpec& rope = stretched->spec().stacks[0].blocks[0].attention.rope;
    CHECK(rope.gain == 1.25);  // Phi-3.5-MoE scales cos and sin differently within and beyond the original length
    CHECK(rope.long_gain == 1.5);
    copy.set("rope_scaling", {{"rope_type", "spiral"}, {"factor", 4}});
    CHECK(copy.error().find("\"spiral\"") != std::string::npos);
  }
  {
    const Copy copy("bert");
    copy.set("position_embedding_type", "relative_key");
    CHECK(copy.error().find("position_embedding_type") != std::string::npos);
  }
  {
    const Copy copy("llama");
    copy.set("transformers_version", "9.9");
    copy.set("favourite_colour", "green");
    const auto trace = compute_any(copy.scenario());
    const bool said = std::ranges::any_of(trace->inputs.assumptions, [](const Assumption& a) {
      return a.taken_for.english().find("not used: \"favourite_colour\"") != std::string::npos;
    });
    CHECK(said);
  }
}

TEST_CASE("a network without layers is refused before its arrays are read") {
  for (const char* field : {"n_layer", "num_hidden_layers"}) {
    const std::string name = std::string(field) == "n_layer" ? "gpt2" : "llama";
    const Copy copy(name);
    copy.set(field, 0);
    CHECK(sentence_of([&] { (void)open_network(copy.path.string()); }).find("no layers; expected at least one") !=
          std::string::npos);
  }
}

TEST_CASE(
    "a model is opened by its folder, a file in it, a shard or a cache of Hugging Face's, and what was taken is said") {
  const samples::TempFolder scratch;
  const std::filesystem::path hub = scratch / "hub", cache = hub / "models--org--small";
  const std::filesystem::path snapshot = cache / "snapshots" / "3f2a";
  std::filesystem::create_directories(snapshot);
  std::filesystem::create_directories(cache / "snapshots" / "older");
  std::filesystem::create_directories(cache / "refs");
  samples::write_text(cache / "refs" / "main", "3f2a");
  for (const char* file : {"config.json", "model.safetensors"})
    std::filesystem::copy(networks::folder + "gpt2/" + file, snapshot / file);
  for (const std::filesystem::path& named :
       {scratch / "", hub, cache, snapshot, snapshot / "config.json", snapshot / "model.safetensors"}) {
    INFO(named);
    const auto network = open_network(named.string());
    CHECK(network->title() == open_network(networks::folder + "gpt2")->title());
    const bool says = !network->spec().notes.empty() &&
                      network->spec().notes.front().english().starts_with("opened ") &&
                      network->spec().notes.front().english().find("3f2a") != std::string::npos;
    CHECK(says == (named != snapshot && named != snapshot / "model.safetensors"));
  }
  CHECK(is_model_folder((snapshot / "config.json").string()));
  CHECK_FALSE(is_model_folder((cache / "config.json").string()));
  samples::write_text(cache / "refs" / "main", "gone");
  CHECK(samples::has(samples::sentence_of([&] { open_network(cache.string()); }),
                     "its refs name none of them; expected one of 3f2a, older"));
  std::filesystem::create_directories(hub / "models--org--other");
  CHECK(samples::has(samples::sentence_of([&] { open_network(hub.string()); }),
                     "holds 2 models; expected one of models--org--other, models--org--small"));
}
