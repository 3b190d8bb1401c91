#include "app/window/input_queue.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tests/catch.h"

using namespace headlight;

namespace {

using Kind = KeyEvent::Kind;

/// The queue of a window that has already drawn its first frames.
InputQueue settled_queue() {
  InputQueue queue;
  for (int i = 0; i < InputQueue::frames_to_settle; ++i) queue.take_frame(false);
  return queue;
}

/// A text field that behaves as in Dear ImGui 1.86: it handles a frame's characters before its keys, and sees the last
/// state of keys and modifiers.
class Field {
 public:
  explicit Field(bool typing = true) : typing_(typing) {}

  /// Types a letter. `\n` is Enter, `<` Backspace, `*` Ctrl+A, and `/` a key that opens the field.
  void press(InputQueue& queue, char letter) {
    if (letter == '*') {
      queue.push(KeyEvent{Kind::modifier, 341, 0, 0, true, false});
      press_key(queue, {Kind::text, 'A', 0, 2, true, true});
      queue.push(KeyEvent{Kind::modifier, 341, 0, 2, false, true});
    } else if (letter == '\n') {
      press_key(queue, {Kind::command, letter, 0, 0, true, false});
    } else if (letter == '<') {
      press_key(queue, {Kind::editing, letter, 0, 0, true, false});
    } else {
      queue.push(KeyEvent{Kind::text, letter, 0, 0, true, false});
      queue.push(CharacterEvent{static_cast<unsigned int>(letter)});
      queue.push(KeyEvent{Kind::text, letter, 0, 0, false, false});
    }
  }

  int frames(InputQueue& queue) {
    int count = 0;
    for (; !queue.empty(); ++count) frame(queue);
    return count;
  }

  void frame(InputQueue& queue) {
    std::string characters;
    bool seen[512] = {};
    for (const InputEvent& event : queue.take_frame(typing_)) {
      if (const auto* character = std::get_if<CharacterEvent>(&event)) characters += static_cast<char>(character->code);
      if (const auto* key = std::get_if<KeyEvent>(&event)) {
        if (key->key == 341) ctrl_ = key->down;
        seen[key->key] = key->down && key->key != 341;
      }
    }
    if (typing_ && !ctrl_) {
      if (selected_ && !characters.empty()) now_.clear();
      selected_ = selected_ && characters.empty();
      now_ += characters;
    }
    if (seen['<'] && !now_.empty()) selected_ ? now_.clear() : now_.pop_back();
    if (seen['<']) selected_ = false;
    if (seen['A'] && ctrl_) selected_ = true;
    if (seen['\n']) said += now_ + "|";
    opens_ = opens_ > 0 ? opens_ - 1 : 0;
    if (opens_ == 1) typing_ = true;
    if (seen['/'] && !typing_) opens_ = InputQueue::frames_to_settle - 1;
  }

  const std::string& now() const { return now_; }
  std::string said;  ///< the text at each Enter

 private:
  static void press_key(InputQueue& queue, KeyEvent key) {
    queue.push(key);
    key.down = false;
    queue.push(key);
  }

  bool typing_, ctrl_ = false, selected_ = false;
  int opens_ = 0;
  std::string now_;
};

std::string typed(std::string_view keys, bool typing = true) {
  InputQueue queue = settled_queue();
  Field field(typing);
  for (const char key : keys) field.press(queue, key);
  field.frames(queue);
  return field.said + field.now();
}

}  // namespace

TEST_CASE("what is typed during one slow frame arrives in its order") {
  CHECK(typed("abc\ndef") == "abc|abcdef");
  CHECK(typed("abx<c\n") == "abc|abc");
  CHECK(typed("ab*cd\n*e<f\n") == "cd|f|f");
  CHECK(typed("aaaa bbbb\n") == "aaaa bbbb|aaaa bbbb");
  CHECK(typed("*<\n\nz") == "||z");
}

TEST_CASE("letters of one word take one frame together, not one each") {
  InputQueue queue = settled_queue();
  Field field;
  for (const char key : std::string("the cat sat")) field.press(queue, key);
  CHECK(field.frames(queue) == 1);
  CHECK(field.now() == "the cat sat");
}

