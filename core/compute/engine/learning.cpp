#include "core/compute/engine/learning.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <utility>

#include "core/base/parallel/jobs.h"
#include "core/base/tensor/error.h"
#include "core/compute/network/trained_networks.h"

namespace headlight {
namespace {

constexpr Index measured_sequences = 96;               // fresh ones for each kept step
constexpr std::size_t most_learners = 4;               // runs in memory
constexpr std::chrono::milliseconds told{30};          // between two states that are published, at least
constexpr std::chrono::milliseconds most_silent{250};  // and at most, where steps are slow

}  // namespace

const LearnedMoment& Learned::nearest(Index at) const {
  const auto after = std::ranges::lower_bound(moments, at, {}, &LearnedMoment::step);
  if (after == moments.begin()) return moments.front();
  if (after == moments.end()) return moments.back();
  const auto before = after - 1;
  return at - before->step <= after->step - at ? *before : *after;
}

const LearnedMoment* Learned::steepest() const {
  // Over a window of a twelfth of the steps, since single measurements scatter.
  const Index window = std::max<Index>(step / 12, 2);
  double best = 0;
  Index middle = 0;
  for (const LearnedMoment& from : moments) {
    const LearnedMoment& to = nearest(from.step + window);
    const double rise = to.measured.accuracy - from.measured.accuracy;
    if (to.step - from.step > 2 * window || rise <= best) continue;
    best = rise;
    middle = (from.step + to.step) / 2;
  }
  return best > 0 ? &nearest(middle) : nullptr;
}

std::vector<const LearnedMoment*> Learned::telling(std::size_t count) const {
  // How far along each moment is: mostly by the best accuracy so far, since single measurements scatter, a little by
  // its step, so that a run that learns nothing is spread evenly.
  constexpr double by_accuracy = 0.85, scatter = 0.03;
  std::vector<double> along;
  const double first = moments.front().measured.accuracy;
  double best = first;
  for (const LearnedMoment& moment : moments) along.push_back(best = std::max(best, moment.measured.accuracy));
  const double rise = std::max(best - first - scatter, scatter), steps = static_cast<double>(std::max<Index>(step, 1));
  for (std::size_t i = 0; i < moments.size(); ++i)
    along[i] = by_accuracy * std::max(along[i] - first - scatter, 0.0) / rise +
               (1 - by_accuracy) * static_cast<double>(moments[i].step) / steps;
  count = std::min(count, moments.size());
  std::vector<const LearnedMoment*> chosen;
  std::size_t next = 0;  // the first that may be chosen
  for (std::size_t column = 0; column < count; ++column) {
    const double wanted =
        along.back() * static_cast<double>(column) / static_cast<double>(std::max<std::size_t>(count - 1, 1));
    const std::size_t last = moments.size() - (count - column);  // enough remain for the other columns
    std::size_t at = column + 1 == count && count > 1 ? last : next;
    while (at < last && std::abs(along[at + 1] - wanted) <= std::abs(along[at] - wanted)) ++at;
    chosen.push_back(&moments[at]);
    next = at + 1;
  }
  return chosen;
}

bool is_same_run(const std::string& a, const std::string& b) {
  return a.starts_with(run_prefix) && a.compare(0, a.rfind('@'), b, 0, b.rfind('@')) == 0;
}

std::string with_step(const std::string& name, Index step) {
  return name.substr(0, name.rfind('@')) + "@" + std::to_string(step);
}

std::string whole_run_name(const TrainingSettings& run, Index step) {
  std::string name = run_name(run, step);
  if (run.steps != training_defaults(run.task).steps)
    name.insert(name.rfind('@'), ";steps=" + std::to_string(run.steps));
  return name;
}

/// One run. The worker has the trainer; `now` is shared.
struct Learning::Learner {
  explicit Learner(TrainingSettings run) : settings(std::move(run)) {}

  const TrainingSettings settings;
  std::shared_ptr<Trainer> trainer;
  std::map<Index, LearnedMoment> known;
  Message error;
  mutable std::mutex mutex;
  std::shared_ptr<const Learned> published;

  std::shared_ptr<const Learned> now() const {
    const std::lock_guard lock(mutex);
    return published;
  }

  Index step() const { return trainer ? trainer->step() : -1; }
  bool done(Index until) const {
    return !error.empty() || step() >= std::min(until, settings.steps);  // step 0 is wanted in any case
  }

