#include "ui/session/kept_timeline.h"

#include <algorithm>

#include "ui/document/moment.h"

namespace headlight {

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

}  // namespace headlight
