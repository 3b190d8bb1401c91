// Text through a model's own tokenizer and embedding, compared with PyTorch and an independent tokenizer
// (tests/fixtures/make_model_files.py).
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "core/models/tokenizer/tokenizer.h"
#include "core/scenario/inputs/file_source.h"
#include "tests/core/files/samples.h"
#include "tests/matchers.h"
#include "tests/places.h"

using namespace headlight;

namespace {

const char* const lines[] = {"The cat's 2 hats  don't fit!", "Café naïve, the unhappiest cat",
                             "猫 sat — 42nd\u00a0time"};
const std::string models = places::fixtures() + "/models/";

Scenario of_text(const std::string& model, const std::string& layer, const std::string& text) {
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = models + model + "/pytorch_model.bin";
  scenario.layer = layer;
  scenario.text_as_input = true;
  scenario.text = text;
  return scenario;
}

std::vector<float> ids_of(const TokenSplitter& splitter, const char* line) {
  std::vector<float> ids;
  for (const Token& token : splitter.split(line)) ids.push_back(static_cast<float>(token.id));
  return ids;
}

std::vector<std::string> texts_of(const TokenSplitter& splitter, const char* line) {
  std::vector<std::string> texts;
  for (const Token& token : splitter.split(line)) texts.push_back(token.text);
  return texts;
}

std::string all_said(const Inputs& inputs) {
  std::string said;
  for (const Assumption& assumption : inputs.assumptions)
    said += assumption.what + ": " + assumption.taken_for.english() + "\n";
  return said;
}

std::string error_of(const Scenario& scenario) {
  return samples::sentence_of([&] { resolve(scenario); });
}

}  // namespace

TEST_CASE("the tokenizers of GPT-2 and BERT give the ids of an independent implementation") {
  const auto expected = open_arrays(models + "text.npz");
  const auto pairs = open_tokenizer(models + "gpt2/pytorch_model.bin");
  const auto pieces = open_tokenizer(models + "bert/pytorch_model.bin");
  for (int i = 0; i < 3; ++i) {
    INFO(lines[i]);
    const Tensor gpt2 = expected->load(std::to_string(i) + ".gpt2.ids"),
                 bert = expected->load(std::to_string(i) + ".bert.ids");
    CHECK(ids_of(*pairs, lines[i]) == std::vector<float>(gpt2.values().begin(), gpt2.values().end()));
    CHECK(ids_of(*pieces, lines[i]) == std::vector<float>(bert.values().begin(), bert.values().end()));
  }
  CHECK(texts_of(*pairs, "the cat")[1] == "␣cat");
  CHECK(texts_of(*pieces, "Cats unhappi") == std::vector<std::string>{"[CLS]", "cat", "##s", "un", "##happi", "[SEP]"});
  CHECK(texts_of(*pieces, "catz") == std::vector<std::string>{"[CLS]", "[UNK]", "[SEP]"});
}

TEST_CASE(
    "an attention of a model gets the text's embedding, after the norm that stands before it, as PyTorch has it") {
  const auto expected = open_arrays(models + "text.npz");
  for (int i = 0; i < 3; ++i) {
    const auto check = [&](const std::string& model, const std::string& layer, const std::string& name) {
      INFO(model << " " << layer << " " << lines[i]);
      const Tensor x = expected->load(std::to_string(i) + "." + name);
      CHECK_THAT(resolve(of_text(model, layer, lines[i])).query, agrees_with(x.view({1, x.size(0), x.size(1)})));
    };
    check("gpt2", "h.0", "gpt2.0");
    check("gpt2", "h.1", "gpt2.1");
    check("llama", "model.layers.1", "llama.1");
    check("bert", "encoder.layer.0", "bert.0");
  }
}