  /// Learns up to `until`, for about as long as `told` lasts or a stride of slow steps takes, and publishes what is
  /// known then.
  void go_on(Index until, const std::stop_token& stop) {
    const auto begun = std::chrono::steady_clock::now();
    try {
      if (!trainer) {
        trainer = std::make_shared<Trainer>(settings);
        offer_run(trainer);
      }
      const Index first = step(), stride = std::max<Index>(settings.steps / 150, 1);  // each published step is measured
      while (step() < until) {
        const bool more = trainer->train(1, stop), whole = (step() - first) % stride == 0;
        if (whole) breathe();
        const auto passed = std::chrono::steady_clock::now() - begun;
        if (!more || passed > most_silent || (whole && passed > told)) break;
      }
    } catch (const InputError& wrong) { error = wrong.message(); }
    publish(stop);
  }

  void publish(const std::stop_token& stop) {
    auto fresh = std::make_shared<Learned>();
    fresh->settings = settings;
    fresh->error = error;
    if (trainer) {
      fresh->step = trainer->step();
      fresh->losses = trainer->losses();
      fresh->probe = trainer->probe();
      fresh->words = trainer->data().words();
      fresh->chance = trainer->data().chance();
      fresh->ceiling = trainer->ceiling();
      std::map<Index, LearnedMoment> kept;
      for (const KeptStep& at : trainer->kept()) {
        if (stop.stop_requested()) throw Cancelled();
        const auto last = known.find(at.step);
        LearnedMoment& moment = kept[at.step];
        if (last != known.end()) moment = last->second;
        else moment = moment_at(at, fresh->probe);
        fresh->moments.push_back(moment);
      }
      known = std::move(kept);
    }
    const std::lock_guard lock(mutex);
    published = std::move(fresh);
  }

  LearnedMoment moment_at(const KeptStep& at, const Probe& probe) const {
    const auto exact = std::ranges::find(trainer->measured(), at.step, &Measured::step);
    return {at.step, std::make_shared<const ProbeAnswers>(trainer->answers(probe, at)),
            exact != trainer->measured().end() ? *exact : trainer->measure(at, measured_sequences)};
  }
};

Learning::Learning(std::function<void()> wake) : task_(std::move(wake)) {}
Learning::~Learning() = default;

std::shared_ptr<Learning::Learner> Learning::learner_of(const TrainingSettings& run) {
  const auto found = std::ranges::find_if(learners_, [&](const auto& learner) { return learner->settings == run; });
  std::shared_ptr<Learner> learner = found != learners_.end() ? *found : std::make_shared<Learner>(run);
  if (found != learners_.end()) learners_.erase(found);
  learners_.push_back(learner);
  if (learners_.size() > most_learners) learners_.erase(learners_.begin());
  return learner;
}

void Learning::want(std::span<const Wish> wishes, int round) {
  if (std::exchange(round_, round) != round) {
    learners_.clear();
    plan_.reset();
  }
  const auto same = [](const Wish& wish, const auto& last) {
    return *wish.run == last.first && wish.until == last.second;
  };
  if (plan_ && std::ranges::equal(wishes, wishes_, same)) return task_.want(plan_, {});
  wishes_.clear();
  for (const Wish& wish : wishes) wishes_.emplace_back(*wish.run, wish.until);
  struct Stretch {
    std::shared_ptr<Learner> learner;
    Index until = 0;
  };
  auto parts = std::make_shared<std::vector<Stretch>>();
  for (const Wish& wish : wishes) parts->push_back({learner_of(*wish.run), wish.until});
  plan_ = parts;
  task_.want(plan_, [parts](const std::stop_token& stop, const auto& tell) {
    while (true) {
      Stretch* next = nullptr;
      for (Stretch& part : *parts) {
        if (!part.learner->done(part.until) && (!next || part.learner->step() < next->learner->step())) next = &part;
      }
      if (!next) return;
      next->learner->go_on(next->until, stop);
      tell(0);
    }
  });
}

std::shared_ptr<const Learned> Learning::now(const TrainingSettings& run) const {
  const auto found = std::ranges::find_if(learners_, [&](const auto& learner) { return learner->settings == run; });
  return found != learners_.end() ? (*found)->now() : nullptr;
}

}  // namespace headlight
