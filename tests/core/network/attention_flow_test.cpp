// Rollout and flow, compared with their definitions in NumPy (tests/fixtures/make_attention_flow.py).
#include "core/compute/network/attention_flow.h"

#include <cmath>

#include "core/base/arrays/array_file.h"
#include "core/base/tensor/error.h"
#include "tests/matchers.h"
#include "tests/places.h"

using namespace headlight;

namespace {

struct Expected {
  std::vector<Tensor> means;
  Tensor rollout, flow;
};

Expected expected() {
  const auto file = open_arrays(places::fixtures() + "/attention_flow.npz");
  Expected e{{}, file->load("rollout"), file->load("flow")};
  const Tensor means = file->load("means");
  for (Index l = 0; l < means.size(0); ++l)
    e.means.push_back(means.slice(0, l, 1).contiguous().view({means.size(1), means.size(2)}));
  return e;
}

}  // namespace

TEST_CASE("rollout is the product of half each layer's mean and half the identity") {
  const Expected e = expected();
  CHECK_THAT(attention_rollout(e.means), agrees_with(e.rollout));
}

TEST_CASE("a row of rollout sums to one") {
  const Tensor rollout = attention_rollout(expected().means);
  for (Index q = 0; q < rollout.size(0); ++q) {
    double sum = 0;
    for (Index k = 0; k < rollout.size(1); ++k) sum += static_cast<double>(rollout.matrix()(q, k));
    CHECK(sum == Approx(1));
  }
}

TEST_CASE("flow is the maximum flow through the layers' edges from a token down to each input") {
  const Expected e = expected();
  for (Index q = 0; q < e.flow.size(0); ++q) {
    const Tensor row = attention_flow(e.means, q);
    for (Index k = 0; k < e.flow.size(1); ++k) {
      INFO(q << " to " << k);
      CHECK(std::abs(row.at({k}) - e.flow.matrix()(q, k)) < 1e-5F);
    }
  }
}

TEST_CASE("for one layer, rollout and flow are that layer with its residual") {
  const Expected e = expected();
  const std::vector<Tensor> one{e.means.front()};
  const Tensor step = with_residual(one.front());
  CHECK_THAT(attention_rollout(one), agrees_with(step));
  for (Index k = 0; k < step.size(1); ++k) CHECK(attention_flow(one, 3).at({k}) == Approx(step.matrix()(3, k)));
}

TEST_CASE("a rollout that is cancelled ends early") {
  std::stop_source stop;
  stop.request_stop();
  CHECK_THROWS_AS(attention_rollout(expected().means, stop.get_token()), Cancelled);
}