TEST_CASE("a note says what the input of a layer is, and what is missing for a later layer") {
  const std::string first = all_said(resolve(of_text("gpt2", "h.0", "the cat")));
  CHECK(first.find("vocab.json and merges.txt") != std::string::npos);
  CHECK(first.find("wte.weight + wpe.weight, then h.0.ln_1; what layer 0 gets in the model") != std::string::npos);
  CHECK(first.find("not computed") == std::string::npos);
  CHECK(all_said(resolve(of_text("gpt2", "h.1", "the cat")))
            .find("layer 1 gets the output of the layers before it in the model, which are not computed here") !=
        std::string::npos);
  const std::string rotated = all_said(resolve(of_text("llama", "model.layers.0", "the cat")));
  CHECK(rotated.find("RoPE by halves") != std::string::npos);
  CHECK(rotated.find("--rope half") == std::string::npos);
}

TEST_CASE(
    "text enters a layer as its family has it: the norm's kind and the embedding's scale; what is not known is not "
    "claimed") {
  const samples::TempFolder folder;
  const auto of = [&](const nlohmann::json& config) {
    std::filesystem::copy(models + "llama", folder.path(),
                          std::filesystem::copy_options::overwrite_existing | std::filesystem::copy_options::recursive);
    std::filesystem::remove(folder / "config.json");
    if (!config.is_null()) std::ofstream(folder / "config.json") << config;
    Scenario s = of_text("llama", "model.layers.0", "the cat sat");
    s.file = (folder / "pytorch_model.bin").string();
    s.heads = 4;
    return resolve(s);
  };
  const nlohmann::json heads{{"num_attention_heads", 4}, {"num_key_value_heads", 2}};
  const auto with = [&](const char* type) {
    nlohmann::json config = heads;
    config["model_type"] = type;
    config["partial_rotary_factor"] = 1.0;
    return config;
  };
  const Inputs llama = of(with("llama")), phi = of(with("phi")), gemma = of(with("gemma")), bare = of({});
  CHECK(all_said(llama).find("what layer 0 gets") != std::string::npos);
  CHECK(all_said(phi).find("what layer 0 gets") != std::string::npos);
  CHECK_THAT(phi.query, !agrees_with(llama.query));    // LayerNorm
  CHECK_THAT(gemma.query, !agrees_with(llama.query));  // weights + 1
  CHECK(all_said(gemma).find(" * model.embed_tokens.weight") != std::string::npos);
  CHECK_THAT(bare.query, agrees_with(llama.query));
  CHECK(all_said(bare).find("what layer 0 gets") == std::string::npos);
  CHECK(all_said(bare).find("--rope half") != std::string::npos);
  CHECK(all_said(of(with("unheard_of"))).find("what layer 0 gets") == std::string::npos);
}

TEST_CASE("lines become padded batch entries with lengths, and tokens are named") {
  const Inputs inputs = resolve(of_text("bert", "encoder.layer.1", "the cat\nthe cat sat, the hats\n"));
  CHECK(inputs.dims.batch == 2);
  CHECK(inputs.query_tokens[0] ==
        std::vector<std::string>{"[CLS]", "the", "cat", "[SEP]", "[PAD]", "[PAD]", "[PAD]", "[PAD]", "[PAD]"});
  CHECK_THAT(inputs.valid_lens, agrees_with(Tensor::of({2}, {4, 9})));
}

TEST_CASE("text for a file without an embedding, a tokenizer, or enough positions is refused in a sentence") {
  Scenario plain = of_text("gpt2", "", "the cat");
  plain.file = places::fixtures() + "/torch_mha.input.npz";
  CHECK(samples::has(error_of(plain), "holds no token embedding"));
  const samples::TempFolder folder;
  std::filesystem::copy_file(models + "gpt2/pytorch_model.bin", folder / "gpt2.bin");
  Scenario alone = of_text("gpt2", "h.0", "the cat");
  alone.file = (folder / "gpt2.bin").string();
  alone.heads = 4;
  CHECK(samples::has(error_of(alone), "has no tokenizer beside it"));
  std::string far;
  for (int i = 0; i < 60; ++i) far += " cat";
  CHECK(samples::has(error_of(of_text("gpt2", "h.0", far)),
                     "has no row 59; expected position embedding for every token"));
}
