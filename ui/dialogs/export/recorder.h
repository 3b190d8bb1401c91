// Recorder: pictures and animations of the window. It sets the view for each frame, asks for the pixels once it is
// drawn, and writes the file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/compute/run/trace.h"
#include "core/figures/export/animation.h"
#include "ui/base/document/document.h"
#include "ui/base/document/view.h"
#include "ui/base/look/words.h"
#include "ui/base/timeline/timeline.h"

namespace headlight {

struct FilmFrame {
  View view;
  double seconds = 0;
};

/// The frames of an animation of the window. From the sentence or an operation, it shows how the next word is computed:
/// every stage, the transitions between them, and the word that is added to the sentence. In the pipeline it shows all
/// moments. `seconds_per_step`: the duration of each stage or moment; unset: a stage takes as long as its animation,
/// and the whole takes 40 to 60 seconds.
std::vector<FilmFrame> film_story(const View& before, const Trace& trace, const Timeline& timeline,
                                  std::optional<double> seconds_per_step);
/// The duration of most frames, in seconds.
double film_tick(const View& before, std::optional<double> seconds_per_step);

class Recorder {
 public:
  /// Starts a picture of the window, or of the view alone (`alone`). A path that ends in .pdf or .svg gets vectors.
  void start_picture(Document& document, std::string path, bool alone);
  /// Starts a picture for the export dialog, which opens again afterwards.
  void start_preview(Document& document, bool alone);
  /// Returns that picture once, then null.
  std::shared_ptr<const Image> preview() { return std::exchange(preview_, nullptr); }
  /// Starts the animation of film_story(). Throws FileError if `path` cannot be written as one.
  void start_film(Document& document, std::string path, std::optional<double> seconds_per_step);

  /// The file's ending.
  std::string extension() const;
  bool active() const { return !path_.empty(); }
  /// Call before each frame: sets the view. wants_pixels() is true once enough frames of it are drawn.
  void prepare(Document& document, const Timeline& timeline);
  bool wants_pixels() const { return active() && frames_ >= frames_to_settle; }
  /// Whether the next frame is needed as a ViewDrawing.
  bool wants_drawing() const;
  /// Takes the ViewDrawing's file, as take_pixels() takes pixels.
  void take_drawing(std::string file, Document& document, const Words& words);
  /// Takes the frame's pixels. After the last frame, writes the file, says so, and restores the view.
  void take_pixels(Image pixels, Document& document, const Words& words);

 private:
  static constexpr int frames_to_settle = 3;  // ImGui's layout uses sizes that earlier frames measured

  /// Ends the recording, restores the view and frees the frames.
  void stop(Document& document);
  void start(Document& document, std::string path);
  void finish(Document& document, const Words& words);
  bool is_drawing() const;

  std::string path_;
  View before_;
  bool film_ = false, alone_ = false, previews_ = false;
  std::shared_ptr<const Image> preview_;
  std::string drawing_;
  std::size_t at_ = 0;  ///< index of the animation's frame
  int frames_ = 0;      ///< number of frames drawn since the view changed
  std::optional<double> seconds_;
  std::vector<FilmFrame> story_;
  Image picture_;
  std::unique_ptr<Film> reel_;
};

}  // namespace headlight
