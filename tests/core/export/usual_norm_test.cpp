// How a figure's colours spread when nobody has chosen: weights that count can be seen.
#include "core/compute/network/network_trace.h"
#include "core/figures/export/layers_figure.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

/// Of the weights of `words` random words under a causal mask.
Norm norm_of(Index words, float scale) {
  Scenario scenario;
  scenario.source = Source::random;
  scenario.queries = words;
  scenario.heads = 2;
  scenario.d_model = 16;
  scenario.mask = "causal()";
  scenario.scale = scale;
  const auto trace = compute_any(scenario);
  ExportOptions options;
  options.stage = Stage::weights;
  return figure_for(*trace, options).norm;
}

}  // namespace

TEST_CASE("weights are spread by magnitude if most of their sum would look empty on a linear scale") {
  CHECK(norm_of(200, 0.25f) == Norm::log);    // each word looks a little at all: below a twentieth of the first row's 1
  CHECK(norm_of(12, 0.25f) == Norm::linear);  // few keys: each weight is seen
  CHECK(norm_of(60, 50) == Norm::linear);     // each word looks at one: the large weights are nearly all of the sum
}
