#include "core/compute/training/trainer.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>

#include "core/base/tensor/error.h"
#include "core/compute/network/gradients.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/network/trained_networks.h"
#include "core/compute/training/shape.h"
#include "core/compute/training/trained_model.h"
#include "core/teaching/explain/explain.h"
#include "tests/allocations.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"
#include "tests/matchers.h"
#include "tests/places.h"

using namespace headlight;

namespace {

TrainingSettings run_of(const std::string& task, std::initializer_list<std::pair<const char*, const char*>> changes) {
  TrainingSettings settings = training_defaults(task);
  for (const auto& [key, text] : changes) set_training(settings, key, text);
  return settings;
}

double accuracy_after(const TrainingSettings& settings) {
  Trainer trainer(settings);
  while (trainer.train(settings.steps)) {}
  return trainer.measured().back().accuracy;
}

double ceiling_of(const TrainingSettings& settings) {
  return training_ceiling(settings, TrainingData(settings))->accuracy;
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) { return error.what(); }
  return "";
}

}  // namespace

TEST_CASE("a head learns to reverse, and stays at the ceiling under causal() and without positions", "[training]") {
  CHECK(accuracy_after(run_of("reverse", {{"steps", "100"}})) > 0.99);
  CHECK(accuracy_after(run_of("reverse", {{"norm", "false"}})) > 0.99);
  const TrainingSettings causal = run_of("reverse", {{"steps", "100"}, {"mask", "causal()"}});
  CHECK(std::abs(ceiling_of(causal) - (0.5 + 0.5 / 16)) < 1e-9);
  CHECK(std::abs(accuracy_after(causal) - ceiling_of(causal)) < 0.03);
  const TrainingSettings bag = run_of("reverse", {{"steps", "150"}, {"positions", "none"}});
  CHECK(ceiling_of(bag) > 0.25);
  CHECK(ceiling_of(bag) < 0.29);
  CHECK(accuracy_after(bag) < ceiling_of(bag) + 0.03);
}

TEST_CASE("a ceiling follows the mask's reach through the layers", "[training]") {
  // The letter 3 back is seen by window(3) after two layers, not after one.
  CHECK(ceiling_of(run_of("previous", {{"mask", "q == k"}})) == 1.0 / 16);
  const auto window = [](const char* layers) {
    return run_of("reverse", {{"mask", "abs(q - k) <= 3"}, {"layers", layers}});
  };
  CHECK(ceiling_of(window("1")) < 0.6);
  CHECK(ceiling_of(window("2")) < 1.0);
  CHECK(ceiling_of(window("3")) == 1.0);
}

TEST_CASE("one seed gives the same bits at every number of threads", "[training]") {
  const TrainingSettings settings =
      run_of("repeat", {{"steps", "3"}, {"batch_size", "33"}, {"d_model", "64"}, {"mlp", "true"}, {"dropout", "0.1"}});
  std::vector<Tensor> weights;
  std::vector<double> losses;
  for (const int threads : {1, 2, 3}) {
    Trainer trainer(settings, threads);
    trainer.train(3);
    weights.push_back(trainer.kept_at(3).weights);
    losses.push_back(trainer.measured().back().loss);
  }
  for (const std::size_t more : {1U, 2U}) {
    CHECK(std::ranges::equal(weights[0].values(), weights[more].values()));
    CHECK(losses[0] == losses[more]);
  }
}

TEST_CASE("a step allocates nothing, unless it is kept", "[training]") {
  Trainer trainer(run_of("reverse", {{"steps", "1100"}, {"dropout", "0.1"}}), 1);
  trainer.train(1033);  // every eighth step is kept by now, and every 25th measured: the next five are neither
  const std::size_t before = allocations_of_this_thread();
  trainer.train(5);
  CHECK(allocations_of_this_thread() == before);
}

