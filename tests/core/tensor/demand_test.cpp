#include "core/tensor/demand.h"

#include <atomic>

#include "tests/catch.h"

using namespace headlight;

namespace {

class Counted : public DemandSource {
 public:
  void fill(Index, Index count, float* to) const override {
    std::fill_n(to, count, 1.0F);
    ++fills;
  }
  mutable std::atomic<int> fills{0};
};

}  // namespace

TEST_CASE("what closed tensors took of the room for tiles is free again") {
  constexpr Index tile = Index{1} << 22;  // 16 MB
  for (int i = 0; i < 40; ++i) {
    const Tensor closed = demand_tensor({tile}, std::make_shared<Counted>(), tile);
    if (!closed.defined()) return;  // this system has none
    CHECK(closed.at({0}) == 1);
  }
  const auto source = std::make_shared<Counted>();
  const Tensor open = demand_tensor({2 * tile}, source, tile);
  for (const Index at : {Index{0}, tile, Index{0} + 5000, tile + 5000}) CHECK(open.at({at}) == 1);
  CHECK(source->fills == 2);
}
