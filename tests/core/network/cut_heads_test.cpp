// A trained layer cut into another number of heads: the same Q, K and V, split differently.
#include <cmath>

#include "core/compute/network/network_trace.h"
#include "core/scenario/inputs/inputs.h"
#include "tests/catch.h"
#include "tests/core/network/networks.h"
#include "tests/matchers.h"
#include "tests/places.h"

namespace headlight {
namespace {

Scenario cut(std::optional<Index> heads, const char* layer = "1") {
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = places::sentences();
  scenario.text_as_input = true;
  scenario.text = "the cat that chases the dogs sleeps because it is tired .";
  scenario.layer = layer;
  scenario.heads = heads;
  return scenario;
}

std::shared_ptr<const Trace> window_trace(const Scenario& scenario) {
  Run run;
  run.summary = Summary::whole;
  return compute_any(scenario, nullptr, run);
}

}  // namespace

TEST_CASE("a trained layer cut into other heads has the same Q, K and V, and weights by the definition") {
  const auto whole = window_trace(cut({}));
  const Index own = whole->dims().heads, d_model = whole->dims().d_model;
  for (const Index heads : {Index{1}, own / 2, own * 2, d_model}) {
    INFO(heads);
    const auto trace = window_trace(cut(heads));
    const Index d_head = d_model / heads;
    CHECK(trace->dims().heads == heads);
    CHECK(trace->dims().d_head == d_head);
    CHECK(trace->scale == Approx(1 / std::sqrt(static_cast<double>(d_head))));
    for (const Stage stage : {Stage::query, Stage::Q, Stage::K, Stage::V})
      CHECK_THAT((*trace)[stage], agrees_with((*whole)[stage]));
    const MatrixView Q = (*trace)[Stage::Q].matrix(0, 0), K = (*trace)[Stage::K].matrix(0, 0);
    for (const Index head : {Index{0}, heads - 1}) {
      const MatrixView weights = (*trace)[Stage::weights].matrix(0, head);
      for (Index q = 0; q < weights.rows; ++q) {
        double sum = 0;
        std::vector<double> powers;
        for (Index k = 0; k <= q; ++k) {
          double score = 0;
          for (Index i = head * d_head; i < (head + 1) * d_head; ++i)
            score += static_cast<double>(Q(q, i)) * static_cast<double>(K(k, i));
          powers.push_back(std::exp(score / std::sqrt(static_cast<double>(d_head))));
          sum += powers.back();
        }
        for (Index k = 0; k < weights.cols; ++k) {
          const double wanted = k <= q ? powers[static_cast<std::size_t>(k)] / sum : 0;
          CHECK(static_cast<double>(weights(q, k)) == Approx(wanted).margin(1e-5));
        }
      }
    }
  }
}

TEST_CASE("the layers after a cut layer and the prediction go on from it, the layers before stay") {
  const auto plain = network_of(window_trace(cut({}, "0"))->inputs),
             changed = network_of(window_trace(cut(1, "0"))->inputs);
  CHECK(changed->heads_of(0) == 1);
  CHECK(changed->heads_of(1) == plain->heads_of(1));
  CHECK_THAT(changed->layers[0].residual, agrees_with(plain->layers[0].residual));
  CHECK(networks::excess(changed->layers[1].residual, plain->layers[1].residual) > 0);
  CHECK(networks::excess(changed->logits, plain->logits) > 0);
  CHECK(changed->layers[0].weights.size(1) == 1);
  CHECK(changed_settings(cut(1, "0")) == "heads");
}

TEST_CASE("a layer is cut as often as it can be divided, and a head that is gone cannot be knocked out") {
  const auto refusal = [](const Scenario& scenario) {
    try {
      window_trace(scenario);
    } catch (const InputError& error) { return std::string(error.what()); }
    return std::string();
  };
  CHECK(refusal(cut(5)).find("does not divide") != std::string::npos);
  Scenario silent = cut(2);
  silent.knock_out = {{"1", 3}};
  CHECK(refusal(silent).find("expected 0 to 1") != std::string::npos);
  Scenario shared = cut(1);
  shared.text_as_input = false;
  shared.text = Scenario().text;
  shared.layer = "0";
  for (const char* name : {"mistral", "t5", "qwen3"}) {  // grouped; a bias; QK-norm
    INFO(name);
    shared.file = networks::folder + name;
    shared.layer = std::string(name) == "t5" ? "encoder.0" : "0";
    const std::string said = refusal(shared);
    CHECK(said.find("expected no --heads") != std::string::npos);
  }
}

}  // namespace headlight
