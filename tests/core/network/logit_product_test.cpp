#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/compute/network/row_parts.h"
#include "tests/catch.h"
#include "tests/core/network/networks.h"

using namespace headlight;

TEST_CASE("a logit is the dot product of the row after the last norm and the word's row, in every family") {
  int looked_at = 0;
  for (const auto& entry : std::filesystem::directory_iterator(networks::folder)) {
    if (!std::filesystem::exists(entry.path() / "expected.npz")) continue;
    const auto network = open_network(entry.path().string());
    const NetworkRun run =
        network->run(networks::text_of(*network, *open_arrays((entry.path() / "expected.npz").string())), {});
    if (!run.logits.defined()) continue;
    INFO(entry.path().filename().string());
    const Index place = run.logits.size(1) - 1, count = run.logits.size(2);
    for (const Index token : {Index{0}, count / 2, count - 1}) {
      const LogitProduct product = logit_product(run, 0, place, token);
      REQUIRE(product.row.size() == product.word.size());
      CHECK(product.last.size() == static_cast<std::size_t>(run.final.size(2)));
      double sum = static_cast<double>(product.bias);
      for (std::size_t i = 0; i < product.row.size(); ++i)
        sum += static_cast<double>(product.row[i]) * static_cast<double>(product.word[i]);
      sum *= product.scale;
      if (product.softcap) sum = *product.softcap * std::tanh(sum / *product.softcap);
      CHECK(sum == Approx(run.logits.matrix(0)(place, token)).epsilon(1e-4).margin(1e-5));
      CHECK(product.logit == run.logits.matrix(0)(place, token));
      ++looked_at;
    }
  }
  CHECK(looked_at > 60);
}
