// The page around the program: what the browser says goes in by Page (app/web/page.js calls it), what the program wants
// of the browser goes out by the functions at the end.
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

// What the page asks of the browser, done by app/web/browser.js.
extern "C" {

/// Onto the clipboard, as soon as the browser lets us.
void browser_copy(const char* text);
/// What was last pasted or copied here, until the next call.
const char* browser_clipboard();
/// Asks for files, which are then opened.
void browser_choose_files(void);
void browser_set_title(const char* title);
void browser_set_cursor(const char* css);
void browser_set_fullscreen(int on);
/// Keeps the state folder in the browser's storage, and gives the person what was saved or exported as downloads.
void browser_keep_files(void);
/// A link's beginning: the page's address without query and fragment.
const char* browser_address(void);
int browser_prefers_dark(void);
/// The view alone, as part of another page.
int browser_embedded(void);
/// Brings the large Chinese face, once.
void browser_fetch_face(void);
/// Whether a job may be left in the middle: browser_give_way() then returns after the next frame.
int browser_can_give_way(void);
void browser_give_way(void);
}
