#include "ui/player/playback.h"

#include <algorithm>
#include <limits>

#include "ui/document/view.h"
#include "ui/level/travel.h"
#include "ui/player/stages.h"

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

void Playback::advance_by_stage(const Frame& frame, double seconds) {
  const View& view = frame.view();
  const auto& chapters = frame.timeline.chapters();
  if (!view.playing || chapters.empty()) {
    since_moment_ = 0;
    return;
  }
  const auto* motion = frame.pictures.find<SceneMotion>();
  if (motion && motion->moves()) return;  // nothing is made before it is there
  const std::size_t at = chapter_at(view, frame.timeline);
  const bool at_next = is_at_next(view);
  const float before = view.looking.share.value_or(0.0f);
  const double pace =
      static_cast<double>(view.speed) / (at_next ? next_word_seconds : stage_seconds(chapters[at].stage));
  if (before < 1) {
    since_moment_ = 0;
    const float share = std::min(before + static_cast<float>(std::min(seconds, 0.1) * pace), 1.0f);
    return frame.show([at, share, at_next, &timeline = frame.timeline](View& v) {
      const Timeline::Chapter& chapter = timeline.chapters()[at];
      v = at_next ? with_next_word(std::move(v), timeline) : with_stage(std::move(v), timeline, at);
      v.playing = true;
      v.looking.share = share;
      if (!at_next)
        v.step =
            chapter.first + std::min(static_cast<int>(share * static_cast<float>(chapter.count)), chapter.count - 1);
    });
  }
  since_moment_ += seconds;
  if (since_moment_ * static_cast<double>(view.speed) < standing_seconds) return;
  since_moment_ = 0;
  const std::optional<std::size_t> next = at_next ? std::nullopt : next_in_pass(frame.timeline, at);
  const bool word_follows = !at_next && !next && says_next(*frame.trace());
  frame.show([at, next, at_next, word_follows, &timeline = frame.timeline](View& v) {
    const bool goes_on = v.looping || next || word_follows;
    if (v.looping && !at_next) v = with_stage(std::move(v), timeline, at);
    else if (next) v = with_stage(std::move(v), timeline, *next);
    else if (word_follows) v = with_next_word(std::move(v), timeline);
    v.playing = goes_on;
    if (goes_on) v.looking.share = 0.0f;
  });
}

void Playback::advance(const Frame& frame, double seconds) {
  const View& view = frame.view();
  if (frame.trace() && level_shown(view) != Level::pipeline) return advance_by_stage(frame, seconds);
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
    go_to_moment(frame, next);
  } else {
    frame.show([](View& v) { v.playing = false; });
  }
}

double Playback::next_frame_in(const View& view) {
  if (view.playing && level_shown(view) != Level::pipeline) return 0;
  if (!view.playing || view.hovered) return std::numeric_limits<double>::infinity();
  return moment_seconds / static_cast<double>(view.speed) / 4;
}

}  // namespace headlight
