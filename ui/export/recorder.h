// Recorder: pictures and animations of the window. It sets the view for each frame, asks for the pixels once it is
// drawn, and writes the file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/export/animation.h"
#include "core/run/trace.h"
#include "ui/document/document.h"
#include "ui/document/view.h"
#include "ui/look/words.h"
#include "ui/timeline/timeline.h"

namespace headlight {

struct FilmFrame {
  View view;
  double seconds = 0;
};

/// The frames of a film of the window. In the sentence or in a step it shows the whole way from the sentence to its
/// next word: every stage as it is computed, the way from each to the next, and the word that joins the sentence. In
/// the pipeline it goes moment by moment. `seconds_per_step`: of every stage or moment alike; unset, a stage takes as
/// long as its animation, and all of it 40 to 60 seconds.
std::vector<FilmFrame> film_story(const View& before, const Trace& trace, const Timeline& timeline,
                                  std::optional<double> seconds_per_step);
/// How long most of its frames are shown.
double film_tick(const View& before, std::optional<double> seconds_per_step);

class Recorder {
 public:
  /// Starts a picture of the window, or of the view alone (`alone`). A path that ends in .pdf or .svg gets vectors.
  void start_picture(Document& document, std::string path, bool alone);
  /// Starts one for the export dialog, which is back when it is taken.
  void start_preview(Document& document, bool alone);
  /// That picture, once.
  std::shared_ptr<const Image> preview() { return std::exchange(preview_, nullptr); }
  /// Starts the film that film_story() describes. Throws FileError where there can be no film at `path`.
  void start_film(Document& document, std::string path, std::optional<double> seconds_per_step);

  /// The file's ending.
  std::string extension() const;
  bool active() const { return !path_.empty(); }
  /// Call before each frame: sets the view. wants_pixels() is true once enough frames of it are drawn.
  void prepare(Document& document, const Timeline& timeline);
  bool wants_pixels() const { return active() && frames_ >= frames_to_settle; }
  /// The frame that is drawn next is wanted as a ViewDrawing.
  bool wants_drawing() const;
  /// Its result; as take_pixels().
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
  bool film_ = false, alone_ = false, previews_ = false;
  std::shared_ptr<const Image> preview_;
  std::string drawing_;
  std::size_t at_ = 0;  ///< the frame of the film
  int frames_ = 0;      ///< drawn since what is shown changed
  std::optional<double> seconds_;
  std::vector<FilmFrame> story_;
  Image picture_;
  std::unique_ptr<Film> reel_;
};

}  // namespace headlight
