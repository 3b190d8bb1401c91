// What hands did since the last frame, in order. Dear ImGui 1.86 sees states, and takes all typed characters of a frame
// before its keys: what a slow frame gathers is given to it over as many frames as keep the order.
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
    text,      ///< types a character where there is a field
    editing,   ///< moves in a field or deletes: arrows, Backspace
    shift,     ///< changes what others type
    modifier,  ///< makes commands of the others: Ctrl, Alt, Super
    command    ///< Enter, Tab, Escape, function keys: what is pressed next may be for something else
  };
  Kind kind = Kind::text;
  int key = 0, scancode = 0, modifiers = 0;  ///< as GLFW says them
  bool down = false;
  bool chord = false;  ///< Ctrl, Alt or Super was down
};
using InputEvent = std::variant<MoveEvent, ButtonEvent, WheelEvent, CharacterEvent, KeyEvent>;

class InputQueue {
 public:
  /// Frames from a command or a click until what it opens has the keyboard.
  static constexpr int frames_to_settle = 3;

  void push(const InputEvent& event);
  bool empty() const { return waiting_.empty(); }
  /// What one frame may see at once; the rest is the next frames'. `typing`: a text field has the keyboard.
  std::vector<InputEvent> take_frame(bool typing);

 private:
  std::deque<InputEvent> waiting_;
  int keys_in_ = frames_to_settle,
      buttons_in_ =
          frames_to_settle;  ///< frames until the next key, the next button may come; a new window settles, too
};

}  // namespace headlight
