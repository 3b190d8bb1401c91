// What stands over the window: a panel with a title on a veil. Esc, the × and a click on the veil send it away.
#pragma once

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

/// Ends in its destructor. Draw into content() with ImGui or its draw list, only where open().
class DialogArea {
 public:
  /// Open while the view's dialog is `kind`: in the middle of `place`, which it veils, of `size` or as much as fits.
  /// `name` names the ImGui window.
  DialogArea(const Frame& frame, Rect place, Dialog kind, const char* name, const char* title, ImVec2 size);
  ~DialogArea();
  DialogArea(const DialogArea&) = delete;
  DialogArea& operator=(const DialogArea&) = delete;

  bool open() const { return open_; }
  /// Below the title, within the margins.
  Rect content() const { return content_; }

 private:
  const Frame& frame_;
  Dialog kind_;
  bool open_;
  Rect content_{};
};

}  // namespace headlight
