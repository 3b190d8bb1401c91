// Parts of a logit, the logit lens, patching and patterns of heads, on every whole network.
#include "core/compute/network/logit_parts.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>

#include "core/base/tensor/error.h"
#include "core/compute/network/head_study.h"
#include "core/compute/network/next_word.h"
#include "tests/core/network/networks.h"
#include "tests/matchers.h"

using namespace headlight;

namespace {

NetworkRun pass_of(const std::string& name, RunOptions options = {}) {
  const auto network = open_network(networks::folder + name);
  options.parts = true;
  return network->run(networks::text_of(*network, *open_arrays(networks::folder + name + "/expected.npz")), options);
}

std::vector<std::string> networks_with_logits() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(networks::folder)) {
    const std::string name = entry.path().filename().string();
    if (open_network(networks::folder + name)->spec().head.output.there()) names.push_back(name);
  }
  return names;
}

double sum_of(const LogitParts& made) {
  return std::accumulate(made.parts.begin(), made.parts.end(), 0.0,
                         [](double sum, const LogitPart& part) { return sum + part.value; });
}

double logit(const NetworkRun& run, Index batch, Index word) {
  return static_cast<double>(run.logits.at({batch, place_of_prediction(run, batch), word}));
}

/// Token 5 or 17; the last one of a smaller vocabulary.
Index word_of(const NetworkRun& run, Index token) { return std::min(token, run.logits.size(2) - 1); }

NetworkText line_of(const Network& network, const std::string& line) { return network.read(line); }

}  // namespace

TEST_CASE("the parts of a logit add up to it in every architecture whose logits are linear; others are refused") {
  std::size_t added = 0;
  for (const std::string& name : networks_with_logits()) {
    INFO(name);
    const NetworkRun run = pass_of(name);
    if (run.network->spec().head.transform.there() || run.network->spec().head.reads != HeadReads::first) {
      CHECK_THROWS_AS(run.network->parts_of(run, 0, 3), SettingError);
      continue;
    }
    ++added;
    for (Index batch = 0; batch < run.logits.size(0); ++batch) {
      const Index word = word_of(run, 5), other = word_of(run, 17);
      const LogitParts one = run.network->parts_of(run, batch, word),
                       two = run.network->parts_of(run, batch, word, other);
      CHECK(one.logit == logit(run, batch, word));
      CHECK(std::abs(sum_of(one) - one.logit) < 1e-4);
      CHECK(std::abs(sum_of(two) - (logit(run, batch, word) - logit(run, batch, other))) < 1e-4);
    }
    // Each head of the stack that predicts has one part.
    std::map<Index, Index> heads;
    for (const LogitPart& part : run.network->parts_of(run, 0, word_of(run, 5)).parts) {
      if (part.what == LogitPart::What::head) ++heads[*part.layer];
    }
    for (const auto& [layer, count] : heads)
      CHECK(count == run.network->layers()[static_cast<std::size_t>(layer)].heads);
  }
  CHECK(added >= 35);
}

TEST_CASE("a head's part is the sum of the parts of its keys, at any position, in every architecture") {
  for (const std::string& name : networks_with_logits()) {
    INFO(name);
    const NetworkRun run = pass_of(name);
    if (!run.network->has_parts()) continue;
    for (const Index position : {Index{-1}, Index{1}}) {
      if (position >= run.logits.size(1)) continue;
      const LogitParts made = run.network->parts_of(run, 0, word_of(run, 5), {}, position);
      if (position >= 0) CHECK(made.logit == static_cast<double>(run.logits.at({0, position, word_of(run, 5)})));
      CHECK(std::abs(sum_of(made) - made.logit) < 1e-4);
      for (const LogitPart& part : made.parts) {
        if (part.what != LogitPart::What::head) continue;
        REQUIRE(std::ssize(part.sources) == run.keys_of(*part.layer).count());
        CHECK(std::abs(std::accumulate(part.sources.begin(), part.sources.end(), 0.0) - part.value) < 1e-4);
      }
    }
  }
  RunOptions options;
  options.knock_out = {{0, 1}};
  const NetworkRun run = pass_of("gpt2", options);
  for (const LogitPart& part : run.network->parts_of(run, 0, word_of(run, 5)).parts) {
    if (part.what == LogitPart::What::head && part.layer == 0 && part.head == 1)
      for (const double source : part.sources) CHECK(source == 0);
  }
}

TEST_CASE("each part of a logit is its added row times the logit's derivative, plus biases, in every architecture") {
  for (const std::string& name : networks_with_logits()) {
    INFO(name);
    const NetworkRun run = pass_of(name);
    if (!run.network->has_parts()) continue;
    for (const LogitPart& part : run.network->parts_of(run, 0, word_of(run, 5)).parts) {
      REQUIRE(part.state.size() == part.direction.size());
      CHECK(std::inner_product(part.state.begin(), part.state.end(), part.direction.begin(), part.constant) ==
            Approx(part.value).margin(1e-9));
      CHECK((part.what == LogitPart::What::final_bias || part.what == LogitPart::What::attention_bias ||
             !part.state.empty()));
    }
  }
}

