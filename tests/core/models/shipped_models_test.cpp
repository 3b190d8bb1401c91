// The shipped models: the accuracy and the effects of heads in their model.json hold on questions that were not in
// their training data (tests/fixtures/held_out, written by assets/models/*/train.py).
#include "core/compute/network/shipped_models.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <numbers>
#include <sstream>

#include "core/base/tensor/error.h"
#include "core/compute/network/network.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/run/trace.h"
#include "core/scenario/settings/settings_table.h"
#include "tests/catch.h"
#include "tests/places.h"

using namespace headlight;

namespace {

struct HeldOut {
  std::string kind, text, right, wrong;
  Index decides = 0;  ///< index of the word that decides the answer
};

std::vector<HeldOut> held_out(const std::string& id) {
  std::vector<HeldOut> questions;
  std::ifstream stream(places::fixtures() + "/held_out/" + id + ".txt");
  for (std::string line; std::getline(stream, line);) {
    std::istringstream fields(line);
    HeldOut q;
    std::string at;
    std::getline(fields, q.kind, '\t');
    std::getline(fields, q.text, '\t');
    std::getline(fields, q.right, '\t');
    std::getline(fields, q.wrong, '\t');
    std::getline(fields, at);
    q.decides = std::stol(at);
    questions.push_back(std::move(q));
  }
  return questions;
}

/// Asks a model its questions. Keeps the passes, because several claims need the same ones.
class Asked {
 public:
  explicit Asked(const std::string& id) : network_(open_network("model:" + id)), questions_(held_out(id)) {}

  const std::vector<HeldOut>& questions() const { return questions_; }

  /// The share of right answers to one kind of question, or to all (""), while these heads are silent.
  double accuracy(const std::string& kind, const std::string& silent = {}) {
    const KnockOut knock_out = silent.empty() ? KnockOut{} : network_->knock_out_of(parse_heads("--knock-out", silent));
    Index right = 0, asked = 0;
    for (std::size_t i = 0; i < questions_.size(); ++i) {
      if (!kind.empty() && questions_[i].kind != kind) continue;
      const NetworkRun run = pass(i, knock_out);
      const HeldOut& q = questions_[i];
      const auto likely = [&](const std::string& word) { return probability_of(run, 0, -1, id_of(word)); };
      // If no wrong word is given, the right one must be the most likely.
      right += q.wrong.empty() ? most_likely(run, 0, -1, 1).front().text == q.right : likely(q.right) > likely(q.wrong);
      ++asked;
    }
    return static_cast<double>(right) / static_cast<double>(asked);
  }

  /// A head's mean weight, computed as Measured.weight in training.py does.
  double weight(const std::string& layer, Index head, const std::string& on) {
    const Index at = network_->layer_named(layer);
    double sum = 0;
    Index count = 0;
    const bool everywhere = on == "previous" || on == "first";
    for (std::size_t i = 0; i < questions_.size(); ++i) {
      if (!everywhere && questions_[i].kind != on) continue;
      const NetworkRun run = pass(i, {});
      const Tensor& weights = run.layers[static_cast<std::size_t>(at)].weights;
      const Index last = weights.size(-2) - 1;
      for (Index q = everywhere ? 1 : last; q <= last; ++q) {
        sum += static_cast<double>(weights.at({0, head, q,
                                               on == "previous" ? q - 1
                                               : on == "first"  ? 0
                                                                : questions_[i].decides}));
        ++count;
      }
    }
    return sum / static_cast<double>(count);
  }

 private:
  NetworkRun pass(std::size_t question, const KnockOut& knock_out) const {
    RunOptions options;
    options.knock_out = knock_out;
    options.threads = 1;
    options.logits = RunOptions::Logits::last;
    return network_->run(network_->read(questions_[question].text, options), options);
  }

  Index id_of(const std::string& word) {
    const auto [at, is_new] = ids_.emplace(word, 0);
    if (is_new) at->second = network_->tokenizer().split(word).front().id;
    return at->second;
  }

