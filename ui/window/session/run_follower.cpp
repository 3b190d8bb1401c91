#include "ui/window/session/run_follower.h"

#include <algorithm>
#include <utility>

#include "core/base/tensor/error.h"
#include "ui/base/document/action.h"

namespace headlight {

void RunFollower::Named::read(const std::string& of) {
  if (of == name) return;
  name = of;
  run.reset();
  if (!of.starts_with(run_prefix)) return;
  try {
    run = named_run(of);
  } catch (const InputError&) {  // computing the scenario shows the error
  }
}

/// The steps that it may have done by now.
Index RunFollower::paced(const Document& document, Index until) {
  const auto now = Clock::now();
  const double passed = std::min(std::chrono::duration<double>(now - last_).count(), 0.1);
  last_ = now;
  const double done = document.learned ? static_cast<double>(document.learned->step) : 0;
  if (until_ != until) allowed_ = done;
  if (document.view.train.pace == TrainPace::at_once || until <= 0) return until;
  const double seconds = document.view.train.pace == TrainPace::slow ? 30 : 8;
  const double speed = static_cast<double>(run_.run->settings.steps) / seconds;
  // A slow machine does not gather steps that it would then do all at once.
  allowed_ = std::min(allowed_ + passed * speed, done + std::max(speed, 1.0));
  return std::min(until, static_cast<Index>(allowed_));
}

/// It ended there, was paused or failed: other views show this step.
void RunFollower::end_learning(Document& document, Index step) {
  document.view.train.until = 0;
  apply(document, EditScenario{[step](Scenario& s) { s.file = with_step(s.file, step); }, {}});
}

namespace {

/// Another step of the same run, with its probe, is looked at; nothing has to be saved for that.
void save_step(Document& document) {
  Scenario& saved = document.origin.saved;
  const Scenario& now = document.scenario;
  if (saved.file == now.file || !is_same_run(saved.file, now.file)) return;
  saved.file = now.file;
  if (document.learned && now.text == document.learned->probe.text) saved.text = now.text;
  saved.layer = now.layer;
}

}  // namespace

void RunFollower::follow(Document& document) {
  const bool same_step = run_.name == document.scenario.file;
  TrainChoice& choice = document.view.train;
  static const std::string none;
  run_.read(document.scenario.source == Source::file ? document.scenario.file : none);
  beside_.read(run_.run ? choice.beside : none);
  if (!run_.run) {
    choice.until = until_ = 0;
    learning_.want({}, choice.round);
    document.learned.reset();
    document.learned_beside.reset();
    return;
  }
  save_step(document);
  const TrainingSettings& settings = run_.run->settings;
  const Index until = choice.until;
  const Index wanted = std::max(paced(document, until), std::min(run_.run->step, settings.steps));
  const bool two = beside_.run && !(beside_.run->settings == settings);
  // The second run catches up with the first one, and both go on together, or is as far as its name says.
  const Index beside = two ? std::max(wanted, std::min(beside_.run->step, beside_.run->settings.steps)) : 0;
  const Learning::Wish wishes[] = {{&settings, wanted}, {two ? &beside_.run->settings : nullptr, beside}};
  learning_.want(std::span(wishes).first(two ? 2 : 1), choice.round);
  document.learned = learning_.now(settings);
  document.learned_beside = two ? learning_.now(beside_.run->settings) : nullptr;
  if (document.learned_beside && document.learned_beside->moments.empty()) document.learned_beside.reset();
  const Learned* learned = document.learned.get();
  const bool paused = until_ > 0 && until == 0 && same_step;
  if (learned &&
      (paused || (until > 0 && (learned->step >= std::min(until, settings.steps) || !learned->error.empty()))))
    end_learning(document, learned->step);
  until_ = choice.until;
}

void RunFollower::wait(Document& document) {
  const TrainPace pace = std::exchange(document.view.train.pace, TrainPace::at_once);
  follow(document);
  learning_.wait();
  follow(document);
  document.view.train.pace = pace;
}

}  // namespace headlight
