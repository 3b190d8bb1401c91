// Recorder: pictures of the window itself, one, or one a moment of the step player. It has the window show what is to
// be seen, asks for the pixels once that is drawn, and writes the file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/export/film.h"
#include "ui/document/document.h"
#include "ui/export/film_story.h"
#include "ui/look/words.h"
#include "ui/timeline/timeline.h"

namespace headlight {

class Recorder {
 public:
  /// Of the window; `alone`: of the view, without the panels around it. A path that ends in .pdf or .svg gets vectors.
  void start_picture(Document& document, std::string path, bool alone);
  /// Of all that ui/export/film_story.h tells. Throws FileError where there can be no film at `path`.
  void start_film(Document& document, std::string path, std::optional<double> seconds_per_step);

  /// Of the file.
  std::string extension() const;
  bool active() const { return !path_.empty(); }
  /// Before a frame is drawn: the document shows what is wanted. Once enough frames of it are drawn, wants_pixels().
  void prepare(Document& document, const Timeline& timeline);
  bool wants_pixels() const { return active() && frames_ >= frames_to_settle; }
  /// The frame that is drawn next is wanted as a ViewDrawing.
  bool wants_drawing() const;
  /// What becomes of it; as take_pixels().
  void take_drawing(std::string file, Document& document, const Words& words);
  /// The frame's pixels. After the last ones the file is there, and the document says so and looks as it did before.
  void take_pixels(Image pixels, Document& document, const Words& words);

 private:
  static constexpr int frames_to_settle = 3;  // ImGui lays out by what the last frames measured

  /// Nothing is recorded any more; what was, is let go of.
  void stop(Document& document);
  void start(Document& document, std::string path);
  void finish(Document& document, const Words& words);
  bool is_drawing() const;

  std::string path_;
  View before_;
  bool film_ = false, alone_ = false;
  std::string drawing_;
  std::size_t at_ = 0;  ///< the frame of the film
  int frames_ = 0;      ///< drawn since what is shown changed
  std::optional<double> seconds_;
  std::vector<FilmFrame> story_;
  Image picture_;
  std::unique_ptr<Film> reel_;
};

}  // namespace headlight
