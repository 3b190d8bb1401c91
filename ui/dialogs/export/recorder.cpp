#include "ui/dialogs/export/recorder.h"

#include <algorithm>
#include <cmath>

#include "core/base/files/whole_file.h"
#include "core/base/tensor/error.h"
#include "core/base/text/utf8_path.h"
#include "core/figures/export/export_options.h"
#include "ui/parts/player/stages.h"

namespace headlight {

void Recorder::start(Document& document, std::string path) {
  path_ = std::move(path);
  document.error.clear();
  document.notice.clear();
  View& view = document.view;
  view.dialog = Dialog::none;
  view.playing = false;
  view.pointed = {};
  before_ = view;
  at_ = 0;
  frames_ = 0;
  story_.clear();
  previews_ = false;
}

void Recorder::start_preview(Document& document, bool alone) {
  start_picture(document, "preview", alone);
  before_.dialog = Dialog::exporting;
  previews_ = true;
}

void Recorder::start_picture(Document& document, std::string path, bool alone) {
  start(document, std::move(path));
  film_ = false;
  alone_ = alone;
}

std::string Recorder::extension() const { return extension_of(path_); }

bool Recorder::is_drawing() const { return !film_ && (extension() == ".pdf" || extension() == ".svg"); }

bool Recorder::wants_drawing() const { return wants_pixels() && is_drawing(); }

void Recorder::take_drawing(std::string file, Document& document, const Words& words) {
  drawing_ = std::move(file);
  finish(document, words);
}

void Recorder::start_film(Document& document, std::string path, std::optional<double> seconds_per_step) {
  reel_ = film_to(path, film_tick(document.view, seconds_per_step));
  start(document, std::move(path));
  film_ = true;
  seconds_ = seconds_per_step;
}

void Recorder::prepare(Document& document, const Timeline& timeline) {
  if (!active()) return;
  ++frames_;
  if (film_ && story_.empty()) story_ = film_story(before_, *document.trace, timeline, seconds_);
  if (film_) document.view = story_[at_].view;
  if (!film_ && alone_) document.view.alone = true;
}

void Recorder::take_pixels(Image pixels, Document& document, const Words& words) {
  frames_ = 0;
  if (previews_) {
    preview_ = std::make_shared<const Image>(std::move(pixels));
    return stop(document);
  }
  if (!film_) {
    picture_ = std::move(pixels);
    return finish(document, words);
  }
  if (!reel_->fits(pixels)) {
    stop(document);
    document.error = words("export.resized");
    return;
  }
  try {
    reel_->add(std::move(pixels), story_[at_].seconds);
  } catch (const std::exception& error) {
    stop(document);
    document.error = message_of(error);
    return;
  }
  if (++at_ >= story_.size()) finish(document, words);
}

void Recorder::stop(Document& document) {
  path_.clear();
  document.view = before_;
  reel_.reset();
  story_.clear();
  picture_ = {};
  drawing_.clear();
}

void Recorder::finish(Document& document, const Words& words) {
  const std::string path = path_;
  try {
    if (film_) {
      reel_->finish();
    } else if (is_drawing()) {
      write_whole_file(path_from(path), drawing_);
    } else {
      write_whole_file(path_from(path), encode_png(picture_));
    }
    stop(document);
    ++document.view.exporting.written;
    document.view.exporting.saved = path;
    document.notice = words.fill("export.saved", {path});
  } catch (const std::exception& error) {
    stop(document);
    document.error = message_of(error);
  }
}

namespace {

constexpr double moment_seconds = 0.8, last_moments = 3;  // the last moment is shown so many times as long
constexpr double tick = 0.08;  // seconds of one frame of a motion; a GIF counts whole hundredths
constexpr double opening_seconds = 2.4, closing_seconds = 3.2;
constexpr int way_frames = 7;  // of a transition from one picture to the next
constexpr double shortest_film = 41, longest_film = 58;

struct Story {
  const Trace& trace;
  const Timeline& timeline;
  std::optional<double> seconds_per_step;
  double pace = 1;  ///< factor of the usual duration of a stage
  std::vector<FilmFrame> frames{};

  void add(View view, double seconds) { frames.push_back({std::move(view), seconds}); }

  /// The transition from the previous view.
  void add_way(View view) {
    for (int i = 1; i <= way_frames; ++i) {
      view.levels.arrival = static_cast<float>(i) / static_cast<float>(way_frames);
      add(view, tick);
    }
  }
  void add_stage(View view, double seconds) {
    view.levels.progress = 0.0f;
    add_way(view);
    view.levels.arrival = 1.0f;
    const double whole = seconds_per_step.value_or(seconds * pace + standing_seconds);
    const int count = std::max(static_cast<int>(std::lround((whole - standing_seconds) / tick)), 1);
    for (int i = 1; i <= count; ++i) {
      view.levels.progress = static_cast<float>(i) / static_cast<float>(count);
      add(view, i < count ? tick : std::max(whole - tick * (count - 1), tick));
    }
  }

  void find_pace() {
    double stages = says_next(trace) ? next_word_seconds : 0;
    const std::vector<std::size_t> pass = pass_of(timeline);
    for (const std::size_t i : pass) stages += stage_seconds(timeline.chapters()[i].stage);
    const double ways = static_cast<double>(pass.size() + 1) * (way_frames * tick + standing_seconds);
    const double besides = opening_seconds + closing_seconds + ways;
    pace = std::clamp(1.0, (shortest_film - besides) / stages, std::max((longest_film - besides) / stages, 0.1));
  }

  void tell(const View& before) {
    find_pace();
    View sentence = before;
    if (auto& query = sentence.levels.query) {  // the animation follows that word
      query = std::min(*query, trace.dims().n_q - 1);
      sentence.selected.reset();
    }
    sentence.levels.level = Level::sentence;
    sentence.levels.progress.reset();
    sentence.levels.arrival = 1.0f;
    sentence.step.reset();
    add(sentence, opening_seconds);
    for (const std::size_t i : pass_of(timeline))
      add_stage(with_stage(sentence, timeline, i), stage_seconds(timeline.chapters()[i].stage));
    if (says_next(trace)) {
      add_stage(with_next_word(sentence, timeline), next_word_seconds);
    } else {
      add_way(sentence);
    }
    frames.back().seconds = closing_seconds;
  }
};

}  // namespace

double film_tick(const View& before, std::optional<double> seconds_per_step) {
  return level_shown(before) == Level::pipeline ? seconds_per_step.value_or(moment_seconds) : tick;
}

std::vector<FilmFrame> film_story(const View& before, const Trace& trace, const Timeline& timeline,
                                  std::optional<double> seconds_per_step) {
  View view = before;
  view.kind = ViewKind::pipeline;
  Story story{trace, timeline, seconds_per_step};
  if (level_shown(view) != Level::pipeline) {
    story.tell(view);
    return std::move(story.frames);
  }
  for (int moment = 0; moment < timeline.count(); ++moment)
    story.add(at_moment(view, trace, timeline, moment), film_tick(view, seconds_per_step));
  story.frames.back().seconds *= last_moments;
  return std::move(story.frames);
}

}  // namespace headlight
