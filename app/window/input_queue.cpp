#include "app/window/input_queue.h"

#include <algorithm>
#include <cstring>

namespace headlight {
namespace {

constexpr int enter = 257, keypad_enter = 335;  // as in GLFW

/// The input of one frame so far, and which events can be added.
class FrameInput {
 public:
  FrameInput(bool typing, bool keys, bool buttons) : typing_(typing), keys_(keys), buttons_(buttons) {}

  // ImGui has one pointer position for each frame: that of a click, scroll or shortcut in it.
  bool fits(const MoveEvent&) const { return !clicked_ && !scrolled_ && !commanded_; }
  bool fits(const ButtonEvent& event) const {
    return !clicked_ && !scrolled_ && !typed_ && !commanded_ && (buttons_ || !event.down);
  }
  bool fits(const WheelEvent&) const { return !clicked_ && !commanded_; }
  /// The character of a key comes in the same frame. Otherwise a key that opens a field would type into it.
  bool fits(const CharacterEvent&) const { return pressed_last_ || (keys_ && !clicked_ && !commanded_); }
  bool fits(const KeyEvent& event) const {
    if (!event.down)
      return std::find(pressed_.begin(), pressed_.end(), event.key) == pressed_.end() &&
             (event.kind != KeyEvent::Kind::modifier || !commanded_);
    if (event.kind == KeyEvent::Kind::shift) return !commanded_;
    if (event.kind == KeyEvent::Kind::modifier)
      return !commanded_ && !typed_;  // ImGui ignores characters while Ctrl is down
    return keys_ && !clicked_ && !commanded_ && (types(event) || !typed_);
  }

  void add(const MoveEvent&) {}
  void add(const ButtonEvent&) { clicked_ = true; }
  void add(const WheelEvent&) { scrolled_ = true; }
  void add(const CharacterEvent&) { typed_ = true; }
  void add(const KeyEvent& event) {
    pressed_last_ = false;
    if (!event.down || event.kind == KeyEvent::Kind::shift || event.kind == KeyEvent::Kind::modifier) return;
    if (types(event)) {
      typed_ = true;
      return;
    }
    pressed_.push_back(event.key);
    commanded_ = true;
    pressed_last_ = event.kind == KeyEvent::Kind::text && !event.chord;
  }

  bool clicked() const { return clicked_; }
  /// Whether `event` can move the keyboard focus.
  bool may_open(const KeyEvent& event) const {
    if (!event.down || types(event)) return false;
    // Shortcuts of a text field: all, copy, paste, cut, redo, undo.
    if (typing_ && event.chord && event.key > 0 && event.key < 128 && std::strchr("ACVXYZ", event.key) != nullptr)
      return false;
    return event.chord ? event.kind != KeyEvent::Kind::editing
                       : event.kind == KeyEvent::Kind::command || event.kind == KeyEvent::Kind::text;
  }

 private:
  bool types(const KeyEvent& event) const { return typing_ && event.kind == KeyEvent::Kind::text && !event.chord; }

  bool typing_, keys_, buttons_;
  bool clicked_ = false, scrolled_ = false, typed_ = false, commanded_ = false;
  bool pressed_last_ = false;  ///< the last event was a key with an effect, whose character comes next
  std::vector<int> pressed_;   ///< the keys that ImGui must see as down
};

}  // namespace

void InputQueue::push(const InputEvent& pushed) {
  InputEvent event = pushed;
  if (auto* key = std::get_if<KeyEvent>(&event); key != nullptr && key->key == keypad_enter) key->key = enter;
  if (!waiting_.empty()) {
    if (auto* last = std::get_if<MoveEvent>(&waiting_.back()); last && std::holds_alternative<MoveEvent>(event)) {
      *last = std::get<MoveEvent>(event);
      return;
    }
    if (auto* last = std::get_if<WheelEvent>(&waiting_.back()); last && std::holds_alternative<WheelEvent>(event)) {
      last->x += std::get<WheelEvent>(event).x;
      last->y += std::get<WheelEvent>(event).y;
      return;
    }
  }
  waiting_.push_back(event);
}

std::vector<InputEvent> InputQueue::take_frame(bool typing) {
  keys_in_ = std::max(keys_in_ - 1, 0);
  buttons_in_ = std::max(buttons_in_ - 1, 0);
  FrameInput frame(typing, keys_in_ == 0, buttons_in_ == 0);
  std::vector<InputEvent> taken;
  while (!waiting_.empty()) {
    const InputEvent event = waiting_.front();
    if (!std::visit([&](const auto& each) { return frame.fits(each); }, event)) break;
    std::visit([&](const auto& each) { frame.add(each); }, event);
    if (const auto* key = std::get_if<KeyEvent>(&event); key && frame.may_open(*key))
      keys_in_ = buttons_in_ = frames_to_settle;
    taken.push_back(event);
    waiting_.pop_front();
  }
  if (frame.clicked()) keys_in_ = std::max(keys_in_, frames_to_settle);
  return taken;
}

}  // namespace headlight
