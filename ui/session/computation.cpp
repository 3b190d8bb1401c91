#include "ui/session/computation.h"

#include <algorithm>
#include <utility>

#include "core/files/watched_run.h"
#include "core/text/utf8_path.h"
#include "ui/document/action.h"
#include "ui/open/opening.h"

namespace headlight {

void Computation::follow(const Document& document) {
  if (ticket_ == 0 || !(document.scenario == submitted_) || document.pinned != submitted_against_) submit(document);
}

void Computation::submit(const Document& document) {
  submitted_ = document.scenario;
  submitted_against_ = document.pinned;
  const std::string followed = submitted_.source == Source::file ? file_to_follow(submitted_.file) : std::string();
  watch_.watch(followed);
  if (std::exchange(followed_, followed) != followed && followed != submitted_.file) {
    const std::vector<RecordedStep> steps = recorded_steps(submitted_.file);
    newest_ = steps.empty() ? submitted_.file : steps.back().path;
  }
  ticket_ = engine_.submit(submitted_, submitted_against_);
  reloading_ = 0;
}

void Computation::reload_changed(Document& document) {
  if (!watch_.take() || document.scenario.source != Source::file || !document.trace) return;
  if (!watched_name(document.scenario.file).empty()) return follow_run(document);
  reloading_ = ticket_ = engine_.submit(submitted_, submitted_against_);
}

void Computation::follow_run(Document& document) {
  const std::vector<RecordedStep> steps = recorded_steps(document.scenario.file);
  if (steps.empty()) return;
  const std::string& shown = document.scenario.file;
  const bool newest = shown == std::exchange(newest_, steps.back().path) || shown == file_to_follow(shown);
  if (newest) show_recorded(document, newest_);
}

void Computation::take(Document& document, Opener& opener, const Words& words) {
  if (auto outcome = engine_.take()) take(std::move(*outcome), document, opener, words);
}

void Computation::wait(Document& document, Opener& opener, const Words& words) {
  if (auto outcome = engine_.wait()) take(std::move(*outcome), document, opener, words);
}

void Computation::take(Outcome outcome, Document& document, Opener& opener, const Words& words) {
  if (outcome.last) settled_ = std::max(settled_, outcome.ticket);
  if (outcome.ticket != ticket_ || !(document.scenario == submitted_)) {
    // Of a scenario that is not the newest any more: its numbers may be looked at meanwhile, where they have what is
    // looked at; its failure is no news.
    if (outcome.trace && looks_within(document.view, *outcome.trace))
      show_trace(document, std::move(outcome.trace), std::move(outcome.scenario));
    return;
  }
  failure_ = outcome.error;
  const bool reloaded = outcome.ticket == std::exchange(reloading_, 0);
  if (outcome.trace) {
    show_trace(document, std::move(outcome.trace), std::move(outcome.scenario));
    if (document.pinned == submitted_against_) document.difference = std::move(outcome.difference);
    opener.arrived();
    if (reloaded) document.notice = words.fill("messages.reloaded", {file_name_of(document.scenario.file)});
  } else if (reloaded) {
    // Half written, or of other shapes: what is shown stays, and the next change of the file is another try.
    document.notice = words.fill("messages.not_reloaded", {words.translate(outcome.error)});
  } else {
    opener.failed(document, outcome.error);
    submitted_ =
        document.trace ? document.computed : document.scenario;  // what was asked for before may not be computed yet
  }
}

}  // namespace headlight
