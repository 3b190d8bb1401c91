// Session: one window's worth of Headlight without the window: the document, the engine, and drawing both with ImGui.
//
// The program gives it an ImGui context with a frame begun, and a painter; it knows neither GLFW nor OpenGL.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/files/recent_files.h"
#include "core/image/png_image.h"
#include "ui/document/action.h"

namespace headlight {

class MatrixPainter;

class Session {
 public:
  /// `wake` is called from any thread when a frame is worth drawing (the program posts an empty event).
  /// `recent`: the files to choose from again; those that are opened join them.
  Session(Document start, std::function<void()> wake, RecentFiles recent = RecentFiles());
  ~Session();

  /// Takes over what has happened since: numbers that are computed, files that changed. Before each frame, and while
  /// none is drawn.
  void update();
  /// Keeps what would be lost in `folder`, within two seconds of a change, until the window is closed properly; and
  /// offers what a window left there that was not.
  void remember_in(const std::filesystem::path& folder);
  bool offers_recovery() const;
  /// Answers in lessons are kept in `folder`; the lesson that is open goes on where it was left, but for the step where
  /// one was said.
  void remember_lessons_in(const std::filesystem::path& folder, bool step_said = false);

  /// Of what was done, such as where a file went; without it they stay.
  void fade_notices_after(double seconds);
  /// The largest texture that the graphics driver takes, each way.
  void set_texture_limit(int pixels);
  /// Loads the fonts for this scale (pixels per point × the person's own zoom) into the current context's atlas.
  /// True where the atlas changed, so that the caller rebuilds its texture. Call before each new frame; cheap when
  /// nothing changed.
  bool prepare_fonts(float scale);
  /// Letters are shown that no face here has; renew_fonts() where there is another one.
  bool lacks_letters() const;
  void renew_fonts();

  /// A file dropped on the window, or chosen. Errors become a message; the document stays.
  void open(const std::string& path);
  /// What a panel would have asked for.
  void perform(const Action& action);
  /// Draws everything between ImGui::NewFrame and ImGui::Render, and applies what the person did; whether they did
  /// anything. Whatever throws on the way becomes the document's error, and the document stays.
  bool draw(MatrixPainter& painter);
  /// A sentence from outside, such as the graphics driver's, shown as an error.
  void warn(const std::string& sentence);

  /// The pixels of the frame just drawn are wanted, for a picture or a film of the window: give them to take_pixels().
  bool wants_pixels() const;
  void take_pixels(Image pixels);
  /// Begins a film of the step player, which asks for the pixels of its frames until recording() ends. What goes wrong
  /// is the document's error.
  void film(const std::string& path, std::optional<double> seconds_per_step);
  /// As film(), of the view as it stands, once all is computed: its pixels, or vectors where the path ends in .pdf or
  /// .svg.
  void picture(const std::string& path, bool alone);
  bool recording() const;
  /// What is open, for another window to go on with where this one cannot draw any more; this one does not keep it any
  /// longer.
  Document hand_over();
  /// The person wants the window closed: it may ask whether to save first.
  void ask_to_close();

  /// How often something threw that was no person's mistake.
  int faults() const;
  /// A dialog waits for an answer.
  bool asks() const;

  /// Nothing is being computed and nothing moves: a screenshot taken now is final.
  bool settled() const;
  /// Blocks until the newest scenario is computed. Its error, if any, is shown as a message and returned.
  std::string wait();
  /// Seconds until a frame is due without any input; infinite when idle.
  double next_frame_in() const;
  const Document& document() const;
  /// What was done last, as lines of ui/document/action_text.h: for bug reports, and to be done again.
  const std::deque<std::string>& log() const;
  /// What the frame is drawn over: the canvas's colour, so that no panel has to fill it.
  Rgba ground() const;
  /// The window's: made anew only where it changed.
  const std::string& title() const;
  /// What the person asked of the window itself since the last call.
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
