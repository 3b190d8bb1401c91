// Where does each word look? Prints one head's attention weights, and how one of them was computed.
#include <cstdio>

#include <headlight/headlight.h>

int main() try {
  headlight::Scenario scenario;
  scenario.text = "the cat sat";
  scenario.mask = "causal()";
  const auto trace = headlight::compute(scenario);
  const headlight::MatrixView weights = (*trace)[headlight::Stage::weights].matrix();
  for (headlight::Index q = 0; q < weights.rows; ++q) {
    for (headlight::Index k = 0; k < weights.cols; ++k) std::printf("%6.3f", static_cast<double>(weights(q, k)));
    std::printf("  %s\n", trace->inputs.query_tokens[0][static_cast<std::size_t>(q)].c_str());
  }
  std::printf("%s\n", headlight::explain(*trace, {headlight::Stage::weights, 0, 0, 2, 1}).numbers.c_str());
} catch (const headlight::InputError& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
