// A dialog: a panel with a title over the dimmed window. Esc, the × and a click beside it close it.
#pragma once

#include "ui/base/frame/frame.h"
#include "ui/base/geometry/rect.h"
#include "ui/base/look/measure.h"

namespace headlight {

/// The destructor ends it. If open(), draw into content() with ImGui or its draw list.
class DialogArea {
 public:
  /// Open while the view's dialog is `kind`. It is centred in `place`, which it dims, and which is larger by at least
  /// `apart`. `name` is the name of the ImGui window. Both sizes are in points.
  DialogArea(const Frame& frame, Rect place, Dialog kind, const char* name, const char* title, ImVec2 size,
             ImVec2 apart = {Space::section, Space::section});
  ~DialogArea();
  DialogArea(const DialogArea&) = delete;
  DialogArea& operator=(const DialogArea&) = delete;

  bool open() const { return open_; }
  /// The area below the title, within the margins.
  Rect content() const { return content_; }

 private:
  const Frame& frame_;
  Dialog kind_;
  bool open_;
  Rect content_{};
};

}  // namespace headlight
