// GGUF: blocks of quantised weights, and files with a network and its tokenizer (tests/fixtures/make_gguf.py).
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include <nlohmann/json.hpp>

#include "core/base/arrays/array_file.h"
#include "core/base/tensor/error.h"
#include "core/compute/network/network_trace.h"
#include "core/models/architecture/architectures.h"
#include "core/models/tokenizer/tokenizer.h"
#include "tests/core/files/samples.h"
#include "tests/core/network/networks.h"
#include "tests/matchers.h"
#include "tests/places.h"

using namespace headlight;

namespace {

std::string gguf_file(const std::string& name) { return places::fixtures() + "/gguf/" + name + ".gguf"; }

/// Fields that a GGUF file does not have, with the values that llama.cpp uses.
const std::map<std::string, nlohmann::json>& llama_cpp_defaults() {
  static const std::map<std::string, nlohmann::json> fields{
      {"qwen2", {{"use_sliding_window", false}}},
      {"gpt_oss", {{"swiglu_limit", 7}}},
      {"deepseek_v2",
       {{"rope_scaling",
         {{"type", "yarn"},
          {"factor", 40},
          {"original_max_position_embeddings", 4096},
          {"mscale", 1.2},
          {"mscale_all_dim", 1.2}}}}},
      {"gemma2", {{"query_pre_attn_scalar", 8}}},
      {"gemma3", {{"query_pre_attn_scalar", 8}, {"sliding_window_pattern", 6}, {"rope_local_base_freq", 10000}}}};
  return fields;
}

}  // namespace

TEST_CASE("every kind of block stands for the numbers that its description gives, to the bit, whole and row by row") {
  const auto file = open_arrays(gguf_file("blocks"));
  const auto expected = open_arrays(places::fixtures() + "/gguf/blocks.npz");
  CHECK(expected->entries().size() == 12);
  for (const ArrayEntry& entry : expected->entries()) {
    INFO(entry.name);
    const Tensor wanted = expected->load(entry.name);
    CHECK(std::ranges::equal(file->load(entry.name).values(), wanted.values()));
    const Index second = 1;
    CHECK(
        std::ranges::equal(file->load_rows(entry.name, std::span(&second, 1)).values(), wanted.values().subspan(256)));
  }
}

TEST_CASE("a network read from a GGUF file has PyTorch's weights and logits") {
  for (const std::string name :
       {"llama", "llama3", "qwen3", "gemma", "phi3", "gpt2", "mixtral", "qwen2_moe", "deepseek_v3"}) {
    INFO(name);
    const auto network = open_network(gguf_file(name));
    const auto expected = open_arrays(networks::folder + name + "/expected.npz");
    const NetworkRun run = network->run(networks::text_of(*network, *expected), {});
    for (std::size_t i = 0; i < run.layers.size(); ++i)
      CHECK_THAT(run.layers[i].weights, agrees_with(expected->load("weights." + network->layers()[i].layer)));
    CHECK(networks::excess(run.logits, expected->load("logits")) <= 0);
  }
}

TEST_CASE("fields that a GGUF file does not have get llama.cpp's values") {
  for (const auto& [name, fields] : llama_cpp_defaults()) {
    INFO(name);
    const samples::TempFolder folder;
    std::filesystem::copy(networks::folder + name, folder / name);
    auto config = nlohmann::json::parse(places::text_of(networks::folder + name + "/config.json"));
    config.update(fields);
    samples::write_text(folder / name / "config.json", config.dump());
    const auto network = open_network(gguf_file(name)), same = open_network((folder / name).string());
    const auto ids = open_arrays(networks::folder + name + "/expected.npz");
    const NetworkRun run = network->run(networks::text_of(*network, *ids), {});
    const NetworkRun expected = same->run(networks::text_of(*same, *ids), {});
    CHECK(networks::excess(run.logits, expected.logits) <= 0);
  }
}

TEST_CASE("the tokenizer that a GGUF file holds gives Hugging Face's ids") {
  const auto expected = nlohmann::json::parse(places::text_of(places::fixtures() + "/tokenizers/expected.json"));
  for (const std::string name : {"gpt2", "llama3", "qwen2", "llama2"}) {
    const auto splitter = find_tokenizer(gguf_file("tokenizer_" + name));
    REQUIRE(splitter);
    for (std::size_t i = 0; i < expected["lines"].size(); ++i) {
      const std::string line = expected["lines"][i];
      INFO(name << ": " << line);
      std::vector<Index> ids;
      for (const Token& token : splitter->split(line)) ids.push_back(token.id);
      CHECK(ids == expected["ids"][name][i].get<std::vector<Index>>());
    }
  }
}

TEST_CASE("a GGUF file that is cut anywhere, or of another version, is refused with a sentence") {
  const std::string whole = samples::read_bytes(gguf_file("tokenizer_gpt2"));
  const samples::TempFolder folder;
  const auto refused = [&](const std::string& bytes) {
    samples::write_text(folder / "cut.gguf", bytes);
    return samples::sentence_of([&] { open_network((folder / "cut.gguf").string()); });
  };
  for (std::size_t end = 4; end < whole.size(); end += 61) CHECK(refused(whole.substr(0, end)) != "no error");
  std::string other = whole;
  other[4] = 9;
  CHECK(samples::has(refused(other), "is GGUF of version 9; expected version 2 or 3, little-endian"));
  other = whole;
  other[8 + 7] = 127;  // an impossible number of tensors
  CHECK(refused(other) != "no error");
}

TEST_CASE("an architecture and a type of block that are not known are refused by name") {
  const std::string whole = samples::read_bytes(gguf_file("llama"));
  const samples::TempFolder folder;
  const auto refused = [&](const std::string& bytes) {
    samples::write_text(folder / "other.gguf", bytes);
    return samples::sentence_of([&] { open_network((folder / "other.gguf").string()); });
  };
  std::string other = whole;
  for (std::size_t at = other.find("llama"); at != std::string::npos; at = other.find("llama", at))
    other.replace(at, 5, "mamba");
  CHECK(samples::has(refused(other), "its architecture \"mamba\" is not known; expected one of llama,"));
  other = whole;
  const std::string name = "token_embd.weight";
  other[other.find(name) + name.size() + 4 + 2 * 8] = 99;  // the type is after the number of axes and two sizes
  CHECK(samples::has(refused(other), "is of ggml's type 99, which is not read here"));
}
