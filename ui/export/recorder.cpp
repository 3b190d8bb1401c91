#include "ui/export/recorder.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "core/export/export_options.h"
#include "core/files/whole_file.h"
#include "core/text/utf8_path.h"
#include "ui/document/moment.h"
#include "ui/player/stages.h"

namespace headlight {
namespace {

constexpr double moment_seconds = 0.8, last_moments = 3;  // of a moment; the last one stands so many times as long
constexpr double tick = 0.08;  // of what moves: whole hundredths of a second, as a GIF counts
constexpr double opening_seconds = 2, closing_seconds = 2.4;  // of the sentence
constexpr int travel_frames = 8;        // from the sentence to the first step, and back from the last
constexpr double standing_share = 0.2;  // of a stage's time, once all of it is there

}  // namespace

double Recorder::step_seconds(const Timeline& timeline) const {
  if (!by_stage()) return seconds_.value_or(moment_seconds);
  return seconds_.value_or(film_stage_seconds(timeline, opening_seconds + closing_seconds + 2 * travel_frames * tick));
}

int Recorder::frames_a_stage(const Timeline& timeline) const {
  return std::max(static_cast<int>(std::lround(step_seconds(timeline) * (1 - standing_share) / tick)), 1);
}

/// Near: the sentence, the way to the first step, every stage, the way back, the sentence.
int Recorder::count(const Timeline& timeline) const {
  return by_stage() ? static_cast<int>(pass_of(timeline).size()) * frames_a_stage(timeline) + 2 * (1 + travel_frames)
                    : timeline.count();
}

/// Between the sentence and the steps.
bool Recorder::travels(int frame, const Timeline& timeline) const {
  const int left = count(timeline) - 1 - frame;
  return by_stage() && ((frame > 0 && frame <= travel_frames) || (left > 0 && left <= travel_frames));
}

double Recorder::seconds_of(int frame, const Timeline& timeline) const {
  const double step = step_seconds(timeline);
  const bool last = frame + 1 >= count(timeline);
  if (!by_stage()) return last ? step * last_moments : step;
  if (frame == 0) return opening_seconds;
  if (last) return closing_seconds;
  if (travels(frame, timeline)) return tick;
  const int a_stage = frames_a_stage(timeline);
  return (frame - travel_frames) % a_stage == 0 ? std::max(step - tick * (a_stage - 1), tick) : tick;
}

View Recorder::view_at(int frame, const Document& document, const Timeline& timeline) const {
  View view = before_;
  view.kind = ViewKind::pipeline;
  if (!by_stage()) return at_moment(std::move(view), *document.trace, timeline, frame);
  const bool back = frame + travel_frames + 1 >= count(timeline);
  if (frame == 0 || back) {
    if (back) view = with_stage(std::move(view), timeline, pass_of(timeline).back());  // what the camera goes back from
    view.looking.level = Level::sentence;
    view.looking.share.reset();
    view.step.reset();
    return view;
  }
  const int a_stage = frames_a_stage(timeline), of_steps = std::max(frame - 1 - travel_frames, 0);
  view = with_stage(std::move(view), timeline, pass_of(timeline)[static_cast<std::size_t>(of_steps / a_stage)]);
  view.looking.share =
      frame <= travel_frames ? 0.0f : static_cast<float>(of_steps % a_stage + 1) / static_cast<float>(a_stage);
  return view;
}

void Recorder::start(Document& document, std::string path) {
  path_ = std::move(path);
  document.error.clear();
  document.notice.clear();
  View& view = document.view;
  view.dialog = Dialog::none;
  view.playing = false;
  view.hovered.reset();
  view.pointed.reset();
  view.looking.pointed.reset();
  before_ = view;
  at_ = frames_ = 0;
  moving_ = false;
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
  const bool near = level_shown(document.view) != Level::pipeline;
  reel_ = film_to(path, near ? tick : seconds_per_step.value_or(moment_seconds));
  start(document, std::move(path));
  film_ = true;
  seconds_ = seconds_per_step;
}

void Recorder::prepare(Document& document, const Timeline& timeline) {
  if (!active()) return;
  ++frames_;
  if (film_) document.view = view_at(at_, document, timeline);
  moving_ = film_ && travels(at_, timeline);
  if (!film_ && alone_) document.view.alone = true;
}

void Recorder::take_pixels(Image pixels, Document& document, const Timeline& timeline, const Words& words) {
  frames_ = 0;
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
    reel_->add(std::move(pixels), seconds_of(at_, timeline));
  } catch (const std::exception& error) {
    stop(document);
    document.error = error.what();
    return;
  }
  if (++at_ >= count(timeline)) finish(document, words);
}

void Recorder::stop(Document& document) {
  path_.clear();
  document.view = before_;
  reel_.reset();
  picture_ = {};
  drawing_.clear();
}

void Recorder::finish(Document& document, const Words& words) {
  const std::string path = path_;
  try {
    if (film_) {
      reel_->finish();
    } else if (is_drawing()) {
      write_whole_file(path_from(path), std::as_bytes(std::span(drawing_)));
    } else {
      const std::vector<std::uint8_t> file = encode_png(picture_);
      write_whole_file(path_from(path), std::as_bytes(std::span(file)));
    }
    stop(document);
    ++document.view.exporting.written;
    document.notice = words.fill("export.saved", {path});
  } catch (const std::exception& error) {
    stop(document);
    document.error = error.what();
  }
}

}  // namespace headlight
