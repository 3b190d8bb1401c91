#include "ui/export/recorder.h"

#include <span>
#include <utility>

#include "core/export/export_options.h"
#include "core/files/whole_file.h"
#include "core/text/utf8_path.h"

namespace headlight {

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
    document.notice = words.fill("export.saved", {path});
  } catch (const std::exception& error) {
    stop(document);
    document.error = message_of(error);
  }
}

}  // namespace headlight
