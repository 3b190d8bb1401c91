// Heads whose output is replaced by zero or by its mean.
#include "core/base/tensor/error.h"
#include "core/compute/network/head_study.h"
#include "core/compute/network/logit_parts.h"
#include "tests/core/network/networks.h"
#include "tests/matchers.h"

using namespace headlight;

namespace {

const std::vector<std::string> lines{"3 17 5 3 9", "4 4 8", "11 12 13 14 15 16 17"};

}  // namespace

TEST_CASE("the means of heads over lines, and the effects of replacing heads by zero and by mean, are PyTorch's") {
  const auto network = open_network(networks::folder + "gpt2");
  const auto expected = open_arrays(samples::fixture("patching.npz"));
  const Tensor means = expected->load("means"), zero = expected->load("zero_effect"),
               mean = expected->load("mean_effect");
  const auto made = mean_heads(*network, lines);
  REQUIRE(std::ssize(*made) == means.size(0));
  for (Index layer = 0; layer < means.size(0); ++layer) {
    const Tensor& heads = (*made)[static_cast<std::size_t>(layer)];
    REQUIRE(heads.shape() == Shape{means.size(1), means.size(2)});
    for (Index h = 0; h < heads.size(0); ++h) {
      for (Index c = 0; c < heads.size(1); ++c) CHECK(std::abs(heads.at({h, c}) - means.at({layer, h, c})) < 1e-5F);
    }
  }
  const std::vector<HeadMeans> all = head_means(*network, lines, {}, {}, Ablation::mean);
  for (const HeadMeans& head : all) {
    INFO(head.layer << "." << head.head);
    CHECK(std::abs(*head.effect - static_cast<double>(zero.at({head.layer, head.head}))) < 1e-4);
    CHECK(std::abs(*head.mean_effect - static_cast<double>(mean.at({head.layer, head.head}))) < 1e-4);
  }
  CHECK_FALSE(head_means(*network, lines).front().mean_effect.has_value());
}

TEST_CASE("a pass over single heads equals one pass for each head that is left out, for one stack and two") {
  for (const std::string name : {"gpt2", "gpt_neox", "gemma2", "bart", "t5", "bert", "mixtral", "opt_after"}) {
    INFO(name);
    const auto network = open_network(networks::folder + name);
    const NetworkText text = networks::text_of(*network, *open_arrays(networks::folder + name + "/expected.npz"));
    const NetworkRun whole = network->run(text, {.parts = true});
    auto means = std::make_shared<MeanHeads>();
    for (const LayerRun& layer : whole.layers) {
      const Tensor& heads = layer.heads;
      means->push_back(Tensor::full({heads.size(1), heads.size(3)}, 0.25F));
    }
    for (Index layer = 0; layer < std::ssize(network->layers()); ++layer) {
      const Index count = network->layers()[static_cast<std::size_t>(layer)].heads, first = count > 1 ? 1 : 0;
      for (const auto& given : {std::shared_ptr<MeanHeads>(), means}) {
        RunOptions how;
        how.from = &whole;
        how.means = given;
        how.apart = HeadsApart{layer, first, count - first};
        const NetworkRun apart = network->run(text, how);
        const Index batch = whole.final.size(0);
        REQUIRE(apart.final.size(0) == batch * (count - first));
        for (Index head = first; head < count; ++head) {
          RunOptions one;
          one.knock_out = {{layer, head}};
          one.means = given;
          const Tensor alone = network->run(text, one).final;
          CHECK_THAT(apart.final.slice(0, (head - first) * batch, batch).contiguous(), agrees_with(alone));
        }
      }
    }
  }
}

TEST_CASE("the parts of a logit add up to it also where a head is replaced by its mean") {
  const auto network = open_network(networks::folder + "gpt2");
  RunOptions how{.knock_out = {{0, 1}, {1, 2}}};
  how.parts = true;
  how.means = mean_heads(*network, lines);
  const NetworkRun run = network->run(network->read("3 17 5"), how);
  const LogitParts made = network->parts_of(run, 0, 5);
  double sum = 0;
  for (const LogitPart& part : made.parts) {
    sum += part.value;
    if (part.what == LogitPart::What::head && run.knock_out.contains({*part.layer, *part.head})) {
      CHECK(part.value != 0);
      CHECK(part.sources.empty());
    }
  }
  CHECK(sum == Approx(made.logit).margin(1e-4));
}
