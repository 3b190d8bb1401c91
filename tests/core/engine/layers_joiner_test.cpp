// What the layers give together is the same whether it is made off the frame or at once, and the newest wish wins.
#include "core/engine/long_task.h"
#include "core/network/attention_flow.h"
#include "tests/attention_inputs.h"
#include "tests/matchers.h"

using namespace headlight;

namespace {

/// Three layers of one stack, attention that adds up to one.
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

TEST_CASE("rollout and flow are made off the frame as they are made at once", "[engine]") {
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

TEST_CASE("what is not wanted in a frame any more is let go of, and a newer wish has none of the older one's rows",
          "[engine]") {
  const auto overview = three_layers(40);
  LayersJoiner joiner;
  joiner.want({overview, 2, 0, Joining::flow});
  joiner.want({overview, 0, 0, Joining::rollout});
  joiner.wait();
  CHECK_THAT(joiner.now().matrix, agrees_with(with_residual(overview->means_up_to(0, 0).front())));
  joiner.end_frame();
  CHECK(joiner.now().matrix.defined());  // it was wanted in this frame
  joiner.end_frame();
  CHECK_FALSE(joiner.now().matrix.defined());
  CHECK(joiner.settled());
}
