#include "ui/export/recorder.h"
#include "ui/document/moment.h"
#include "ui/player/stages.h"

#include <span>
#include <utility>

#include "core/files/whole_file.h"
#include "core/scenario/tensor_file.h"

namespace headlight {
namespace {

constexpr int frames_a_stage = 16;  // near to a step, where its numbers come one after another

}  // namespace

int Recorder::count(const Timeline& timeline) const {
  return by_stage() ? static_cast<int>(timeline.chapters().size()) * frames_a_stage : timeline.count();
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
  before_ = view;
  moment_ = frames_ = 0;
  animation_ = {};
}

void Recorder::start_picture(Document& document, std::string path) {
  start(document, std::move(path));
  film_ = false;
}

void Recorder::start_film(Document& document, std::string path, double seconds_per_step) {
  start(document, std::move(path));
  film_ = true;
  seconds_ = seconds_per_step;
}

void Recorder::prepare(Document& document, const Timeline& timeline) {
  if (!active()) return;
  ++frames_;
  if (!film_) return;
  View wanted = by_stage() ? with_stage(before_, timeline, static_cast<std::size_t>(moment_ / frames_a_stage)) : at_moment(before_, *document.trace, timeline, moment_);
  if (by_stage()) wanted.looking.share = static_cast<float>(moment_ % frames_a_stage + 1) / frames_a_stage;
  wanted.kind = ViewKind::pipeline;
  document.view = std::move(wanted);
}

void Recorder::take_pixels(Image pixels, Document& document, const Timeline& timeline, const Words& words) {
  constexpr double last_takes = 3;  // times as long
  frames_ = 0;
  if (!film_) {
    picture_ = std::move(pixels);
    return finish(document, words);
  }
  if (!animation_.fits(pixels)) {
    path_.clear();
    document.view = before_;
    document.error = words("export.resized");
    return;
  }
  const bool last = moment_ + 1 >= count(timeline);
  // A stage takes as long as two moments would, and stands for one more.
  const bool stands = by_stage() && (moment_ + 1) % frames_a_stage == 0;
  const double seconds = !by_stage() ? seconds_ : stands ? seconds_ : 2 * seconds_ / (frames_a_stage - 1);
  animation_.add(std::move(pixels), last ? seconds_ * last_takes : seconds);
  ++moment_;
  if (last) finish(document, words);
}

void Recorder::finish(Document& document, const Words& words) {
  const std::string path = std::exchange(path_, {});
  document.view = before_;
  try {
    const std::vector<std::uint8_t> file = film_ ? animation_.finish() : encode_png(picture_);
    write_whole_file(path_from(path), std::as_bytes(std::span(file)));
    ++document.view.exporting.written;
    document.notice = words.fill("export.saved", {path});
  } catch (const std::exception& error) {
    document.error = error.what();
  }
  animation_ = {};
  picture_ = {};
}

}  // namespace headlight