  std::shared_ptr<const Network> network_;
  std::vector<HeldOut> questions_;
  std::map<std::string, Index> ids_;
};

ShippedModel shipped(const std::string& id) {
  for (const ShippedModel& model : shipped_models()) {
    if (model.id == id) return model;
  }
  throw FileError(id, "is not there");
}

void check_claims(const std::string& id) {
  const ShippedModel model = shipped(id);
  Asked asked(id);
  REQUIRE(asked.questions().size() >= 100);
  // Numbers in model.json are rounded to three places, and rounding may change the answer to one question.
  CHECK(std::abs(asked.accuracy("") - model.accuracy) < 0.006);
  CHECK(model.accuracy > 0.95);
  REQUIRE_FALSE(model.claims.empty());
  for (const HeadClaim& claim : model.claims) {
    INFO(id << " " << claim.layer << "." << claim.head << " " << claim.does.at("en") << " " << claim.measured.dump());
    const std::string on = claim.measured.at("on"), questions = claim.measured.at("questions");
    CHECK(std::abs(asked.weight(claim.layer, claim.head, on) - claim.measured.at("weight").get<double>()) < 0.006);
    CHECK(std::abs(asked.accuracy(questions) - claim.measured.at("accuracy").get<double>()) < 0.02);
    CHECK(std::abs(asked.accuracy(questions, claim.layer + "." + std::to_string(claim.head)) -
                   claim.measured.at("without").get<double>()) < 0.02);
    CHECK(claim.does.contains("zh"));
  }
}

/// A sentence of this test, and the positions at which a labelled head is needed, by kind of word.
struct Probe {
  std::string text;
  std::map<std::string, std::vector<Index>> places;
};

std::vector<Probe> probes_of(const std::string& id) {
  std::vector<Probe> probes;
  std::ifstream stream(places::fixtures() + "/held_out/" + id + ".txt");
  for (std::string line; std::getline(stream, line);) {
    Probe& probe = probes.emplace_back();
    const std::size_t tab = line.find('\t');
    probe.text = line.substr(0, tab);
    std::istringstream places(line.substr(std::min(line.size(), tab) + 1));
    for (std::string place; places >> place;)
      probe.places[place.substr(0, place.find(':'))].push_back(std::stol(place.substr(place.find(':') + 1)));
  }
  return probes;
}

struct Answers {
  Index right = 0, asked = 0;
  double share() const { return static_cast<double>(right) / static_cast<double>(std::max<Index>(asked, 1)); }
};

/// How often the most probable word is the one that follows, by kind and for all (""). With silent heads, only
/// sentences with such a position are run.
std::map<std::string, Answers> answers(const Network& network, const std::vector<Probe>& probes,
                                       const KnockOut& silent) {
  RunOptions options;
  options.knock_out = silent;
  options.threads = 1;
  options.weights = false;
  std::map<std::string, Answers> found;
  for (const Probe& probe : probes) {
    if (!silent.empty() && probe.places.empty()) continue;
    const NetworkRun run = network.run(network.read(probe.text, options), options);
    const std::vector<Token>& tokens = run.text.tokens.entries.front();
    const auto ask = [&](const std::string& kind, Index at) {
      found[kind].right += most_likely(run, 0, at, 1).front().id == tokens[static_cast<std::size_t>(at) + 1].id;
      ++found[kind].asked;
    };
    for (Index at = 0; at + 1 < std::ssize(tokens); ++at) ask("", at);
    for (const auto& [kind, places] : probe.places) {
      for (const Index at : places) ask(kind, at);
    }
  }
  return found;
}

/// Checks the effect of each labelled head, and that no other head has a larger one.
void check_effects(const std::string& id) {
  const ShippedModel model = shipped(id);
  const auto network = open_network("model:" + id);
  const std::vector<Probe> probes = probes_of(id);
  std::ifstream stream(model.folder / "model.json", std::ios::binary);
  const auto json = nlohmann::ordered_json::parse(stream);
  auto whole = answers(*network, probes, {});
  CHECK(std::abs(whole[""].share() - json.at("probes").at("accuracy").get<double>()) < 0.006);
  CHECK(model.perplexity > 1);
  REQUIRE_FALSE(model.claims.empty());
  std::map<std::pair<Index, Index>, std::map<std::string, Answers>> without;
  for (Index layer = 0; layer < model.layers; ++layer) {
    for (Index head = 0; head < model.heads; ++head)
      without[{layer, head}] = answers(*network, probes, {{layer, head}});
  }
  for (const HeadClaim& claim : model.claims) {
    const std::string kind = claim.measured.at("questions");
    const auto& probed = claim.measured.at("probes");
    INFO(id << " " << claim.layer << "." << claim.head << " " << claim.does.at("en") << " " << claim.measured.dump());
    const std::pair<Index, Index> own{network->layer_named(claim.layer), claim.head};
    double next_largest = 1;
    for (auto& [head, found] : without) {
      if (head != own) next_largest = std::min(next_largest, found[kind].share());
    }
    const double one = 1.1 / static_cast<double>(whole[kind].asked);  // rounding may change the answer to one question
    CHECK(whole[kind].asked == probed.at("places").get<Index>());
    CHECK(std::abs(whole[kind].share() - probed.at("accuracy").get<double>()) < one);
    CHECK(std::abs(without[own][kind].share() - probed.at("without").get<double>()) < one);
    CHECK(std::abs(next_largest - probed.at("next_largest").get<double>()) < one);
    CHECK(without[own][kind].share() < next_largest);
    CHECK(next_largest <= whole[kind].share() + one);
    CHECK(claim.measured.at("without") < claim.measured.at("next_largest"));
    CHECK(claim.rests > 0);
    CHECK(claim.does.contains("zh"));
  }
}

/// Checks that the first view is a graded row, that its largest weight has a clearly positive score and an angle that
/// says so, and that the answer changes without its head.
void check_opening(const std::string& id) {
  const ShippedModel model = shipped(id);
  const auto network = open_network("model:" + id);
  const auto [layer_name, head, query, key] = model.opens;
  const Index layer = network->layer_named(layer_name);
  const NetworkText text = network->read(model.examples.front());
  RunOptions options;
  const NetworkRun run = network->run(text, options);
  options.knock_out = {{layer, head}};
  const NetworkRun without = network->run(text, options);
  const float weight = run.layers[static_cast<std::size_t>(layer)].weights.at({0, head, query, key});
  INFO(id << " " << weight);
  CHECK(weight >= 0.4f);
  CHECK(weight <= 0.8f);
  const auto trace = compute_any(opening_of(model).scenario);
  const MatrixView asks = (*trace)[Stage::Q_heads].matrix(0, head), offers = (*trace)[Stage::K_heads].matrix(0, head);
  double product = 0, asked = 0, offered = 0;
  for (Index c = 0; c < asks.cols; ++c) {
    const auto q = static_cast<double>(asks(query, c)), k = static_cast<double>(offers(key, c));
    product += q * k;
    asked += q * q;
    offered += k * k;
  }
  const double degrees = std::acos(product / std::sqrt(asked * offered)) * 180 / std::numbers::pi;
  INFO("an angle of " << degrees);
  CHECK(static_cast<double>((*trace)[Stage::scaled_scores].at({0, head, query, key})) > 1);
  CHECK(degrees < 76);
  CHECK(most_likely(run, 0, query, 1).front().text != most_likely(without, 0, query, 1).front().text);
  CHECK(std::ranges::any_of(model.claims, [&](const HeadClaim& claim) {
    return claim.layer == model.opens.layer && claim.head == model.opens.head;
  }));
}

}  // namespace

