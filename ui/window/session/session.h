// Session: everything in a window except the operating system's part: the document, the engine, and drawing both with
// ImGui. The caller provides an ImGui context with a started frame and a painter; Session knows neither GLFW nor
// OpenGL.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/base/files/recent_files.h"
#include "core/base/image/png_image.h"
#include "core/base/tensor/message.h"
#include "ui/base/document/action.h"

namespace headlight {

class MatrixPainter;
class Pictures;

class Session {
 public:
  /// `wake` is called from any thread when a frame should be drawn (the program posts an empty event). `recent`:
  /// recently opened files, which grows.
  Session(Document start, std::function<void()> wake, RecentFiles recent = RecentFiles());
  ~Session();

  /// Takes over computed numbers and changed files. Call before each frame, and regularly while no frame is drawn.
  void update();
  /// Writes unsaved work to `folder` within two seconds of a change, until the window closes normally, and offers what
  /// a crashed window left there.
  void remember_in(const std::filesystem::path& folder);
  bool offers_recovery() const;
  /// Keeps lesson answers in `folder`; the open lesson resumes where it was left, unless the step was given.
  void remember_lessons_in(const std::filesystem::path& folder, bool step_said = false);

  /// Without this call notices stay.
  void fade_notices_after(double seconds);
  /// The largest texture that the graphics driver takes.
  void set_texture_limit(int pixels);
  /// Loads the fonts for this scale (pixels per point × the user's zoom) into the current context's atlas. Returns
  /// whether the atlas changed, so that the caller rebuilds its texture. Call before each frame; cheap if nothing
  /// changed.
  bool prepare_fonts(float scale);
  /// Whether characters are shown that no installed face has; call renew_fonts() after one was installed.
  bool lacks_letters() const;
  void renew_fonts();

  /// Opens a file that was dropped or chosen. An error becomes a message; the document stays.
  void open(const std::string& path);
  /// Performs an action, as a panel would.
  void perform(const Action& action);
  /// Draws everything between ImGui::NewFrame and ImGui::Render and applies the user's actions; returns whether there
  /// were any. An exception becomes the document's error, and the document stays.
  bool draw(MatrixPainter& painter);
  /// Shows a message from outside, such as the graphics driver's, as an error.
  void warn(const Message& message);

  /// Whether the pixels of the frame just drawn are needed for a picture or an animation; pass them to take_pixels().
  bool wants_pixels() const;
  void take_pixels(Image pixels);
  /// Starts an animation of the step player, which asks for pixels until recording() is false. Errors become the
  /// document's error.
  void film(const std::string& path, std::optional<double> seconds_per_step);
  /// Writes a picture of the current view once everything is computed: pixels, or vectors if the path ends in .pdf or
  /// .svg.
  void picture(const std::string& path, bool alone);
  bool recording() const;
  /// Gives the document away, to another window when this one can no longer draw; this one stops keeping it.
  Document hand_over();
  /// The user wants to close the window; it may ask whether to save first.
  void ask_to_close();

  /// Number of exceptions so far that were no user's mistake.
  int faults() const;
  /// Whether a dialog waits for an answer.
  bool asks() const;

  /// Whether nothing is being computed or animated, so that a screenshot is final.
  bool idle() const;
  /// Blocks until the newest scenario is computed. An error is shown and returned.
  Message wait();
  /// Seconds until the next frame is due without input; infinite when idle.
  double next_frame_in() const;
  const Document& document() const;
  /// What was computed to be drawn, such as the scenes of the views.
  const Pictures& pictures() const;
  /// The last actions as lines of ui/base/document/action.h, for bug reports and replay.
  const std::deque<std::string>& log() const;
  /// The canvas colour, which the frame is cleared with.
  Rgba ground() const;
  /// The window's title; changes only when it has to.
  const std::string& title() const;
  /// What the user asked of the window itself since the last call.
  struct WindowRequests {
    bool close = false;
    std::optional<bool> fullscreen;
  };
  WindowRequests take_window_requests();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headlight
