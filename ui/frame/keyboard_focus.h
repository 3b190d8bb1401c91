// KeyboardFocus: which control has the keyboard. Tab moves to the next control in drawing order, Shift+Tab to the
// previous one; a ring marks it. Enter or Space press it, arrows move sliders, Esc or the mouse release it.
#pragma once

#include <optional>
#include <vector>

#include <imgui.h>

#include "ui/geometry/rect.h"

namespace headlight {

class KeyboardFocus {
 public:
  /// Call before drawing. `tab_taken`: the active text field uses Tab itself (not Shift+Tab).
  void begin_frame(bool tab_taken);
  /// Between begin_scope() and end_scope() is a dialog: controls drawn before or after it cannot be reached.
  void begin_scope();
  void end_scope() { closed_ = true; }

  /// Registers a control; returns whether it has the keyboard.
  bool visit(ImGuiID control);
  bool at(ImGuiID control) const { return at_ == control; }
  /// Whether Tab moved to this control in this frame.
  bool moved() const { return moved_; }
  /// Whether Enter, Space, Esc and the arrows go to a control.
  bool shown() const { return shown_; }
  /// Releases the keyboard (Esc).
  void let_go() { shown_ = false; }
  /// The mouse pressed this control: Tab continues from here.
  void follow(ImGuiID control) { at_ = control; }
  /// A field that took Tab did not use it: the next frame moves the focus.
  void pass_tab() { passed_ = true; }
  /// Moves the focus to a control from the next frame on.
  void give(ImGuiID control) { given_ = control; }

  /// The ring around the focused control in this frame; none if the control shows focus itself.
  struct Ring {
    Rect rect, clip;
  };
  const std::optional<Ring>& ring() const { return ring_; }
  void draw_ring(const Rect& rect, const Rect& clip) { ring_ = {rect, clip}; }
  /// Controls of this frame so far, in order.
  const std::vector<ImGuiID>& reachable() const { return order_; }

 private:
  std::vector<ImGuiID> order_, before_;  ///< of this frame; of the previous one
  std::optional<Ring> ring_;
  ImGuiID at_ = 0, given_ = 0;
  std::size_t place_ = 0;  ///< position in the previous frame's order, from where Tab continues if the control is gone
  bool shown_ = false, moved_ = false, closed_ = false, passed_ = false;
};

}  // namespace headlight
