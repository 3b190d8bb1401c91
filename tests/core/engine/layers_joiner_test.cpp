// Rollout and flow are the same whether a worker or the caller computes them, and the newest request wins.
#include "core/compute/engine/long_task.h"
#include "core/compute/network/attention_flow.h"
#include "tests/attention_inputs.h"
#include "tests/matchers.h"

using namespace headlight;

namespace {

/// Three layers of one stack, with random attention whose rows sum to one.
std::shared_ptr<const HeadOverview> three_layers(Index n) {
  auto overview = std::make_shared<HeadOverview>();
  for (std::uint64_t l = 0; l < 3; ++l) {
    OverviewLayer& layer = overview->layers.emplace_back();
    Buffer cells;
    for (Index q = 0; q < n; ++q) {
      float sum = 0;
      for (Index k = 0; k <= q; ++k) sum += static_cast<float>(1 + (q * 7 + k * 5 + static_cast<Index>(l) * 3) % 11);
      for (Index k = 0; k < n; ++k)
        cells.push_back(k <= q ? static_cast<float>(1 + (q * 7 + k * 5 + static_cast<Index>(l) * 3) % 11) / sum : 0);
    }
    layer.summary.mean = Tensor({1, n, n}, std::move(cells));
  }
  return overview;
}

}  // namespace

TEST_CASE("a worker computes the same rollout and flow as a direct call", "[engine]") {
  const auto overview = three_layers(9);
  LayersJoiner joiner;
  joiner.want({overview, 2, 0, Joining::rollout});
  joiner.wait();
  CHECK(joiner.now().rows == 9);
  CHECK_THAT(joiner.now().matrix, agrees_with(attention_rollout(overview->means_up_to(2, 0))));
  joiner.want({overview, 1, 0, Joining::flow});
  joiner.wait();
  const std::vector<Tensor> two = overview->means_up_to(1, 0);
  const Tensor flow = joiner.now().matrix;
  for (Index q = 0; q < 9; ++q) {
    const Tensor row = attention_flow(two, q);
    for (Index k = 0; k < 9; ++k) CHECK(flow.matrix()(q, k) == row.at({k}));
  }
}

TEST_CASE("a result that no frame asks for is dropped, and a newer request keeps no rows of the older one",
          "[engine]") {
  const auto overview = three_layers(40);
  LayersJoiner joiner;
  joiner.want({overview, 2, 0, Joining::flow});
  joiner.want({overview, 0, 0, Joining::rollout});
  joiner.wait();
  CHECK_THAT(joiner.now().matrix, agrees_with(with_residual(overview->means_up_to(0, 0).front())));
  joiner.end_frame();
  CHECK(joiner.now().matrix.defined());  // this frame asked for it
  joiner.end_frame();
  CHECK_FALSE(joiner.now().matrix.defined());
  CHECK(joiner.idle());
}