TEST_CASE("english: each labelled head has the effect in model.json, and no other head has a larger one") {
  check_effects("english");
}
TEST_CASE("chinese: each labelled head has the effect in model.json, and no other head has a larger one") {
  check_effects("chinese");
}
TEST_CASE("models open on a graded row of a labelled head without which the next word changes") {
  check_opening("english");
  check_opening("chinese");
}

TEST_CASE("a shipped model opens on the cell with the largest weight of its row") {
  for (const ShippedModel& model : shipped_models()) {
    INFO(model.id);
    const auto network = open_network("model:" + model.id);
    const NetworkRun run = network->run(network->read(model.examples.front()), {});
    const Tensor& weights = run.layers[static_cast<std::size_t>(network->layer_named(model.opens.layer))].weights;
    const auto [layer, head, query, key] = model.opens;
    REQUIRE(query < weights.size(-2));
    REQUIRE(key < weights.size(-1));
    for (Index k = 0; k < weights.size(-1); ++k)
      CHECK(weights.at({0, head, query, k}) <= weights.at({0, head, query, key}));
    CHECK(opening_of(model).scenario.layer == layer);
  }
  CHECK(trained_document("zh")->scenario.file == "model:chinese");
  CHECK(trained_document("xx")->scenario.file == trained_document("en")->scenario.file);
}