TEST_CASE("parts of a logit are those from PyTorch's derivatives with frozen norms") {
  const auto expected = open_arrays(samples::fixture("logit_parts.npz"));
  for (const std::string name : {"gpt2", "opt_after", "gemma2"}) {
    const NetworkRun run = pass_of(name);
    const Tensor parts = expected->load(name);
    std::vector<float> got;
    for (const LogitPart& part : run.network->parts_of(run, 0, 5).parts) got.push_back(static_cast<float>(part.value));
    INFO(name);
    REQUIRE(std::ssize(got) == parts.count());
    for (Index i = 0; i < parts.count(); ++i) {
      INFO(i);
      CHECK(std::abs(got[static_cast<std::size_t>(i)] - parts.at({i})) < 1e-4F);
    }
  }
}

TEST_CASE("a word must be one token after the text; several pieces and unknown words are refused") {
  const auto network = open_network(networks::folder + "gpt2");
  CHECK(next_token(*network, "3 17", "5", "--why").id == 5);
  CHECK(next_token(*network, "", "5", "--why").id == 5);
  const auto sentence = [&](const std::string& word) {
    try {
      next_token(*network, "3 17", word, "--why");
    } catch (const SettingError& error) { return std::string(error.what()); }
    return std::string();
  };
  CHECK(sentence("5 6") == "--why: \"5 6\" is 2 tokens; expected a word that is one token of " + network->file());
  CHECK(sentence("cat") ==
        "--why: \"cat\" is not in the vocabulary of " + network->file() + "; expected one of its words");
}

TEST_CASE("the last row of the lens is the network's prediction, and earlier rows those of shorter networks") {
  for (const std::string name : {"gpt2", "opt_after", "gemma2", "bart", "bert"}) {
    INFO(name);
    const NetworkRun run = pass_of(name);
    const auto lens = lens_of(run, 1);
    REQUIRE(std::ssize(lens) == std::ssize(run.network->spec().stacks.back().blocks));
    for (Index q = 0; q < run.logits.size(1); ++q) {
      const LikelyToken said = most_likely(run, 1, q, 1).front();
      const LensCell& cell = lens.back()[static_cast<std::size_t>(q)];
      CHECK(cell.likely.id == said.id);
      CHECK(cell.likely.probability == Approx(said.probability));
      CHECK(cell.probability_of == Approx(said.probability));
      const LensCell& early = lens.front()[static_cast<std::size_t>(q)];
      CHECK(early.probability_of <= early.likely.probability);
    }
  }
}

TEST_CASE("patching with the text's own states changes nothing, with another text's whole residual everything") {
  const auto network = open_network(networks::folder + "gpt2");
  const NetworkText text = line_of(*network, "3 17 5 28"), from = line_of(*network, "3 17 9 28");
  const double own = logit(network->run(text, {}), 0, 5), other = logit(network->run(from, {}), 0, 5);
  for (const Patch::What what : {Patch::What::residual, Patch::What::heads, Patch::What::mlp}) {
    const PatchGrid same = patch_grid(*network, text, text, what, 5);
    CHECK(same.before == Approx(own));
    CHECK(same.after_all == Approx(own).margin(1e-5));
    for (const auto& line : same.grid) {
      for (const double cell : line) CHECK(cell == Approx(own).margin(1e-5));
    }
  }
  const PatchGrid residual = patch_grid(*network, text, from, Patch::What::residual, 5);
  REQUIRE(residual.grid.size() == 2);
  REQUIRE(residual.grid[0].size() == 4);
  CHECK(residual.after_all == Approx(other).margin(1e-5));
  CHECK(residual.grid[0][0] == Approx(own).margin(1e-5));    // both texts have the same word there
  CHECK(residual.grid[0][2] == Approx(other).margin(1e-5));  // only this word differs
  CHECK(residual.grid[1][3] != Approx(own).margin(1e-5));
  const PatchGrid heads = patch_grid(*network, text, from, Patch::What::heads, 5);
  CHECK(heads.grid[0].size() == 3);
  CHECK(heads.grid[0][0] != Approx(own).margin(1e-6));
}

TEST_CASE("texts of different length, several lines and two stacks cannot be patched") {
  const auto gpt2 = open_network(networks::folder + "gpt2"), t5 = open_network(networks::folder + "t5");
  const auto patch = [](const Network& network, const std::string& text, const std::string& from) {
    return patch_grid(network, network.read(text), network.read(from), Patch::What::mlp, 5);
  };
  CHECK_THROWS_AS(patch(*gpt2, "3 17", "3 17 5"), SettingError);
  CHECK_THROWS_AS(patch(*gpt2, "3 17\n5 6", "3 17"), SettingError);
  CHECK_THROWS_AS(patch(*t5, "3 17", "3 18"), SettingError);
}

