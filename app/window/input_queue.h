// The input events since the last frame, in order. Dear ImGui 1.86 has only input states, and handles all typed
// characters of a frame before its keys. Events that accumulate during a slow frame are therefore passed to it over as
// many frames as necessary to keep their order.
#pragma once

#include <cstdint>
#include <deque>
#include <variant>
#include <vector>

namespace headlight {

/// In the window's coordinates.
struct MoveEvent {
  double x = 0, y = 0;
};
struct ButtonEvent {
  int button = 0;
  bool down = false;
};
struct WheelEvent {
  double x = 0, y = 0;
};
struct CharacterEvent {
  unsigned int code = 0;
};
struct KeyEvent {
  enum class Kind : std::uint8_t {
    text,      ///< types a character into a text field
    editing,   ///< moves in a field or deletes: arrows, Backspace
    shift,     ///< changes the characters of other keys
    modifier,  ///< makes commands of other keys: Ctrl, Alt, Super
    command    ///< Enter, Tab, Escape, function keys: the next key may be for another control
  };
  Kind kind = Kind::text;
  int key = 0, scancode = 0, modifiers = 0;  ///< as in GLFW
  bool down = false;
  bool chord = false;  ///< Ctrl, Alt or Super was down
};
using InputEvent = std::variant<MoveEvent, ButtonEvent, WheelEvent, CharacterEvent, KeyEvent>;

class InputQueue {
 public:
  /// Number of frames after a command or a click until the control that it opens has the keyboard focus.
  static constexpr int frames_to_settle = 3;

  /// The Enter of the number pad becomes the other Enter.
  void push(const InputEvent& pushed);
  bool empty() const { return waiting_.empty(); }
  /// The events for one frame; the rest is for the next frames. `typing`: a text field has the keyboard focus.
  std::vector<InputEvent> take_frame(bool typing);

 private:
  std::deque<InputEvent> waiting_;
  int keys_in_ = frames_to_settle,
      buttons_in_ = frames_to_settle;  ///< frames until the next key or button; a new window starts with this delay too
};

}  // namespace headlight
