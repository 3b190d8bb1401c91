// The probabilities that the next token is drawn from, compared with hand-computed ones of transformers' generate().
#include "core/compute/network/sampling.h"

#include <cmath>
#include <numeric>

#include "core/compute/network/network.h"
#include "core/compute/network/shipped_models.h"
#include "tests/core/network/networks.h"
#include "tests/matchers.h"
#include "tests/places.h"

using namespace headlight;

namespace {

const std::vector<float> logits{1, 3, 2, 0, 2};

bool close(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, [](double x, double y) { return std::abs(x - y) < 1e-9; });
}

/// The token ids of a line of the text, as the network reads it.
std::vector<Index> ids(const Network& network, const std::string& text, std::size_t line = 0) {
  std::vector<Index> out;
  const NetworkText read = network.read(text);
  for (Index i = 0; i < read.tokens.lengths[line]; ++i)
    out.push_back(read.tokens.entries[line][static_cast<std::size_t>(i)].id);
  return out;
}

std::string chinese_text() {
  const std::vector<ShippedModel> models = shipped_models();
  return std::ranges::find(models, "chinese", &ShippedModel::id)->examples.front();
}

}  // namespace

TEST_CASE("a temperature divides the logits, and at 0 the largest logit is drawn") {
  const double half[]{std::exp(2.0), std::exp(6.0), std::exp(4.0), 1, std::exp(4.0)};
  const double sum = std::accumulate(std::begin(half), std::end(half), 0.0);
  std::vector<double> expected;
  for (const double each : half) expected.push_back(each / sum);
  CHECK(close(shares_of(logits, {0.5f, 0, 1}), expected));
  CHECK(shares_of(logits, {0, 0, 1}) == std::vector<double>{0, 1, 0, 0, 0});
}

TEST_CASE("top-k keeps the k largest and ties; top-p then keeps the fewest that reach p") {
  const double e3 = std::exp(3.0), e2 = std::exp(2.0), e1 = std::exp(1.0);
  CHECK(close(shares_of(logits, {1, 2, 1}), {0, e3 / (e3 + 2 * e2), e2 / (e3 + 2 * e2), 0, e2 / (e3 + 2 * e2)}));
  CHECK(close(shares_of(logits, {1, 1, 1}), {0, 1, 0, 0, 0}));
  // The probabilities are 0.52, 0.19, 0.19, 0.07, 0.03.
  CHECK(close(shares_of(logits, {1, 0, 0.5f}), {0, 1, 0, 0, 0}));
  CHECK(close(shares_of(logits, {1, 0, 0.6f}), {0, e3 / (e3 + e2), e2 / (e3 + e2), 0, 0}));
  CHECK(close(shares_of(logits, {1, 0, 0.93f}),
              {e1 / (e3 + 2 * e2 + e1), e3 / (e3 + 2 * e2 + e1), e2 / (e3 + 2 * e2 + e1), 0, e2 / (e3 + 2 * e2 + e1)}));
  CHECK(close(shares_of(logits, {1, 3, 0.56f}), {0, 1, 0, 0, 0}));  // top-k leaves three; the first has 0.576
}

TEST_CASE("drawing uses cumulative probabilities and never draws a token of probability 0") {
  const std::vector<double> shares{0, 0.25, 0, 0.75, 0};
  CHECK(drawn(shares, 0) == 1);
  CHECK(drawn(shares, 0.2499) == 1);
  CHECK(drawn(shares, 0.25) == 3);
  CHECK(drawn(shares, 0.9999999) == 3);
  CHECK(drawn(std::vector<double>{0.1, 0.2}, 0.99) == 1);  // a sum below 1 never leads past the end
}