TEST_CASE("steps 0, 1, 2, 4, 8 … and at most 200 evenly between are kept", "[training]") {
  Trainer trainer(run_of("reverse", {{"steps", "700"}, {"d_model", "8"}}));
  while (trainer.train(700)) {}
  const std::vector<KeptStep> kept = trainer.kept();
  CHECK(kept.size() <= 200);
  CHECK(kept.size() > 90);
  for (const Index step : {0, 1, 2, 4, 8, 64, 512, 700}) CHECK(trainer.kept_at(step).step == step);
  CHECK(std::ranges::is_sorted(kept, {}, &KeptStep::step));
}

TEST_CASE("a kept step is a network whose answers are the trainer's", "[training]") {
  const auto trainer = std::make_shared<Trainer>(run_of("reverse", {{"steps", "40"},
                                                                    {"rope", "half"},
                                                                    {"alibi", "true"},
                                                                    {"kv_heads", "1"},
                                                                    {"softcap", "5"},
                                                                    {"mask", "h == 0 ? k < q : k != 3"},
                                                                    {"positions", "sinusoidal"},
                                                                    {"scale", "0.5"}}));
  while (trainer->train(40)) {}
  const Probe probe = trainer->probe();
  const auto network = open_network(run_name(trainer->settings(), 40));
  const NetworkRun run = network->run(network->read(probe.text), {});
  const ProbeAnswers answers = trainer->answers(probe, trainer->kept_at(40));
  CHECK_THAT(run.layers[0].weights, agrees_with(answers.weights[0]));
  for (Index i = 0; i < 8; ++i)
    CHECK(most_likely(run, 0, i, 1).front().id == answers.answers[static_cast<std::size_t>(i)]);

  SECTION("and the folder that is written opens as the same network") {
    const samples::TempFolder folder;
    write_model(folder / "model", trainer->model(trainer->kept_at(40)));
    const auto opened = open_network((folder / "model").string());
    CHECK_THAT(opened->run(opened->read(probe.text), {}).logits, agrees_with(run.logits));
    CHECK(error_of([&] {
            write_model(folder / "model", trainer->model(trainer->kept_at(40)));
          }).ends_with("cannot be written: it is there already; expected a new name or an empty folder"));
  }
  SECTION("and from an offered run it is the same, without training again") {
    offer_run(trainer);
    const auto step = open_network(run_name(trainer->settings(), 16));
    CHECK(step->file() == run_name(trainer->settings(), 16));
  }
}

TEST_CASE("a GPT-2's shape is written as GPT-2's files", "[training]") {
  Trainer trainer(run_of("previous", {{"mlp", "true"}, {"steps", "1"}}));
  CHECK(trainer.shape().is_gpt2());
  CHECK(trainer.model(trainer.kept_at(0)).config.find("\"gpt2\"") != std::string::npos);
}

TEST_CASE("a run's name says what differs from its task's defaults", "[training]") {
  const TrainingSettings settings = run_of("reverse", {{"mask", "causal()"}, {"seed", "3"}});
  CHECK(run_name(settings, 40) == "train:reverse;mask=causal();seed=3@40");
  const NamedRun read = named_run("train:reverse;mask=causal();seed=3@40");
  CHECK(read.step == 40);
  CHECK(read.settings == settings);
  CHECK(error_of([] { named_run("train:revers@4"); }).find("is neither a task nor a text file") != std::string::npos);
  CHECK(error_of([] { named_run("train:reverse;mask@4"); }).find("has no value") != std::string::npos);
  CHECK(error_of([] { named_run("train:reverse@x"); }).find("its step is") != std::string::npos);
}

