// The rules in a layer's own file give the same attention as the layer inside its network.
#include <filesystem>

#include "core/base/arrays/array_file.h"
#include "core/base/arrays/array_write.h"
#include "core/base/tensor/error.h"
#include "core/base/tensor/sampler.h"
#include "core/compute/network/network.h"
#include "core/compute/run/pipeline.h"
#include "tests/core/network/networks.h"
#include "tests/matchers.h"

using namespace headlight;

namespace {

struct File {
  explicit File(const std::vector<NamedArray>& arrays)
      : path(std::filesystem::temp_directory_path() / "headlight_file_rules_test.npz") {
    write_npz(path, arrays);
  }
  ~File() { std::filesystem::remove(path); }
  std::filesystem::path path;
};

/// The arrays of one layer of a fixture as a file of its own, with its input as x.
std::vector<NamedArray> layer_alone(const std::string& name, Index layer,
                                    std::initializer_list<std::pair<const char*, const char*>> renamed,
                                    std::shared_ptr<const NetworkRun>& run) {
  const auto network = open_network(networks::folder + name);
  run = std::make_shared<const NetworkRun>(
      network->run(networks::text_of(*network, *open_arrays(networks::folder + name + "/expected.npz")), {}));
  const auto file = open_arrays(networks::folder + name + "/model.safetensors");
  const std::string prefix = network->layers()[static_cast<std::size_t>(layer)].name + ".";
  std::vector<NamedArray> arrays{{"x", network->inputs_of(*run, layer).query}};
  for (const auto& [from, to] : renamed)
    arrays.push_back({to, file->load((file->find(prefix + from) ? prefix : "") + from)});
  arrays.push_back(
      {"num_heads", Tensor({1}, {static_cast<float>(network->layers()[static_cast<std::size_t>(layer)].heads)})});
  arrays.push_back(
      {"num_kv_heads", Tensor({1}, {static_cast<float>(network->layers()[static_cast<std::size_t>(layer)].kv_heads)})});
  return arrays;
}

/// A layer of T5 with two heads and this prefix, for n tokens of 8 numbers.
std::vector<NamedArray> t5_layer(const std::string& prefix, Index n) {
  const Index d = 8;
  std::vector<NamedArray> arrays;
  for (const char* name : {"q.weight", "k.weight", "v.weight", "o.weight"})
    arrays.push_back({prefix + name, Sampler(2, name).normal({d, d})});
  arrays.push_back({"x", Sampler(2, "x").normal({1, n, d})});
  arrays.push_back({"num_heads", Tensor({1}, {2})});
  return arrays;
}

Scenario of(const File& file) {
  Scenario s;
  s.source = Source::file;
  s.file = file.path.string();
  return s;
}

bool says(const Trace& trace, const std::string& what) {
  for (const Assumption& assumption : trace.inputs.assumptions) {
    if (assumption.what == what) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("q_norm and k_norm of a file are applied to each head, or to all together, as their size says") {
  for (const char* name : {"qwen3", "olmo2"}) {
    INFO(name);
    std::shared_ptr<const NetworkRun> run;
    const File file(layer_alone(name, 1,
                                {{"q_proj.weight", "q_proj.weight"},
                                 {"k_proj.weight", "k_proj.weight"},
                                 {"v_proj.weight", "v_proj.weight"},
                                 {"o_proj.weight", "o_proj.weight"},
                                 {"q_norm.weight", "q_norm.weight"},
                                 {"k_norm.weight", "k_norm.weight"}},
                                run));
    Scenario s = of(file);
    s.rope = Rope::half;
    s.mask = "causal()";
    const auto trace = compute(s, nullptr, {});
    CHECK(says(*trace, "QK-norm"));
    CHECK_THAT((*trace)[Stage::weights], agrees_with(run->layers[1].weights));
    const auto again = compute(s, trace.get(), {});
    CHECK(identical((*again)[Stage::weights], (*trace)[Stage::weights]));
    s.qk_norm = QkNorm::rms;  // the user's setting ignores the file's weights
    CHECK_THAT((*compute(s, nullptr, {}))[Stage::weights], !agrees_with(run->layers[1].weights));
  }
}

TEST_CASE("a q_norm that fits no head is refused by name") {
  std::shared_ptr<const NetworkRun> run;
  std::vector<NamedArray> arrays = layer_alone("qwen3", 0,
                                               {{"q_proj.weight", "q_proj.weight"},
                                                {"k_proj.weight", "k_proj.weight"},
                                                {"v_proj.weight", "v_proj.weight"},
                                                {"o_proj.weight", "o_proj.weight"},
                                                {"k_norm.weight", "k_norm.weight"}},
                                               run);
  CHECK_THROWS_AS(compute(of(File(arrays)), nullptr, {}), FileError);
  arrays.push_back({"q_norm.weight", Tensor::full({3}, 1)});
  CHECK_THROWS_AS(compute(of(File(arrays)), nullptr, {}), FileError);
}

TEST_CASE("sinks of a file take their share of every row") {
  const Index d = 8, n = 4;
  std::vector<NamedArray> arrays;
  for (const char* name : {"q_proj.weight", "k_proj.weight", "v_proj.weight"})
    arrays.push_back({name, Sampler(1, name).normal({d, d})});
  arrays.push_back({"x", Sampler(1, "x").normal({1, n, d})});
  arrays.push_back({"num_heads", Tensor({1}, {2})});
  const auto without = compute(of(File(arrays)), nullptr, {});
  arrays.push_back({"sinks", Tensor({2}, {0.5F, 2.0F})});
  const auto trace = compute(of(File(arrays)), nullptr, {});
  CHECK(says(*trace, "sinks"));
  for (Index h = 0; h < 2; ++h) {
    for (Index q = 0; q < n; ++q) {
      double all = std::exp(h == 0 ? 0.5 : 2.0);
      for (Index k = 0; k < n; ++k)
        all += std::exp(static_cast<double>((*without)[Stage::scaled_scores].at({0, h, q, k})));
      for (Index k = 0; k < n; ++k)
        CHECK((*trace)[Stage::weights].at({0, h, q, k}) ==
              Approx(std::exp(static_cast<double>((*without)[Stage::scaled_scores].at({0, h, q, k}))) / all)
                  .epsilon(1e-4));
    }
  }
}

TEST_CASE("a table of relative positions has as many buckets as rows, not always T5's 32") {
  const Index n = 6;
  std::vector<NamedArray> arrays = t5_layer("decoder.block.0.layer.0.SelfAttention.", n);
  const auto without = compute(of(File(arrays)), nullptr, {});
  const Tensor table = Sampler(2, "table").normal({12, 2});
  arrays.push_back({"decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight", table});
  const File file(arrays);
  const auto trace = compute(of(file), nullptr, {});
  CHECK(says(*trace, "bias"));
  for (Index q = 0; q < n; ++q) {
    for (Index k = 0; k <= q; ++k) {  // of 12 buckets the first 6 are the distance itself
      CHECK((*trace)[Stage::biased_scores].at({0, 1, q, k}) ==
            Approx((*without)[Stage::scaled_scores].at({0, 1, q, k}) + table.at({q - k, 1})).epsilon(1e-4));
    }
  }
}

TEST_CASE("a table of relative positions in a layer's file is added to its scores") {
  const Index n = 5;
  std::vector<NamedArray> arrays = t5_layer("encoder.block.1.layer.0.SelfAttention.", n);
  const auto without = compute(of(File(arrays)), nullptr, {});
  const Tensor table = Sampler(2, "table").normal({32, 2});
  arrays.push_back({"encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight", table});
  const File file(arrays);
  const auto trace = compute(of(file), nullptr, {});
  CHECK(says(*trace, "bias"));
  // Raffel et al. 2020: the first 8 of 16 buckets are the distance itself; for later keys the bucket is 16 more.
  for (Index h = 0; h < 2; ++h) {
    for (Index q = 0; q < n; ++q) {
      for (Index k = 0; k < n; ++k) {
        const Index bucket = k > q ? 16 + (k - q) : q - k;
        CHECK((*trace)[Stage::biased_scores].at({0, h, q, k}) ==
              Approx((*without)[Stage::scaled_scores].at({0, h, q, k}) + table.at({bucket, h})).epsilon(1e-4));
      }
    }
  }
}

TEST_CASE("a layer with T5's names has scale 1 without a config.json, unless a setting or the file gives one") {
  const auto scale_of = [](const std::string& prefix, bool table, std::optional<float> in_file = {},
                           std::optional<float> set = {}) {
    std::vector<NamedArray> arrays = t5_layer(prefix, 3);
    if (table) arrays.push_back({prefix + "relative_attention_bias.weight", Sampler(2, "table").normal({32, 2})});
    if (in_file) arrays.push_back({"scale", Tensor({1}, {*in_file})});
    const File file(arrays);
    Scenario scenario = of(file);
    scenario.scale = set;
    const auto trace = compute(scenario, nullptr, {});
    return (*trace)[Stage::scaled_scores].at({0, 0, 0, 0}) / (*trace)[Stage::scores].at({0, 0, 0, 0});
  };
  CHECK(scale_of("", true) == Approx(1));
  CHECK(scale_of("encoder.block.1.layer.0.SelfAttention.", false) == Approx(1));
  CHECK(scale_of("decoder.block.1.layer.1.EncDecAttention.", false) == Approx(1));
  CHECK(scale_of("", true, 0.25F) == Approx(0.25));
  CHECK(scale_of("", true, {}, 3.F) == Approx(3));
  CHECK(scale_of("", false) == Approx(0.5));  // 1/√d_head, because the names q, k and v alone do not mean T5
}

namespace {

/// A folder with config.json and one attention of a vision transformer: two heads, n tokens of 8 numbers.
struct PictureLayer {
  PictureLayer(const char* config, const std::string& prefix, const std::string& output, const std::string& table,
               const Tensor& numbers, Index n) {
    std::vector<NamedArray> arrays{{"x", Sampler(3, "x").normal({1, n, 8})}, {prefix + table, numbers}};
    for (const char* name : {"query.weight", "key.weight", "value.weight"})
      arrays.push_back({prefix + name, Sampler(3, name).normal({8, 8})});
    arrays.push_back({output + ".weight", Sampler(3, "o").normal({8, 8})});
    write_npz(folder / "model.npz", arrays);
    samples::write_text(folder / "config.json", config);
    scenario.source = Source::file;
    scenario.file = (folder / "model.npz").string();
    scenario.layer = prefix.substr(0, prefix.size() - 1);
  }
  /// The bias that is added to a score.
  float added(const Trace& trace, Index head, Index q, Index k) const {
    return trace[Stage::biased_scores].at({0, head, q, k}) - trace[Stage::scaled_scores].at({0, head, q, k});
  }
  samples::TempFolder folder;
  Scenario scenario;
};

}  // namespace

TEST_CASE("a layer of Swin has its stage's heads and its window's bias table, and a note about the window") {
  const Tensor table = Sampler(4, "table").normal({9, 2});
  const std::string at = "swin.encoder.layers.1.blocks.0.attention.";
  const PictureLayer swin(R"({"model_type": "swin", "num_heads": [1, 2], "depths": [2, 2], "window_size": 2})",
                          at + "self.", at + "output.dense", "relative_position_bias_table", table, 4);
  const auto trace = compute(swin.scenario, nullptr, {});
  CHECK(trace->dims().heads == 2);
  for (const Assumption& each : trace->inputs.assumptions)
    CHECK(each.what != "mask");  // window_size is the side of a square, not a sliding window
  // Liu et al. 2021: the index is the difference of rows, then of columns, each from −1 to 1.
  for (Index q = 0; q < 4; ++q) {
    for (Index k = 0; k < 4; ++k) {
      const Index row = (q / 2 - k / 2 + 1) * 3 + q % 2 - k % 2 + 1;
      CHECK(swin.added(*trace, 1, q, k) == Approx(table.at({row, 1})).margin(1e-5));
    }
  }
  const std::string said = samples::sentence_of([&] { open_network(swin.folder.path().string()); });
  CHECK(samples::has(said, "a network of model_type \"swin\" is not run as a whole"));
  CHECK(samples::has(said, "model.npz in place of the folder, with --layer"));
}

TEST_CASE("a layer of BEiT has its table of relative positions, with three more rows for cls") {
  const Tensor table = Sampler(4, "table").normal({12, 2});
  const std::string at = "beit.encoder.layer.0.attention.";
  const char* config = R"({"model_type": "beit", "num_attention_heads": 2, "num_hidden_layers": 1, "hidden_size": 8})";
  const std::string name = "relative_position_bias.relative_position_bias_table";
  const PictureLayer beit(config, at + "attention.", at + "output.dense", name, table, 5);
  const auto trace = compute(beit.scenario, nullptr, {});
  for (Index q = 0; q < 5; ++q) {
    for (Index k = 0; k < 5; ++k) {
      const Index i = q - 1, j = k - 1, between = (i / 2 - j / 2 + 1) * 3 + i % 2 - j % 2 + 1;
      const Index row = q == 0 && k == 0 ? 11 : q == 0 ? 9 : k == 0 ? 10 : between;
      CHECK(beit.added(*trace, 0, q, k) == Approx(table.at({row, 0})).margin(1e-5));
    }
  }
  const PictureLayer wrong(config, at + "attention.", at + "output.dense", name, table, 4);
  CHECK(samples::has(samples::sentence_of([&] { compute(wrong.scenario, nullptr, {}); }),
                     "expected 5 tokens, cls and 2 x 2 patches"));
}

TEST_CASE(
    "a layer without a mask in its file is noted with its model's own: a window, or chunks, that are shorter than it") {
  const std::string at = "model.layers.0.self_attn.";
  std::vector<NamedArray> arrays{{"hidden_states", Sampler(3, "x").normal({1, 6, 8})}};
  for (const char* name : {"q_proj.weight", "k_proj.weight", "v_proj.weight", "o_proj.weight"})
    arrays.push_back({at + name, Sampler(3, name).normal({8, 8})});
  const auto noted = [&](const std::string& rule) {
    const samples::TempFolder folder;
    write_npz(folder / "model.npz", arrays);
    samples::write_text(folder / "config.json",
                        R"({"num_attention_heads": 2, "num_hidden_layers": 1, "hidden_size": 8, )" + rule + "}");
    Scenario scenario;
    scenario.source = Source::file;
    scenario.file = (folder / "model.npz").string();
    for (const Assumption& each : resolve(scenario).assumptions) {
      if (each.what == "mask") return each.taken_for.english();
    }
    return std::string();
  };
  const std::string llama4 = R"("model_type": "llama4_text", "use_qk_norm": false, "attention_chunk_size": )",
                    own = "none is in the file; the model's own is --mask ";
  CHECK(noted(llama4 + "4") == own + "\"causal() && chunked(4)\"");
  CHECK(noted(llama4 + "6") == own + "\"causal()\"");
  CHECK(noted(R"("model_type": "mistral", "sliding_window": 3)") == own + "\"causal() && window(3)\"");
  CHECK(noted(R"("model_type": "mistral", "sliding_window": 6)") == own + "\"causal()\"");
}
