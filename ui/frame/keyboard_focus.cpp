#include "ui/frame/keyboard_focus.h"

#include <algorithm>
#include <utility>

#include "ui/imgui_compat.h"

namespace headlight {

void KeyboardFocus::begin_frame(bool tab_taken) {
  before_.swap(order_);
  order_.clear();
  ring_.reset();
  closed_ = moved_ = false;
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) || ImGui::IsMouseClicked(ImGuiMouseButton_Right)) shown_ = false;
  if (given_ != 0) {
    at_ = given_;
    given_ = 0;
    moved_ = shown_ = true;
  }
  const auto found = std::ranges::find(before_, at_);
  const bool known = at_ != 0 && found != before_.end();
  if (known) place_ = static_cast<std::size_t>(found - before_.begin());
  const bool tab = !io.KeyCtrl && !io.KeyAlt && compat::pressed(compat::Key::tab) && (!tab_taken || io.KeyShift);
  if (!std::exchange(passed_, false) && !tab) return;
  if (before_.empty()) return;
  const std::size_t count = before_.size(), last = std::min(place_, count - 1);
  if (known) place_ = (last + (io.KeyShift ? count - 1 : 1)) % count;
  else place_ = at_ != 0 ? last : io.KeyShift ? count - 1 : 0;
  at_ = before_[place_];
  moved_ = shown_ = true;
  if (io.WantTextInput) ImGui::ClearActiveID();  // the field gives on what was typed
}

void KeyboardFocus::begin_scope() {
  order_.clear();
  ring_.reset();
}

bool KeyboardFocus::visit(ImGuiID control) {
  if (closed_) return false;
  order_.push_back(control);
  return shown_ && control == at_;
}

}  // namespace headlight
