// The models that ship, run by our own network: what their model.json says of accuracy and heads is so, on questions
// that training never saw (tests/fixtures/held_out, written by assets/models/*/train.py).
#include "core/network/shipped_models.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "core/network/network.h"
#include "core/scenario/settings_table.h"
#include "core/tensor/error.h"
#include "tests/catch.h"
#include "tests/places.h"

using namespace headlight;

namespace {

struct HeldOut {
  std::string kind, text, right, wrong;
  Index decides = 0;  ///< the word of the text on which the answer depends
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

/// A model on its questions; passes are kept, since several claims ask for the same.
class Asked {
 public:
  explicit Asked(const std::string& id) : network_(open_network("model:" + id)), questions_(held_out(id)) {}

  const std::vector<HeldOut>& questions() const { return questions_; }

  /// The share of right answers, of one kind of question, of several ("time+negation") or of all (""), with these heads
  /// silent.
  double accuracy(const std::string& kind, const std::string& silent = {}) {
    const KnockOut knock_out = silent.empty() ? KnockOut{} : network_->knock_out_of(parse_heads("--knock-out", silent));
    Index right = 0, asked = 0;
    for (std::size_t i = 0; i < questions_.size(); ++i) {
      if (!kind.empty() && ("+" + kind + "+").find("+" + questions_[i].kind + "+") == std::string::npos) continue;
      const NetworkRun run = pass(i, knock_out);
      const HeldOut& q = questions_[i];
      const auto likely = [&](const std::string& word) { return probability_of(run, 0, -1, id_of(word)); };
      // With no wrong word the right one must be the likeliest.
      right += q.wrong.empty() ? most_likely(run, 0, -1, 1).front().text == q.right : likely(q.right) > likely(q.wrong);
      ++asked;
    }
    return static_cast<double>(right) / static_cast<double>(asked);
  }

  /// A head's mean weight, as training.py's Measured.weight takes it.
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

/// No other head is missed more for the kind of question that a head is labelled by.
void check_none_more(Asked& asked, const ShippedModel& model, const HeadClaim& claim) {
  const std::string questions = claim.measured.at("questions"), own = claim.layer + "." + std::to_string(claim.head);
  double next_largest = 1;
  for (Index layer = 0; layer < model.layers; ++layer) {
    for (Index head = 0; head < model.heads; ++head) {
      const std::string other = std::to_string(layer) + "." + std::to_string(head);
      if (other != own) next_largest = std::min(next_largest, asked.accuracy(questions, other));
    }
  }
  CHECK(std::abs(next_largest - claim.measured.at("next_largest").get<double>()) < 0.02);
  CHECK(claim.measured.at("without").get<double>() < next_largest);
  CHECK(claim.rests > 0);
}

void check_claims(const std::string& id) {
  const ShippedModel model = shipped(id);
  Asked asked(id);
  REQUIRE(asked.questions().size() >= 100);
  // Figures are rounded to three places; a question on the verge may fall the other way.
  CHECK(std::abs(asked.accuracy("") - model.accuracy) < 0.006);
  CHECK(model.accuracy > 0.95);
  REQUIRE_FALSE(model.claims.empty());
  for (const HeadClaim& claim : model.claims) {
    INFO(id << " " << claim.layer << "." << claim.head << " " << claim.does.at("en") << " " << claim.measured.dump());
    const std::string on = claim.measured.value("on", ""), questions = claim.measured.at("questions");
    if (!on.empty())
      CHECK(std::abs(asked.weight(claim.layer, claim.head, on) - claim.measured.at("weight").get<double>()) < 0.006);
    CHECK(std::abs(asked.accuracy(questions) - claim.measured.at("accuracy").get<double>()) < 0.02);
    CHECK(std::abs(asked.accuracy(questions, claim.layer + "." + std::to_string(claim.head)) -
                   claim.measured.at("without").get<double>()) < 0.02);
    CHECK(claim.does.contains("zh"));
    if (claim.measured.contains("next_largest")) check_none_more(asked, model, claim);
  }
}

}  // namespace

TEST_CASE("sentences answers held-out questions as well as it says, and its heads do what it says") {
  check_claims("sentences");
}
TEST_CASE("juzi answers held-out questions as well as it says, and its heads do what it says") { check_claims("juzi"); }

TEST_CASE("induction answers held-out questions as well as it says, and its two heads are missed") {
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

TEST_CASE("every example of a model that ships can be read by it, and a word outside is named") {
  for (const ShippedModel& model : shipped_models()) {
    INFO(model.id);
    const auto network = open_network("model:" + model.id);
    CHECK(model.examples.size() >= 3);
    for (const std::string& example : model.examples) CHECK(network->read(example).tokens.count() > 1);
    CHECK(network->spec().stacks.front().blocks.size() +
              (network->spec().stacks.size() > 1 ? network->spec().stacks[1].blocks.size() : 0) ==
          static_cast<std::size_t>(model.layers));
    CHECK_THROWS_AS(network->read("zzz"), InputError);
    CHECK(network->spec().vocabulary == model.vocabulary);
    for (const HeadClaim& claim : model.claims) CHECK_NOTHROW(network->layer_named(claim.layer));
  }
}

TEST_CASE("a model that ships opens on a cell of its first example that a row's largest weight is in") {
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
  CHECK(trained_document("zh")->scenario.file == "model:juzi");
  CHECK(trained_document("xx")->scenario.file == trained_document("en")->scenario.file);
}
