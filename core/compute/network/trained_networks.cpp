#include "core/compute/network/trained_networks.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <vector>

#include "core/compute/training/trained_model.h"
#include "core/compute/training/trainer.h"
#include "core/models/architecture/architectures.h"
#include "core/models/architecture/checkpoint.h"

namespace headlight {
namespace {

/// What is in memory. A name determines its network, so that an entry is never wrong, only missing.
struct Runs {
  std::mutex mutex;
  std::vector<std::weak_ptr<const Trainer>> offered;
  std::deque<std::shared_ptr<const Network>> recent;  ///< the newest last
};

Runs& runs() {
  static Runs all;
  return all;
}

constexpr std::size_t most_recent = 8;

std::shared_ptr<const Network> network_from(const TrainedModel& model) {
  auto checkpoint = std::make_shared<Checkpoint>(model.file());
  NetworkSpec spec = build_network(Config(nlohmann::json::parse(model.config), model.name), *checkpoint);
  spec.task = model.task;
  spec.example = model.example;
  return std::make_shared<const Network>(model.name, "", std::move(spec), std::move(checkpoint), "",
                                         tokenizer_of_json(model.tokenizer, model.name));
}

/// The step as an offered run has kept it; null if none has.
std::shared_ptr<const Network> from_offered(const NamedRun& run) {
  Runs& all = runs();
  std::vector<std::shared_ptr<const Trainer>> trainers;
  {
    const std::lock_guard lock(all.mutex);
    std::erase_if(all.offered, [](const auto& trainer) { return trainer.expired(); });
    for (const auto& offered : all.offered) trainers.push_back(offered.lock());
  }
  for (const auto& trainer : trainers) {
    if (!trainer) continue;
    TrainingSettings settings = trainer->settings();
    settings.steps = run.settings.steps;
    const KeptStep kept = trainer->kept_at(run.step);
    if (settings == run.settings && kept.step == run.step) return network_from(trainer->model(kept));
  }
  return nullptr;
}

std::shared_ptr<const Network> trained_to(NamedRun run) {
  run.settings.steps = run.step;
  Trainer trainer(run.settings);
  while (trainer.train(run.step)) {}
  return network_from(trainer.model(trainer.kept_at(run.step)));
}

}  // namespace

void offer_run(const std::shared_ptr<const Trainer>& trainer) {
  Runs& all = runs();
  const std::lock_guard lock(all.mutex);
  all.offered.push_back(trainer);
}

std::shared_ptr<const Network> open_run(const std::string& name) {
  const NamedRun run = named_run(name);
  const std::string full = run_name(run.settings, run.step);
  Runs& all = runs();
  {
    const std::lock_guard lock(all.mutex);
    const auto found = std::ranges::find(all.recent, full, &Network::file);
    if (found != all.recent.end()) return *found;
  }
  std::shared_ptr<const Network> made = from_offered(run);
  if (!made) made = trained_to(run);
  const std::lock_guard lock(all.mutex);
  all.recent.push_back(made);
  if (all.recent.size() > most_recent) all.recent.pop_front();
  return made;
}

}  // namespace headlight
