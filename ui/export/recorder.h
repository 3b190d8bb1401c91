// Recorder: pictures of the window itself, one, or one a moment of the step player. It has the window show what is to
// be seen, asks for the pixels once that is drawn, and writes the file.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/export/film.h"
#include "ui/document/document.h"
#include "ui/look/words.h"
#include "ui/timeline/timeline.h"

namespace headlight {

class Recorder {
 public:
  /// Of the window; `alone`: of the view, without the panels around it. A path that ends in .pdf or .svg gets vectors.
  void start_picture(Document& document, std::string path, bool alone);
  /// Of all moments, each for so many seconds, the last one longer. Near to a sentence or a step, of all stages, each
  /// for so many seconds, between the sentence and the sentence: unset, in less than half a minute. Throws FileError
  /// where there can be no film at `path`.
  void start_film(Document& document, std::string path, std::optional<double> seconds_per_step);

  /// Of the file.
  std::string extension() const;
  bool active() const { return !path_.empty(); }
  /// Before a frame is drawn: the document shows what is wanted. Once enough frames of it are drawn, wants_pixels().
  void prepare(Document& document, const Timeline& timeline);
  bool wants_pixels() const { return active() && frames_ >= frames_to_settle; }
  /// What is on its way on the frame is wanted as it is; else all has to stand still.
  bool films_motion() const { return active() && moving_; }
  /// The frame that is drawn next is wanted as a ViewDrawing.
  bool wants_drawing() const;
  /// What becomes of it; as take_pixels().
  void take_drawing(std::string file, Document& document, const Words& words);
  /// The frame's pixels. After the last ones the file is there, and the document says so and looks as it did before.
  void take_pixels(Image pixels, Document& document, const Timeline& timeline, const Words& words);

 private:
  static constexpr int frames_to_settle = 3;  // ImGui lays out by what the last frames measured

  /// Near to a step the film goes stage by stage; else moment by moment.
  bool by_stage() const { return level_shown(before_) != Level::pipeline; }
  /// How long a step takes, and its last frame stands; how many frames there are.
  double step_seconds(const Timeline& timeline) const;
  int frames_a_stage(const Timeline& timeline) const;
  int count(const Timeline& timeline) const;
  double seconds_of(int frame, const Timeline& timeline) const;
  bool travels(int frame, const Timeline& timeline) const;
  View view_at(int frame, const Document& document, const Timeline& timeline) const;
  /// Nothing is recorded any more; what was, is let go of.
  void stop(Document& document);
  void start(Document& document, std::string path);
  void finish(Document& document, const Words& words);
  bool is_drawing() const;

  std::string path_;
  View before_;
  bool film_ = false, alone_ = false;
  std::string drawing_;
  int at_ = 0;           ///< the frame of the film
  int frames_ = 0;       ///< drawn since what is shown changed
  bool moving_ = false;  ///< the camera is between the sentence and a step
  std::optional<double> seconds_;
  Image picture_;
  std::unique_ptr<Film> reel_;
};

}  // namespace headlight
