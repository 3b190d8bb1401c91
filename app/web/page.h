// The page around the program: what the browser says goes in by these functions (app/web/page.js calls them), what the
// program wants of the browser goes out by browser.h.
#pragma once

#include <memory>
#include <string>

#include "app/window/window.h"

namespace headlight {

class Page {
 public:
  /// Draws on the element "canvas". Throws InputError where the browser has no WebGL 2.
  explicit Page(const WindowOptions& options);
  ~Page();

  /// The canvas, in its own pixels, and how many of them a point has.
  void resize(int width, int height, float scale);
  /// Draws where something is to be drawn; once for each of the browser's frames.
  void frame();
  /// Something happened: the next frames are drawn.
  void touch();
  void open(const std::string& path);
  /// A sentence from outside, shown as an error.
  void warn(const std::string& sentence);
  /// There is another face among the files.
  void renew_fonts();
  /// The browser left it by itself, which ends the presentation that asked for it.
  void leave_fullscreen();
  /// A field has the keyboard.
  bool wants_text() const;
  /// Everything is computed and nothing moves.
  bool settled() const;
  /// "" where there is none.
  std::string link() const;
  /// The message that is shown, as it was thrown.
  std::string said() const;
  bool offers_recovery() const;
  /// How many frames were drawn.
  int frames_drawn() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The page that run_window() made; null before.
Page* the_page();

}  // namespace headlight
