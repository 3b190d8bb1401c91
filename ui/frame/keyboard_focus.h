// KeyboardFocus: which control has the keyboard. Tab goes to the next one in the order of drawing, Shift and Tab to the
// one before; a ring shows where. Enter or Space press it, arrows move what slides, Esc or the mouse let go.
#pragma once

#include <optional>
#include <vector>

#include <imgui.h>

#include "ui/geometry/rect.h"

namespace headlight {

class KeyboardFocus {
 public:
  /// Before anything is drawn. `tab_taken`: the field that is typed into wants Tab for itself, but not with Shift.
  void begin_frame(bool tab_taken);
  /// What was drawn so far cannot be reached, nor what follows after end_scope(): a dialog lies over it.
  void begin_scope();
  void end_scope() { closed_ = true; }

  /// A control's turn: whether it has the keyboard.
  bool visit(ImGuiID control);
  bool at(ImGuiID control) const { return at_ == control; }
  /// In this frame Tab came to where the keyboard is now.
  bool moved() const { return moved_; }
  /// Enter, Space, Esc and the arrows are a control's.
  bool shown() const { return shown_; }
  /// Esc.
  void let_go() { shown_ = false; }
  /// The mouse pressed this control: Tab goes on from there.
  void follow(ImGuiID control) { at_ = control; }
  /// A field that took Tab had no use for it: the next frame does.
  void pass_tab() { passed_ = true; }
  /// As if Tab had come to it, from the next frame on.
  void give(ImGuiID control) { given_ = control; }

  /// Around what has the keyboard, in this frame; none where that shows it by itself.
  struct Ring {
    Rect rect, clip;
  };
  const std::optional<Ring>& ring() const { return ring_; }
  void draw_ring(const Rect& rect, const Rect& clip) { ring_ = {rect, clip}; }
  /// Of the frame so far, in order.
  const std::vector<ImGuiID>& reachable() const { return order_; }

 private:
  std::vector<ImGuiID> order_, before_;  ///< of this frame, of the last one
  std::optional<Ring> ring_;
  ImGuiID at_ = 0, given_ = 0;
  std::size_t place_ = 0;  ///< in the last frame's order: goes on from there where the control is gone
  bool shown_ = false, moved_ = false, closed_ = false, passed_ = false;
};

}  // namespace headlight