TEST_CASE("bad runs are refused in one sentence", "[training]") {
  CHECK(error_of([] {
          Trainer(run_of("reverse", {{"heads", "3"}}));
        }) == "--heads: 3 does not divide d_model 32; expected one of 1, 2, 4, 8, 16, 32");
  CHECK(error_of([] {
          Trainer(run_of("reverse", {{"mask", "false"}}));
        }) == "--mask: false allows no key to any query; expected a mask that lets something through");
  CHECK(error_of([] { Trainer(run_of("reverse", {{"mask", "b == 0"}})); }).find("does not use b") != std::string::npos);
  CHECK(error_of([] {
          Trainer(run_of("reverse", {{"mask", "k < q"}, {"dead_row", "nan"}}));
        }).find("allows no key to query 0") != std::string::npos);
  CHECK(error_of([] { Trainer(run_of("reverse", {}), 1, 1000); }).find("the memory for kept steps is") !=
        std::string::npos);
  const samples::TempFolder folder;
  const auto text = [&](const std::string& contents) {
    const std::string path = (folder / "text.txt").string();
    std::ofstream(path) << contents;
    return error_of([&] { Trainer(run_of(path, {{"length", "4"}, {"steps", "2"}, {"d_model", "8"}})).train(2); });
  };
  CHECK(text("").find("has 0 tokens") != std::string::npos);
  std::string one;
  for (int i = 0; i < 40; ++i) one += "a ";
  CHECK(text(one).find("says nothing but \"a\"") != std::string::npos);
  CHECK(text(std::string("a\0b", 3)).find("is no text") != std::string::npos);
  CHECK(text("the cat sat on the mat and the dog sat on the rug, too").empty());
}

TEST_CASE("a loss that is no number stops the run; earlier steps are kept", "[training]") {
  Trainer trainer(run_of("reverse", {{"rate", "1e9"}, {"scale", "1e30"}}));
  const std::string error = error_of([&] { trainer.train(300); });
  CHECK(error.find("the loss is no number in step") != std::string::npos);
  CHECK(trainer.kept().back().step == trainer.step());
  CHECK(std::ranges::all_of(trainer.losses(), [](float loss) { return std::isfinite(loss); }));
}

TEST_CASE("a cell of a gradient is the sum of its terms, back to the loss", "[training][explain]") {
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = "train:reverse;rope=interleaved;kv_heads=1;softcap=4;alibi=true;mask=k != 3;layers=2@20";
  scenario.text = "a b c d e f g h";
  scenario.text_as_input = true;
  scenario.layer = "1";
  const auto gradients = gradient_trace(compute_any(scenario), "");
  CHECK(gradients->loss.english().starts_with("L = the mean of −log p over the answers of the task reverse = "));
  int explained = 0;
  for (const Stage stage : all_matrices()) {
    if (!gradients->has(stage) || stage == Stage::mask) continue;
    const Explanation e = explain(*gradients, {stage, 0, 0, is_bias(stage) ? 0 : 1, 2});
    INFO(e.formula);
    CHECK(e.gradient);
    double sum = 0;
    for (const Term& term : e.terms) sum += term.factor * term.value;
    if (stage != Stage::output) CHECK(std::abs(sum - e.value) <= 1e-6 + 1e-4 * std::abs(e.value));
    ++explained;
  }
  CHECK(explained > 25);
}

TEST_CASE("a cell of a gradient is explained where nothing is masked, too", "[training][explain]") {
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = "train:reverse;d_model=16@2";
  const auto gradients = gradient_trace(compute_any(scenario), "");
  REQUIRE_FALSE(gradients->has(Stage::mask));
  for (const Stage stage : {Stage::scores, Stage::scaled_scores, Stage::masked_scores, Stage::weights}) {
    if (!gradients->has(stage)) continue;
    INFO(name(stage));
    const Explanation e = explain(*gradients, {stage, 0, 1, 1, 6});
    double sum = 0;
    for (const Term& term : e.terms) sum += term.factor * term.value;
    CHECK(std::abs(sum - e.value) <= 1e-6 + 1e-4 * std::abs(e.value));
  }
}

TEST_CASE("gradients of a word are refused for networks that the backward pass does not know", "[training]") {
  const auto network = open_network("train:reverse@30");
  const NetworkRun run = network->run(network->read("a b c d e f g h"), {});
  CHECK(gradients_of(run, "a").about.english() == "−log p(a) at the last position");
  CHECK(error_of([&] { gradients_of(run, "zz"); }).find("--loss") != std::string::npos);
  const auto other = open_network(places::fixtures() + "/networks/llama");
  const NetworkRun of_other = other->run(other->read("3 17 5"), {});
  CHECK(error_of([&] {
          gradients_of(of_other, "7");
        }).find("has another norm than LayerNorm before the attention, whose gradients are not known here") !=
        std::string::npos);
}