TEST_CASE("a drawn token is appended so that the tokenizer reads it, and replaces the text after it") {
  const auto network = open_network(places::sentences());
  const std::string text = "the cat that chases the dogs sleeps .";
  const std::vector<Index> before = ids(*network, text);
  const Index token = before[1];  // cat
  CHECK(written_on(*network, text, 0, std::ssize(before) - 1, token) == text + " cat");
  CHECK(written_on(*network, text, 0, 4, token) == "the cat that chases the cat");
  CHECK(written_on(*network, "the dogs\n\n" + text, 1, 0, token) == "the dogs\nthe cat");
  CHECK_FALSE(written_on(*network, text, 1, 0, token));
  CHECK_FALSE(written_on(*network, text, 0, 99, token));

  // Without a given text, a model that does not know the default text continues the one it uses instead.
  const auto told = open_network("model:induction");
  const std::string usual = told->usual_text(Scenario().text);
  REQUIRE(usual != Scenario().text);
  const std::vector<Index> usual_ids = ids(*told, usual);
  CHECK(written_on(*told, Scenario().text, 0, std::ssize(usual_ids) - 1, usual_ids[0]) ==
        usual + " " + usual.substr(0, usual.find(' ')));

  const auto chinese = open_network("model:chinese");
  const std::string line = chinese_text();
  const std::vector<Index> read = ids(*chinese, line);
  const auto longer = written_on(*chinese, line, 0, std::ssize(read) - 1, read.front());
  REQUIRE(longer);
  std::vector<Index> expected = read;
  expected.push_back(read.front());
  CHECK(ids(*chinese, *longer) == expected);
}

TEST_CASE("two swapped tokens of a line are read by the tokenizer in their new places") {
  const auto network = open_network(places::sentences());
  const std::string text = "the cat that chases the dogs sleeps .";
  CHECK(with_swapped_tokens(*network, text, 0, 1, 5) == "the dogs that chases the cat sleeps .");
  CHECK(with_swapped_tokens(*network, text, 0, 5, 1) == "the dogs that chases the cat sleeps .");
  CHECK(with_swapped_tokens(*network, "the dogs\n" + text, 1, 0, 1) ==
        "the dogs\ncat the that chases the dogs sleeps .");
  std::string longer, swapped;
  for (int i = 0; i < 40; ++i) longer += text + " ";
  swapped = longer;
  swapped.replace(swapped.rfind("dogs"), 4, "cat").replace(longer.find("cat"), 3, "dogs");
  CHECK(with_swapped_tokens(*network, longer, 0, 1, 39 * 8 + 5) == swapped);
  CHECK_FALSE(with_swapped_tokens(*network, text, 0, 1, 1));
  CHECK_FALSE(with_swapped_tokens(*network, text, 0, 1, 99));
  CHECK_FALSE(with_swapped_tokens(*network, text, 1, 0, 1));
}

TEST_CASE("sampling without settings draws from the network's predicted probabilities") {
  const auto network = open_network(places::sentences());
  const NetworkRun run = network->run(network->read("the cat that chases the dogs"), {});
  const std::vector<double> shares = next_shares(run, 0, -1, {});
  for (const LikelyToken& token : most_likely(run, 0, -1, 10))
    CHECK(std::abs(shares[static_cast<std::size_t>(token.id)] - token.probability) < 1e-12);
  CHECK(std::abs(std::accumulate(shares.begin(), shares.end(), 0.0) - 1) < 1e-9);
}

TEST_CASE("NaN is the smallest of the logits, so that sorting them stays defined") {
  const Tensor logits = Tensor::of({1, 5}, {NAN, 1, NAN, 3, 2});
  CHECK(largest_of_row(logits.matrix(), 0, 5) == std::vector<Index>{3, 4, 1, 0, 2});
}

TEST_CASE("logits with NaN give no token a probability, at a temperature of 0 neither") {
  for (const Sampling& sampling : {Sampling{}, Sampling{0, 0, 1}, Sampling{1, 2, 1}, Sampling{1, 0, 0.5F}}) {
    for (const std::vector<float>& row : {std::vector<float>{NAN, 1, 2}, {1, 2, NAN}, {NAN, NAN, NAN}}) {
      const std::vector<double> shares = shares_of(row, sampling);
      CHECK(std::ranges::all_of(shares, [](double share) { return std::isnan(share); }));
    }
  }
}
