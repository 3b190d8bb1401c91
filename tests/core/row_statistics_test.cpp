#include <cmath>

#include "core/compute/run/pipeline.h"
#include "core/compute/run/statistics.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

std::vector<RowStatistics> rows_of(const Scenario& scenario, Stage stage = Stage::weights) {
  return row_statistics(*compute(scenario), stage, 0, 0);
}

Scenario causal() {
  Scenario scenario;
  scenario.mask = "causal()";
  return scenario;
}

}  // namespace

TEST_CASE("a live row sums to one, has as many keys as the mask allows, and no flag") {
  const auto rows = rows_of(causal());
  REQUIRE(rows.size() == 6);
  for (std::size_t q = 0; q < rows.size(); ++q) {
    CHECK(rows[q].sum == Approx(1).margin(1e-6));
    CHECK(rows[q].allowed == static_cast<Index>(q) + 1);
    CHECK(rows[q].flag == RowFlag::none);
    CHECK(rows[q].entropy >= 0);
    CHECK(rows[q].entropy <= std::log2(static_cast<double>(q) + 1) + 1e-6);
  }
  CHECK(rows[0].entropy == Approx(0).margin(1e-6));
  CHECK(rows[0].maximum == 1);
}

TEST_CASE("a row without any key is flagged by what its weights are") {
  Scenario scenario;
  scenario.mask = "k < q";  // query 0 has no key
  CHECK(rows_of(scenario)[0].flag == RowFlag::dead_nan);
  CHECK(std::isnan(rows_of(scenario)[0].maximum));
  scenario.dead_row = DeadRow::zero;
  CHECK(rows_of(scenario)[0].flag == RowFlag::dead_zero);
  scenario.dead_row = DeadRow::uniform;
  CHECK(rows_of(scenario)[0].flag == RowFlag::dead_uniform);
  CHECK(rows_of(scenario)[0].maximum == Approx(1.0 / 6));
  CHECK(rows_of(scenario)[0].allowed == 0);
  CHECK(rows_of(scenario)[1].flag == RowFlag::none);
}

TEST_CASE("rows that do not sum to one say why: dropout, a sink, a fill that leaks") {
  Scenario dropped = causal();
  dropped.dropout = 0.5f;
  dropped.training = true;
  bool some = false;
  for (const RowStatistics& row : rows_of(dropped, Stage::dropped_weights)) {
    CHECK((row.flag == RowFlag::dropout) == (std::abs(row.sum - 1) > 1e-4));
    some = some || row.flag == RowFlag::dropout;
  }
  CHECK(some);
  Scenario sink = causal();
  sink.sink_logit = true;
  CHECK(rows_of(sink)[3].flag == RowFlag::sink);
  CHECK(rows_of(sink)[3].sum < 1);
  Scenario leak = causal();
  leak.fill = -1.0f;
  CHECK(rows_of(leak)[0].flag == RowFlag::leak);
  CHECK(rows_of(leak)[5].flag == RowFlag::none);  // the last row has no masked key
}

TEST_CASE("the entropy is that of the row divided by its sum") {
  Inputs inputs;
  inputs.dims.n_k = 2;
  inputs.weights = Tensor::of({1, 1, 1, 2}, {0.35F, 0.35F});
  const auto rows = row_statistics(*compute({}, inputs), Stage::weights, 0, 0);
  CHECK(rows[0].sum == Approx(0.7));
  CHECK(rows[0].entropy == Approx(1));
}
