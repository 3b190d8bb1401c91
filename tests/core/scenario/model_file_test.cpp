// Checkpoints of whole models: small ones with the names and shapes of GPT-2, BERT and LLaMA, made by PyTorch.
#include <algorithm>
#include <string>

#include "core/base/tensor/error.h"
#include "core/compute/run/pipeline.h"
#include "core/scenario/inputs/inputs.h"
#include "core/scenario/inputs/tensor_file.h"
#include "tests/catch.h"
#include "tests/places.h"

using namespace headlight;

namespace {

Scenario layer_of(const std::string& model, const std::string& layer) {
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = places::fixtures() + "/models/" + model + "/pytorch_model.bin";
  scenario.layer = layer;
  return scenario;
}

bool says(const Inputs& inputs, const std::string& what, const std::string& part) {
  return std::any_of(inputs.assumptions.begin(), inputs.assumptions.end(), [&](const Assumption& assumption) {
    return assumption.what == what && assumption.taken_for.english().find(part) != std::string::npos;
  });
}

struct Model {
  std::string name, first, second;
  Index heads, kv_heads;
};

}  // namespace

TEST_CASE("a layer of a whole model opens with its heads from config.json and random inputs of its width") {
  for (const Model& model : {Model{"gpt2", "h.0.attn", "h.1.attn", 4, 4},
                             Model{"bert", "encoder.layer.0.attention", "encoder.layer.1.attention", 3, 3},
                             Model{"llama", "model.layers.0.self_attn", "model.layers.1.self_attn", 4, 2}}) {
    INFO(model.name);
    const auto first = compute(layer_of(model.name, model.first));
    const auto second = compute(layer_of(model.name, model.second));
    CHECK(second->dims().heads == model.heads);
    CHECK(second->dims().kv_heads == model.kv_heads);
    CHECK(second->dims().d_query == 24);
    CHECK(second->inputs.self_attention());
    CHECK(says(second->inputs, "heads", "in config.json"));
    CHECK(says(second->inputs, "inputs", "random"));
    CHECK(says(second->inputs, "layer", model.second));
    CHECK((*first)[Stage::W_o].at({0, 0}) != (*second)[Stage::W_o].at({0, 0}));
  }
}

TEST_CASE("GPT-2's packed matrix, stored as [in, out], is the three projections of its layer") {
  const Inputs inputs = resolve(layer_of("gpt2", "h.1"));
  const Tensor stored = inputs.file->load("h.1.attn.c_attn.weight");
  CHECK(inputs.W_q.at({5, 3}) == stored.at({3, 5}));
  CHECK(inputs.W_k.at({5, 3}) == stored.at({3, 24 + 5}));
  CHECK(inputs.W_v.at({5, 3}) == stored.at({3, 48 + 5}));
}

TEST_CASE("a model without a layer is refused with a list of its layers; --heads overrides config.json") {
  try {
    resolve(layer_of("bert", ""));
    FAIL("it was resolved without a layer");
  } catch (const FileError& error) {
    const std::string sentence = error.what();
    CHECK(sentence.find("encoder.layer.0.attention") != std::string::npos);
    CHECK(sentence.find("encoder.layer.1.attention") != std::string::npos);
  }
  Scenario scenario = layer_of("bert", "encoder.layer.1");
  scenario.heads = 6;
  CHECK(resolve(scenario).dims.heads == 6);
}

TEST_CASE("a layer beside Meta's params.json has that file's heads and rotation, and the layer's output projection") {
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = places::fixtures() + "/networks/meta_llama/consolidated.00.pth";
  scenario.layer = "layers.1.attention";
  const Inputs inputs = resolve(scenario);
  CHECK(inputs.dims.kv_heads == 2);
  CHECK(inputs.rules.rope == Rope::interleaved);
  CHECK(inputs.W_o.defined());
  CHECK(says(inputs, "heads", "n_heads in params.json"));
  CHECK(says(inputs, "positions", "(params.json)"));
}
