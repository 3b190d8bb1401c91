#include "ui/session/followers.h"

#include <algorithm>
#include <cmath>

#include "ui/document/beside.h"
#include "ui/document/moment.h"
#include "ui/look/measure.h"

namespace headlight {

void draw_frozen_note(const Frame& frame, ImVec2 window) {
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const float u = frame.u, pixels = TypeSize::large * u;
  const char* words = frame.words("level.held");
  const ImVec2 size = text_size(frame.fonts, Face::ui, pixels, words);
  const ImVec2 max{window.x - 12 * u, window.y - 12 * u}, min{max.x - size.x - 20 * u, max.y - size.y - 10 * u};
  list.AddRectFilled(min, max, frame.look.field, Corner::card * u);
  draw_text(list, frame.fonts, Face::ui, pixels, {min.x + 10 * u, min.y + 5 * u}, frame.look.muted, words);
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
  const bool current = document.trace && document.computed == document.scenario;
  const bool lost = given_ && !document.beside;  // as by undo, which brings the source back without its result
  const bool other = document.own != own_ || document.trace != trace_ || lost;
  if (other && document.own && current) {
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
    show_beside(document, std::move(result));
    given_ = true;
  }
  document.searching = comparer_.progress();
}

void OwnComparison::wait(Document& document) {
  follow(document);
  if (auto result = comparer_.wait()) {
    show_beside(document, std::move(result));
    given_ = true;
  }
  document.searching = comparer_.progress();
}

bool OwnComparison::is_settled(const Document& document) const {
  if (!document.own) return true;
  return document.beside && !document.searching.busy && own_ == document.own && trace_ == document.trace;
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

}  // namespace headlight
