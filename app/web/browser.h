// What the page asks of the browser, done by app/web/browser.js.
#pragma once

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