namespace {

/// Compares the difference of two words' grids with PyTorch's.
void check_grid(const PatchGrid& one, const PatchGrid& other, const Tensor& wanted) {
  REQUIRE(std::ssize(one.grid) == wanted.size(0));
  for (Index layer = 0; layer < wanted.size(0); ++layer) {
    const auto l = static_cast<std::size_t>(layer);
    REQUIRE(std::ssize(one.grid[l]) == wanted.size(1));
    for (Index place = 0; place < wanted.size(1); ++place) {
      const auto p = static_cast<std::size_t>(place);
      CHECK(std::abs(one.grid[l][p] - other.grid[l][p] - static_cast<double>(wanted.at({layer, place}))) < 1e-4);
    }
  }
}

}  // namespace

TEST_CASE(
    "of a prompt pair with its objects exchanged, parts add up exactly and each patch does what PyTorch computes") {
  struct Pair {
    std::string network, of, text, from;
  };
  const std::string came = "when the king and the queen came in, the ", gave = " gave a letter to the";
  const auto expected = open_arrays(samples::fixture("patching.npz"));
  for (const Pair& pair : {Pair{networks::folder + "gpt2", "", "5 17 9 3 28 17 11 20", "5 17 9 3 28 3 11 20"},
                           Pair{"model:english", "english.", came + "king" + gave, came + "queen" + gave}}) {
    INFO(pair.network);
    const auto network = open_network(pair.network);
    const auto of = [&](const std::string& name) { return expected->load(pair.of + name); };
    const NetworkText text = line_of(*network, pair.text), from = line_of(*network, pair.from);
    const Tensor ids = of("text"), words = of("words");
    REQUIRE(text.tokens.count() == ids.count());
    for (Index i = 0; i < ids.count(); ++i)
      CHECK(text.tokens.entries[0][static_cast<std::size_t>(i)].id == std::lround(ids.at({i})));
    const Index receiver = std::lround(words.at({0})), giver = std::lround(words.at({1}));
    const double before = static_cast<double>(of("before").at({0}));
    const NetworkRun run = network->run(text, {.parts = true});
    CHECK(logit(run, 0, receiver) - logit(run, 0, giver) == Approx(before).margin(1e-4));
    CHECK(sum_of(network->parts_of(run, 0, receiver, giver)) == Approx(before).margin(1e-4));
    for (const auto& [what, name] :
         {std::pair(Patch::What::residual, "residual"), {Patch::What::mlp, "mlp"}, {Patch::What::heads, "heads"}}) {
      INFO(name);
      check_grid(patch_grid(*network, text, from, what, receiver), patch_grid(*network, text, from, what, giver),
                 of(name));
    }
  }
}

TEST_CASE("patterns of heads over lines are the means of those in each line, whatever the padding") {
  const auto network = open_network(networks::folder + "gpt2");
  const std::vector<std::string> lines{"3 17 5 3 9", "4 4 8", "11 12 13 14 15 16 17"};
  const std::vector<HeadMeans> heads = head_means(*network, lines);
  REQUIRE(heads.size() == 6);
  for (const HeadMeans& head : heads) {
    double previous = 0, bits = 0, effect = 0;
    for (const std::string& line : lines) {
      const NetworkText text = network->read(line);
      const NetworkRun with = network->run(text, {}),
                       without = network->run(text, {.knock_out = {{head.layer, head.head}}});
      const Tensor& weights = with.layers[static_cast<std::size_t>(head.layer)].weights;
      const Index n = text.tokens.count();
      double looks_back = 0, entropy = 0, falls = 0;
      for (Index q = 0; q < n; ++q) {
        for (Index k = 0; k <= q; ++k) {
          const double w = static_cast<double>(weights.at({0, head.head, q, k}));
          entropy -= w > 0 ? w * std::log2(w) : 0;
          if (k + 1 == q) looks_back += w;
        }
        if (q + 1 == n) continue;
        const Index next = text.tokens.entries[0][static_cast<std::size_t>(q) + 1].id;
        falls += std::log(probability_of(with, 0, q, next)) - std::log(probability_of(without, 0, q, next));
      }
      previous += looks_back / static_cast<double>(n - 1) / 3;
      bits += entropy / static_cast<double>(n) / 3;
      effect += falls / static_cast<double>(n - 1) / 3;
    }
    CHECK(head[HeadPattern::previous].value() == Approx(previous).margin(1e-5));
    CHECK(head.entropy.value() == Approx(bits).margin(1e-5));
    CHECK(head.effect.value() == Approx(effect).margin(1e-5));
  }
  const auto effect_in = [&](const HeadMeans& head, const std::string& line) {
    return *head_means(*network, {line})[static_cast<std::size_t>(&head - heads.data())].effect;
  };
  for (const HeadMeans& head : heads) {
    REQUIRE(head.lines.size() == lines.size());
    for (std::size_t i = 0; i < head.lines.size(); ++i) {
      CHECK(head.lines[i].effect == Approx(effect_in(head, lines[head.lines[i].line])).margin(1e-5));
      if (i > 0) CHECK(head.lines[i].effect <= head.lines[i - 1].effect);
    }
  }
  CHECK_FALSE(head_means(*network, {"1 2 3"})[0][HeadPattern::induction].has_value());
  CHECK_FALSE(head_means(*open_network(networks::folder + "bert"), {"1 2 3"})[0].effect.has_value());
}
