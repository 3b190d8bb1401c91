// The web page around the program: input from the browser comes through Page (called by app/web/page.js), requests to
// the browser go through the functions at the end.
#pragma once

#include <memory>
#include <string>

#include "app/window/window.h"

namespace headlight {

class Page {
 public:
  /// Draws on the element "canvas". Throws InputError if the browser has no WebGL 2.
  explicit Page(const WindowOptions& options);
  ~Page();

  /// The size of the canvas in its own pixels, and its pixels per point.
  void resize(int width, int height, float scale);
  /// Draws a frame if necessary; call once for each of the browser's frames.
  void frame();
  /// An event happened: the next frames are drawn.
  void touch();
  void open(const std::string& path);
  /// Shows a message from outside as an error.
  void warn(const std::string& sentence);
  /// A font file was added.
  void renew_fonts();
  /// The browser left full screen by itself; this ends the presentation that requested it.
  void leave_fullscreen();
  /// Whether a text field has the keyboard focus.
  bool wants_text() const;
  /// Whether everything is computed and nothing moves.
  bool idle() const;
  /// "" if there is none.
  std::string link() const;
  /// The shown message: the error in English, or the notice.
  std::string said() const;
  bool offers_recovery() const;
  /// The number of frames drawn.
  int frames_drawn() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The page that run_window() made; null before.
Page* the_page();

}  // namespace headlight

// Requests to the browser, implemented in app/web/browser.js.
extern "C" {

/// Copies to the clipboard, as soon as the browser allows it.
void browser_copy(const char* text);
/// The text that was last pasted or copied here; valid until the next call.
const char* browser_clipboard();
/// Asks for files, which are then opened.
void browser_choose_files(void);
void browser_set_title(const char* title);
void browser_set_cursor(const char* css);
void browser_set_fullscreen(int on);
/// Saves the state folder in the browser's storage, and offers saved or exported files as downloads.
void browser_keep_files(void);
/// The beginning of a link: the page's address without query and fragment.
const char* browser_address(void);
int browser_prefers_dark(void);
/// Whether the view is embedded in another page.
int browser_embedded(void);
/// Downloads the large Chinese font, once.
void browser_fetch_face(void);
/// Whether a job can be interrupted: browser_give_way() then returns after the next frame.
int browser_can_give_way(void);
void browser_give_way(void);
}
