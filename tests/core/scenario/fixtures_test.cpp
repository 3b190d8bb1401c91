// Every fixture file agrees with the PyTorch computation stored beside it.
#include <cmath>
#include <filesystem>

#include "core/base/arrays/array_file.h"
#include "core/compute/run/pipeline.h"
#include "tests/matchers.h"
#include "tests/places.h"

using namespace headlight;

namespace {

struct Oracle {
  std::string name;
  std::string input;
  std::filesystem::path expected;
};

/// NAME.input.* for each NAME.expected.npz. torch_mha_nomask uses torch_mha's safetensors, which has no masks.
std::vector<Oracle> oracles() {
  std::vector<Oracle> list;
  const std::filesystem::path folder = places::fixtures();
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::string name = entry.path().filename().string();
    if (!name.ends_with(".expected.npz")) continue;
    name.resize(name.size() - std::string(".expected.npz").size());
    const std::string stem = name == "torch_mha_nomask" ? "torch_mha" : name;
    for (const char* format : {".input.npz", ".input.safetensors", ".input.pt"}) {
      const bool masks_left_out = stem == "torch_mha" && format == std::string(".input.safetensors");
      const std::filesystem::path input = folder / (stem + format);
      if (masks_left_out != (name == "torch_mha_nomask") || !std::filesystem::exists(input)) continue;
      list.push_back({name + format, input.string(), entry.path()});
    }
  }
  return list;
}

}  // namespace

TEST_CASE("every fixture agrees with PyTorch at every stage") {
  const std::vector<Oracle> list = oracles();
  REQUIRE(list.size() >= 17);
  for (const Oracle& oracle : list) {
    CAPTURE(oracle.name);
    Scenario scenario;
    scenario.source = Source::file;
    scenario.file = oracle.input;
    const auto trace = compute(scenario);
    const auto expected = open_arrays(oracle.expected);
    CHECK(expected->entries().size() >= 16);
    for (const ArrayEntry& entry : expected->entries()) {
      CAPTURE(entry.name);
      const std::optional<Stage> stage = stage_named(entry.name);
      REQUIRE(stage.has_value());
      CHECK_THAT((*trace)[*stage], agrees_with(expected->load(entry.name)));
    }
  }
}

TEST_CASE(
    "a fill that is added is nn.MultiheadAttention's: a NaN in a masked key stays; one in the score's place hides it") {
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = places::fixtures() + "/mask_added.npz";
  scenario.mask_mode = MaskMode::add;
  const auto expected = open_arrays(places::fixtures() + "/mask_added.torch.npz");
  const auto added = compute(scenario);
  CHECK_THAT((*added)[Stage::weights], agrees_with(expected->load("weights")));
  CHECK_THAT((*added)[Stage::output], agrees_with(expected->load("output")));
  CHECK(std::isnan((*added)[Stage::masked_scores].at({0, 0, 0, 3})));
  scenario.mask_mode = MaskMode::fill;
  const auto filled = compute(scenario);
  CHECK((*filled)[Stage::weights].at({0, 0, 0, 3}) == 0);
  CHECK(std::isfinite((*filled)[Stage::output].at({0, 0, 0})));
}