/// In varied text few rows give one word all weight, and most heads spread theirs.
TEST_CASE("the weights of models trained on real text are graded") {
  for (const std::string id : {"english", "chinese"}) {
    const auto network = open_network("model:" + id);
    const std::vector<Probe> probes = probes_of(id);
    std::map<std::pair<std::size_t, Index>, double> sums;
    Index rows = 0, sharp = 0, asked = 0;
    for (std::size_t i = 0; i < probes.size(); i += 4) {
      RunOptions options;
      options.logits = RunOptions::Logits::last;
      const NetworkRun run = network->run(network->read(probes[i].text), options);
      for (std::size_t layer = 0; layer < run.layers.size(); ++layer) {
        const Tensor& weights = run.layers[layer].weights;
        for (Index head = 0; head < weights.size(1); ++head) {
          for (Index q = 0; q < weights.size(2); ++q) {
            const MatrixView matrix = weights.matrix(0, head);
            float most = 0;
            for (Index k = 0; k < matrix.cols; ++k) most = std::max(most, matrix(q, k));
            sharp += most >= 0.99f;
            ++rows;
            if (q > 0) sums[{layer, head}] += static_cast<double>(most);
          }
        }
      }
      asked += run.layers.front().weights.size(2) - 1;
    }
    INFO(id);
    CHECK(4 * sharp <= rows);
    CHECK(2 * std::ranges::count_if(sums,
                                    [&](const auto& sum) {
                                      const double mean = sum.second / static_cast<double>(asked);
                                      return mean > 0.3 && mean < 0.8;
                                    }) >=
          std::ssize(sums));
  }
}

TEST_CASE("any word of English letters can be tokenized, in pieces") {
  const auto network = open_network("model:english");
  const NetworkText text = network->read("Zzyzx, an unheard-of transformer!");
  CHECK(text.tokens.count() > 8);
  for (const Token& token : text.tokens.entries.front()) CHECK_FALSE(token.text.empty());
}

TEST_CASE("induction has the accuracy in its model.json, and its two heads have effect") {
  check_claims("induction");
  for (const HeadClaim& claim : shipped("induction").claims) CHECK(claim.measured.at("without").get<double>() < 0.1);
}

TEST_CASE("numbers writes held-out numbers in digits and in Chinese") {
  const auto network = open_network("model:numbers");
  const ShippedModel model = shipped("numbers");
  Index right = 0, asked = 0;
  for (const HeldOut& q : held_out("numbers")) {
    const NetworkText text = network->read(q.text);
    std::string written;
    const auto& words = text.decoder.entries.front();
    for (std::size_t i = 1; i < words.size(); ++i) written += (i > 1 ? " " : "") + words[i].text;
    right += written == q.right;
    ++asked;
  }
  REQUIRE(asked >= 50);
  CHECK(std::abs(static_cast<double>(right) / static_cast<double>(asked) - model.accuracy) < 0.02);
  CHECK(model.accuracy > 0.95);
}

TEST_CASE("a shipped model reads every example of its own, and an unknown word is named") {
  for (const ShippedModel& model : shipped_models()) {
    INFO(model.id);
    const auto network = open_network("model:" + model.id);
    CHECK(model.examples.size() >= 3);
    for (const std::string& example : model.examples) CHECK(network->read(example).tokens.count() > 1);
    CHECK(network->spec().stacks.front().blocks.size() +
              (network->spec().stacks.size() > 1 ? network->spec().stacks[1].blocks.size() : 0) ==
          static_cast<std::size_t>(model.layers));
    CHECK_THROWS_AS(network->read(model.language == "en" ? "\u732b" : "zzz"), InputError);
    CHECK(network->spec().vocabulary == model.vocabulary);
    for (const HeadClaim& claim : model.claims) CHECK_NOTHROW(network->layer_named(claim.layer));
  }
}
