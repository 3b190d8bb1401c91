#include "ui/player/playback.h"
#include "ui/document/moment.h"

#include <limits>

namespace headlight {
namespace {

constexpr double moment_seconds = 0.8;  // that a moment stands at speed 1
constexpr double travel_seconds = 0.25;

/// The next moment within the chapter that `moment` is in, from its start again after its end.
int next_in_loop(const Timeline& timeline, int moment) {
  for (const Timeline::Chapter& chapter : timeline.chapters()) {
    if (moment < chapter.first || moment >= chapter.first + chapter.count) continue;
    return chapter.first + (moment - chapter.first + 1) % chapter.count;
  }
  return 0;
}

}  // namespace

void Playback::advance(const Frame& frame, double seconds) {
  const View& view = frame.view();
  if (!view.playing || view.hovered || !frame.trace()) {
    since_moment_ = 0;
    return;
  }
  since_moment_ += seconds;
  const bool travels = view.step && frame.timeline.at(*view.step).kind == Moment::Kind::travel;
  if (since_moment_ < (travels ? travel_seconds : moment_seconds) / static_cast<double>(view.speed)) return;
  since_moment_ = 0;
  const int now = view.step.value_or(-1);
  const int next = view.looping ? next_in_loop(frame.timeline, now) : now + 1;
  if (next < frame.timeline.count()) {
    frame.change(at_moment(view, *frame.trace(), frame.timeline, next));
  } else {
    View stopped = view;
    stopped.playing = false;
    frame.change(std::move(stopped));
  }
}

double Playback::next_frame_in(const View& view) {
  if (!view.playing || view.hovered) return std::numeric_limits<double>::infinity();
  return moment_seconds / static_cast<double>(view.speed) / 4;
}

}  // namespace headlight
