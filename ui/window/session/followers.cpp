#include "ui/window/session/followers.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/text/utf8_path.h"
#include "ui/base/document/action.h"
#include "ui/base/document/view.h"
#include "ui/base/look/measure.h"

namespace headlight {

void draw_frozen_note(const Frame& frame, ImVec2 window) {
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const float u = frame.u, pixels = TypeSize::large * u;
  const char* words = frame.words("level.held");
  const ImVec2 size = text_size(frame.fonts, Face::ui, pixels, words);
  const ImVec2 max{window.x - Space::apart * u, window.y - Space::apart * u},
      min{max.x - size.x - Space::wide * u, max.y - size.y - Space::pad * u};
  list.AddRectFilled(min, max, frame.look.field, Corner::card * u);
  draw_text(list, frame.fonts, Face::ui, pixels, {min.x + Space::pad * u, min.y + Space::close * u}, frame.look.muted,
            words);
}

void draw_blank_note(const Frame& frame, ImVec2 window) {
  const float u = frame.u, pixels = TypeSize::large * u;
  const char* words = frame.words("level.blank");
  const ImVec2 size = text_size(frame.fonts, Face::ui, pixels, words);
  constexpr ImU32 dim = IM_COL32(122, 122, 122, 255);  // read at the desk; on the wall it disturbs nobody
  draw_text(*ImGui::GetForegroundDrawList(), frame.fonts, Face::ui, pixels,
            {window.x - size.x - Space::part * u, window.y - size.y - Space::apart * u}, dim, words);
}

void KeptTimeline::follow(Document& document) {
  View& view = document.view;
  if (of_ == document.trace && way_ == view.way) return;
  const bool other_way = document.trace && of_ == document.trace;
  const Stage at = other_way && view.step ? timeline_.at(*view.step).stage : Stage::key;
  of_ = document.trace;
  way_ = view.way;
  timeline_ = document.trace ? Timeline(*document.trace, way_) : Timeline();
  if (view.step) view.step = std::clamp(*view.step, 0, std::max(timeline_.count() - 1, 0));
  if (!other_way || !view.step) return;
  const Timeline::Chapter* chapter = timeline_.chapter_of(at);
  view = at_moment(view, *document.trace, timeline_, chapter ? chapter->first : 0);
}

void OwnComparison::follow(Document& document) {
  const bool lost = given_ && !document.own_compared;  // after an undo, which restores the source but not the result
  if (document.trace && document.trace->gradients_of) return;  // it is of the numbers
  const bool other = document.own != own_ || document.trace != trace_ || lost;
  if (other && document.own && is_current(document)) {
    own_ = document.own;
    trace_ = document.trace;
    given_ = false;
    comparer_.submit(document.trace, *document.own);
  } else if (!document.own && own_) {
    comparer_.stop();
    own_.reset();
    trace_.reset();
  }
  if (auto result = comparer_.take(); result && document.own == result->source && result->trace == document.trace) {
    show_compared(document, std::move(result));
    given_ = true;
  }
  document.searching = comparer_.progress();
}

void OwnComparison::wait(Document& document) {
  follow(document);
  if (auto result = comparer_.wait()) {
    show_compared(document, std::move(result));
    given_ = true;
  }
  document.searching = comparer_.progress();
}

bool OwnComparison::is_finished(const Document& document) const {
  if (!document.own || (document.trace && document.trace->gradients_of)) return true;
  return document.own_compared && !document.searching.busy && own_ == document.own && trace_ == document.trace;
}

void Notices::follow(Document& document) {
  if (document.notice != said_) {
    said_ = document.notice;
    since_ = Clock::now();
  } else if (!said_.empty() && seconds_left(document) <= 0) {
    document.notice.clear();
  }
}

double Notices::seconds_left(const Document& document) const {
  if (document.notice.empty()) return 0;
  if (!std::isfinite(stands_)) return stands_;
  if (document.notice != said_) return 0;
  return std::max(stands_ - std::chrono::duration<double>(Clock::now() - since_).count(), 0.0);
}

void Computation::follow(const Document& document) {
  if (ticket_ == 0 || !(document.scenario == submitted_) || document.pinned != submitted_against_ ||
      loss_of(document) != submitted_loss_)
    submit(document);
}

std::optional<std::string> Computation::loss_of(const Document& document) {
  return shows_gradients(document.view) ? document.view.loss : std::nullopt;
}

void Computation::submit(const Document& document) {
  submitted_ = document.scenario;
  submitted_against_ = document.pinned;
  submitted_loss_ = loss_of(document);
  const std::string followed = submitted_.source == Source::file ? file_to_follow(submitted_.file) : std::string();
  watch_.watch(followed);
  if (std::exchange(followed_, followed) != followed && followed != submitted_.file) {
    const std::vector<RecordedStep> steps = recorded_steps(submitted_.file);
    newest_ = steps.empty() ? submitted_.file : steps.back().path;
  }
  ticket_ = engine_.submit(submitted_, submitted_against_, submitted_loss_);
  reloading_ = 0;
}

void Computation::reload_changed(Document& document) {
  if (!watch_.take() || document.scenario.source != Source::file || !document.trace) return;
  if (!watched_name(document.scenario.file).empty()) return follow_run(document);
  reloading_ = ticket_ = engine_.submit(submitted_, submitted_against_, submitted_loss_);
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
  if (outcome.last) finished_ = std::max(finished_, outcome.ticket);
  if (outcome.ticket != ticket_ || !(document.scenario == submitted_)) {
    // The trace of an older scenario is still shown if it has the selected cell; its errors are ignored.
    if (outcome.trace && selects_within(document.view, *outcome.trace))
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
  } else if (submitted_loss_) {  // the numbers themselves may be right
    document.view.loss.reset();
    document.error = outcome.error;
  } else if (reloaded) {
    // The file is half written or has other shapes: the current trace stays until the file changes again.
    document.notice = words.fill("messages.not_reloaded", {words.translate(outcome.error)});
  } else {
    opener.failed(document, outcome.error);
    submitted_ = document.trace ? document.computed : document.scenario;  // the newest scenario may not be computed yet
  }
}

}  // namespace headlight