TEST_CASE("selecting all in a field takes a frame, and what replaces it the next") {
  InputQueue queue = settled_queue();
  Field field;
  for (const char key : std::string("ab*cd\n")) field.press(queue, key);
  CHECK(field.frames(queue) == 5);  // ab, Ctrl+A, cd, Enter, release of Enter
  CHECK(field.said == "cd|");
}

TEST_CASE("a key that opens a field does not type into it, and what follows waits until it is open") {
  CHECK(typed("/abc\n", false) == "abc|abc");
}

TEST_CASE("keys that are no typing are seen pressed one by one") {
  InputQueue queue = settled_queue();
  for (int i = 0; i < 3; ++i) {
    queue.push(KeyEvent{Kind::editing, 262, 0, 0, true, false});
    queue.push(KeyEvent{Kind::editing, 262, 0, 0, false, false});
  }
  int presses = 0;
  bool down = false;
  while (!queue.empty()) {
    for (const InputEvent& event : queue.take_frame(false)) down = std::get<KeyEvent>(event).down;
    presses += down;
  }
  CHECK(presses == 3);
  CHECK_FALSE(down);
}

TEST_CASE("a click is where the pointer was, pressed before it is released, and dragged between") {
  InputQueue queue = settled_queue();
  queue.push(MoveEvent{1, 1});
  queue.push(MoveEvent{2, 2});  // the last of several moves is enough
  queue.push(ButtonEvent{0, true});
  queue.push(MoveEvent{9, 9});
  queue.push(ButtonEvent{0, false});
  const auto first = queue.take_frame(false);
  REQUIRE(first.size() == 2);
  CHECK(std::get<MoveEvent>(first[0]).x == 2);
  CHECK(std::get<ButtonEvent>(first[1]).down);
  const auto second = queue.take_frame(false);
  REQUIRE(second.size() == 2);
  CHECK(std::get<MoveEvent>(second[0]).x == 9);
  CHECK_FALSE(std::get<ButtonEvent>(second[1]).down);
  CHECK(queue.empty());
}

TEST_CASE("what is typed after a click waits until what was clicked has the keyboard") {
  InputQueue queue = settled_queue();
  queue.push(ButtonEvent{0, true});
  queue.push(ButtonEvent{0, false});
  queue.push(KeyEvent{Kind::text, 'a', 0, 0, true, false});
  queue.push(CharacterEvent{'a'});
  int frames = 0;
  while (!queue.empty()) {
    const auto taken = queue.take_frame(frames >= InputQueue::frames_to_settle);
    for (const InputEvent& event : taken)
      CHECK((std::holds_alternative<ButtonEvent>(event) || frames >= InputQueue::frames_to_settle));
    ++frames;
  }
  CHECK(frames <= InputQueue::frames_to_settle + 2);
}

TEST_CASE("the wheel's turns of one frame are one, and what is scrolled to is clicked afterwards") {
  InputQueue queue = settled_queue();
  queue.push(WheelEvent{0, 1});
  queue.push(WheelEvent{0, 2});
  queue.push(ButtonEvent{0, true});
  const auto first = queue.take_frame(false);
  REQUIRE(first.size() == 1);
  CHECK(std::get<WheelEvent>(first[0]).y == 3);
  CHECK(queue.take_frame(false).size() == 1);
}

TEST_CASE("what is pressed while a window opens waits until its first frames have been drawn") {
  InputQueue queue;
  queue.push(MoveEvent{5, 5});
  queue.push(ButtonEvent{0, true});
  for (int frame = 1; frame < InputQueue::frames_to_settle; ++frame) {
    for (const InputEvent& event : queue.take_frame(false)) CHECK(std::holds_alternative<MoveEvent>(event));
  }
  CHECK(queue.take_frame(false).size() == 1);
}

TEST_CASE("the Enter of the number pad does what Enter does") {
  InputQueue queue = settled_queue();
  for (const bool down : {true, false}) queue.push(KeyEvent{Kind::command, 335, 0, 0, down, false});
  std::vector<int> keys;
  while (!queue.empty()) {
    for (const InputEvent& event : queue.take_frame(false)) keys.push_back(std::get<KeyEvent>(event).key);
  }
  CHECK(keys == std::vector<int>{257, 257});
}
