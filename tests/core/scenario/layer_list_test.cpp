#include "core/scenario/inputs/layer_list.h"

#include "core/base/arrays/array_write.h"
#include "core/base/tensor/error.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"
#include "tests/places.h"

using namespace headlight;

namespace {

Scenario file_scenario(const std::string& path) {
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = path;
  return scenario;
}

std::string model(const std::string& name) { return places::fixtures() + "/models/" + name + "/pytorch_model.bin"; }

}  // namespace

TEST_CASE("the layers of a model are listed with their kind and number of heads") {
  using List = std::vector<LayerCandidate>;
  CHECK(list_layers(model("gpt2")) ==
        List{{"h.0.attn", "c_attn [in, out]", 24, 4}, {"h.1.attn", "c_attn [in, out]", 24, 4}});
  CHECK(list_layers(model("bert")).at(1) ==
        LayerCandidate{"encoder.layer.1.attention", "self.query, self.key, self.value", 24, 3});
  CHECK(list_layers(model("llama")).at(0) ==
        LayerCandidate{"model.layers.0.self_attn", "q_proj, k_proj, v_proj", 24, 4});
  CHECK(list_layers(places::fixtures() + "/torch_mha.input.npz").at(0) ==
        LayerCandidate{"", "in_proj [out, in]", 32, 4});
}

TEST_CASE("a file needs a layer only if it has several") {
  Scenario scenario = file_scenario(model("bert"));
  REQUIRE(open_question(scenario));
  CHECK(open_question(scenario)->candidates.size() == 2);
  CHECK(open_question(scenario)->scenario == scenario);
  scenario.layer = "encoder";
  CHECK(open_question(scenario)->candidates.size() == 2);
  scenario.layer = "encoder.layer.1";
  CHECK_FALSE(open_question(scenario));
  scenario.layer = "decoder";
  CHECK_FALSE(open_question(scenario));
  CHECK_FALSE(open_question(file_scenario(places::fixtures() + "/torch_mha.input.npz")));
  CHECK_FALSE(open_question(file_scenario("no such file")));
  CHECK_FALSE(open_question(Scenario()));
}

TEST_CASE("a state dict without a number of heads needs only that") {
  const samples::TempFolder folder;
  const std::vector<NamedArray> arrays{{"in_proj_weight", Tensor::full({24, 8}, 1)}};
  write_npz(folder / "a.npz", arrays);
  Scenario scenario = file_scenario((folder / "a.npz").string());
  const auto question = open_question(scenario);
  REQUIRE(question);
  CHECK(question->candidates == std::vector<LayerCandidate>{{"", "in_proj [out, in]", 8, {}}});
  scenario.heads = 2;
  CHECK_FALSE(open_question(scenario));
}
