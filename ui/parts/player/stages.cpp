#include "ui/parts/player/stages.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "core/compute/network/network.h"
#include "core/scenario/inputs/inputs.h"
#include "ui/base/document/view.h"
#include "ui/parts/scene/travel.h"

namespace headlight {
namespace {

int last_moment(const Timeline::Chapter& chapter) { return chapter.first + chapter.count - 1; }

/// The next and the previous chapter that playback shows; unset at the ends.
std::optional<std::size_t> chapter_after(const Timeline& timeline, std::size_t chapter) {
  const std::vector<std::size_t> pass = pass_of(timeline);
  const auto after = std::ranges::upper_bound(pass, chapter);
  return after == pass.end() ? std::nullopt : std::optional(*after);
}
std::optional<std::size_t> chapter_before(const Timeline& timeline, std::size_t chapter) {
  const std::vector<std::size_t> pass = pass_of(timeline);
  const auto at = std::ranges::lower_bound(pass, chapter);
  return at == pass.begin() ? std::nullopt : std::optional(*std::prev(at));
}

/// Whether the next word, or the reasons for it, are shown.
bool is_at_next(const View& view) {
  return level_shown(view) == Level::operation && (view.levels.facet == Facet::next || view.levels.facet == Facet::why);
}

constexpr double moment_seconds = 0.8;  // duration of a moment at speed 1
constexpr double travel_seconds = 0.25;

/// The next moment in the chapter of `moment`; after its end, its first one.
int next_in_loop(const Timeline& timeline, int moment) {
  if (moment < 0) return 0;
  const Timeline::Chapter& chapter = *timeline.chapter_of(timeline.at(moment).stage);
  return chapter.first + (moment - chapter.first + 1) % chapter.count;
}

}  // namespace

std::vector<std::size_t> pass_of(const Timeline& timeline) {
  const auto& chapters = timeline.chapters();
  const bool split = timeline.chapter_of(Stage::Q_heads) != nullptr;
  std::vector<std::size_t> pass;
  for (std::size_t i = 0; i < chapters.size(); ++i) {
    if (split && (chapters[i].stage == Stage::K_heads || chapters[i].stage == Stage::V_heads)) continue;
    pass.push_back(i);
  }
  return pass;
}

std::size_t chapter_at(const View& view, const Timeline& timeline) {
  const Stage stage = view.step ? timeline.at(*view.step).stage : view.levels.stage;
  const Timeline::Chapter* chapter = timeline.chapter_of(stage);
  return chapter ? static_cast<std::size_t>(chapter - timeline.chapters().data()) : 0;
}

Stage stage_shown(const Frame& frame) {
  const View& view = frame.view();
  const Trace& trace = *frame.trace();
  const bool among_cards = level_shown(view) == Level::pipeline && view.selected && trace.has(*view.selected);
  const Stage stage = view.step     ? frame.timeline.at(*view.step).stage
                      : among_cards ? view.selected->stage
                                    : view.levels.stage;
  if (trace.has(stage) && !is_parameter(stage)) return shown_as(trace, stage);
  return trace.has(Stage::scores) ? Stage::scores : Stage::weights;
}

View with_stage_beside(View view, const Trace& trace, const Timeline& timeline, bool after) {
  const auto& chapters = timeline.chapters();
  view.playing = false;
  if (chapters.empty() || (!view.step && !after)) return view;
  const std::size_t at = chapter_at(view, timeline);
  const std::optional<std::size_t> to = !view.step ? std::optional(pass_of(timeline).front())
                                        : after    ? chapter_after(timeline, at)
                                                   : chapter_before(timeline, at);
  if (to) return at_moment(std::move(view), trace, timeline, last_moment(chapters[*to]));
  return after ? view : without_moment(std::move(view));
}

View with_stage(View view, const Timeline& timeline, std::size_t chapter) {
  const auto& chapters = timeline.chapters();
  if (chapters.empty()) return view;
  const Timeline::Chapter& to = chapters[std::min(chapter, chapters.size() - 1)];
  view.levels.level = Level::operation;
  view.levels.stage = to.stage;
  view.levels.facet = Facet::step;
  view.levels.guessing = {};
  view.levels.progress = 1.0f;
  view.step = last_moment(to);
  view.playing = false;
  view.pointed.cell.reset();
  return view;
}

bool says_next(const Trace& trace) {
  const auto run = network_of(trace.inputs);
  return run && run->logits.defined() && run->final.defined();
}

bool reads_pictures(const Trace& trace) {
  const auto run = network_of(trace.inputs);
  return run && run->network->spec().picture;
}

View with_next_word(View view, const Timeline& timeline) {
  if (!timeline.chapters().empty()) view = with_stage(std::move(view), timeline, pass_of(timeline).back());
  view.levels.facet = Facet::next;
  return view;
}

View with_next_stage(View view, const Trace& trace, const Timeline& timeline) {
  if (level_shown(view) == Level::sentence) return with_stage(std::move(view), timeline, 0);
  const std::size_t at = chapter_at(view, timeline);
  const std::optional<std::size_t> next = is_at_next(view) ? std::nullopt : chapter_after(timeline, at);
  if (!next && says_next(trace)) return with_next_word(std::move(view), timeline);
  return with_stage(std::move(view), timeline, next.value_or(at));
}

View with_last_stage(View view, const Timeline& timeline) {
  if (level_shown(view) == Level::sentence || timeline.chapters().empty()) return view;
  if (is_at_next(view)) return with_stage(std::move(view), timeline, pass_of(timeline).back());
  const std::size_t at = chapter_at(view, timeline);
  if (const auto before = chapter_before(timeline, at)) return with_stage(std::move(view), timeline, *before);
  view.levels.level = Level::sentence;
  view.levels.progress.reset();
  view.step.reset();
  view.playing = false;
  return view;
}

View with_played_stage(View view, const Trace& trace, const Timeline& timeline) {
  const auto& chapters = timeline.chapters();
  if (chapters.empty()) return view;
  const bool through = view.levels.progress.value_or(1.0f) >= 1.0f, at_next = is_at_next(view);
  const float share = through ? 0.0f : *view.levels.progress;
  std::size_t at = level_shown(view) == Level::sentence ? 0 : chapter_at(view, timeline);
  const bool last = through && view.step && at + 1 >= chapters.size();
  if (at_next ? !through : last && says_next(trace)) {
    view = with_next_word(std::move(view), timeline);
  } else {
    if (last || at_next) at = 0;
    view = with_stage(std::move(view), timeline, at);
  }
  view.levels.progress = share;
  view.playing = true;
  return view;
}

View with_play_toggled(View view, const Trace& trace, const Timeline& timeline) {
  view.playing = !view.playing;
  if (!view.playing) return view;
  if (level_shown(view) != Level::pipeline) return with_played_stage(std::move(view), trace, timeline);
  const bool at_end = !view.step || *view.step >= timeline.count() - 1;
  return at_end ? at_moment(std::move(view), trace, timeline, 0) : view;
}

View one_level_in(View view, const Trace& trace, const Timeline& timeline) {
  switch (level_shown(view)) {
    case Level::sentence:
      view.levels.level = Level::operation;
      view.levels.stage = Stage::weights;
      break;
    case Level::pipeline: {
      const std::optional<Cell> cell = view.pointed.cell ? view.pointed.cell : view.selected;
      const Stage stage = shown_as(trace, cell ? cell->stage : view.pointed.card.value_or(view.levels.stage));
      view.levels.level = Level::operation;
      if (timeline.chapter_of(stage)) view.levels.stage = stage;
      break;
    }
    case Level::operation: return view;
  }
  view.levels.progress.reset();
  view.levels.facet = Facet::step;
  view.levels.guessing = {};
  view.step.reset();
  view.pointed.cell.reset();
  view.playing = false;
  return view;
}

namespace {

/// Shows what comes next, unless playing has been stopped since: what somebody did in the same frame stands.
template <typename Edit>
void go_on(const Frame& frame, Edit edit) {
  frame.show([edit = std::move(edit)](View& v) {
    if (v.playing) edit(v);
  });
}

}  // namespace

double stage_seconds(Stage stage) {
  switch (stage) {
    case Stage::query:
    case Stage::key:
    case Stage::value: return 3.4;
    case Stage::Q: return 2.6;
    case Stage::scores: return 3;
    case Stage::weights: return 6;
    case Stage::head_outputs: return 4;
    case Stage::output: return 3.6;
    default: return 1.9;
  }
}

void Playback::advance_by_stage(const Frame& frame, double seconds) {
  const View& view = frame.view();
  const auto& chapters = frame.timeline.chapters();
  if (!view.playing || chapters.empty()) {
    since_moment_ = 0;
    return;
  }
  const auto* motion = frame.pictures.find<SceneMotion>();
  if (motion && motion->moves()) return;  // the new scene is made after the transition
  const std::size_t at = chapter_at(view, frame.timeline);
  const bool at_next = is_at_next(view);
  const float before = view.levels.progress.value_or(0.0f);
  const double pace =
      static_cast<double>(view.speed) / (at_next ? next_word_seconds : stage_seconds(chapters[at].stage));
  if (before < 1) {
    since_moment_ = 0;
    const float share = std::min(before + static_cast<float>(std::min(seconds, 0.1) * pace), 1.0f);
    return go_on(frame, [at, share, at_next, &timeline = frame.timeline](View& v) {
      const Timeline::Chapter& chapter = timeline.chapters()[at];
      v = at_next ? with_next_word(std::move(v), timeline) : with_stage(std::move(v), timeline, at);
      v.playing = true;
      v.levels.progress = share;
      const int moment = static_cast<int>(share * static_cast<float>(chapter.count));
      if (!at_next) v.step = chapter.first + std::min(moment, chapter.count - 1);
    });
  }
  since_moment_ += seconds;
  if (since_moment_ * static_cast<double>(view.speed) < standing_seconds) return;
  since_moment_ = 0;
  const std::optional<std::size_t> next = at_next ? std::nullopt : chapter_after(frame.timeline, at);
  const bool word_follows = !at_next && !next && says_next(*frame.trace());
  go_on(frame, [at, next, at_next, word_follows, &timeline = frame.timeline](View& v) {
    const bool goes_on = v.looping || next || word_follows;
    if (v.looping && !at_next) v = with_stage(std::move(v), timeline, at);
    else if (next) v = with_stage(std::move(v), timeline, *next);
    else if (word_follows) v = with_next_word(std::move(v), timeline);
    v.playing = goes_on;
    if (goes_on) v.levels.progress = 0.0f;
  });
}

void Playback::advance(const Frame& frame, double seconds) {
  const View& view = frame.view();
  if (frame.trace() && level_shown(view) != Level::pipeline) return advance_by_stage(frame, seconds);
  if (!view.playing || view.pointed.cell || !frame.trace()) {
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
    go_on(frame, [trace = frame.document.trace, &timeline = frame.timeline, next](View& v) {
      v = at_moment(std::move(v), *trace, timeline, next);
    });
  } else {
    frame.show([](View& v) { v.playing = false; });
  }
}

double Playback::next_frame_in(const View& view) {
  if (view.playing && level_shown(view) != Level::pipeline) return 0;
  if (!view.playing || view.pointed.cell) return std::numeric_limits<double>::infinity();
  return moment_seconds / static_cast<double>(view.speed) / 4;
}

}  // namespace headlight
