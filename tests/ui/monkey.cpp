#include "tests/ui/monkey.h"

#include <algorithm>
#include <iterator>

#include "tests/places.h"

namespace headlight::test {
namespace {

constexpr const char* words[] = {"a",
                                 "the cat",
                                 "7",
                                 "12",
                                 "0.5",
                                 "-3",
                                 "1e9",
                                 "causal()",
                                 "causal() && window(2)",
                                 "window(",
                                 "padding()",
                                 "h < 1 ? full() : causal()",
                                 "注意力",
                                 "😀 é",
                                 " ",
                                 "1:2",
                                 "painted() || causal()",
                                 "/tmp/",
                                 "nothing.json",
                                 "\"",
                                 "4 4 4 4"};
constexpr const char* first_files[] = {"s000_masked_mha.input.npz", "s002_v1.input.npz", "gqa_causal.input.npz"};
constexpr const char* lessons[] = {"lesson:first-light", "lesson:no-such-lesson", "lesson:why-sqrt-d",
                                   "lesson:causal-mask", "lesson:bug-no-scale"};
constexpr compat::Key keys[] = {compat::Key::space,     compat::Key::left,   compat::Key::right, compat::Key::up,
                                compat::Key::down,      compat::Key::home,   compat::Key::end,   compat::Key::page_up,
                                compat::Key::page_down, compat::Key::escape, compat::Key::enter, compat::Key::tab,
                                compat::Key::del,       compat::Key::f1,     compat::Key::f11,   compat::Key::slash};
const ImVec2 sizes[] = {{1600, 900}, {1024, 768}, {640, 400}, {1, 1}, {1920, 1080}};

std::string at(ImVec2 p) {
  return " at " + std::to_string(static_cast<int>(p.x)) + ", " + std::to_string(static_cast<int>(p.y));
}

}  // namespace

// Not the step of below(), with which the next seed would give the same numbers, shifted by one.
Monkey::Monkey(std::uint64_t seed, std::span<const std::string> dropped)
    : state_((seed + 1) * 0xD1342543DE82EF95ull), dropped_(dropped) {}

std::size_t Monkey::below(std::size_t count) {  // splitmix64
  state_ += 0x9E3779B97F4A7C15ull;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return static_cast<std::size_t>((z ^ (z >> 31)) % count);
}

void Monkey::did(std::string what) {
  story_.push_back(std::move(what));
  if (story_.size() > 25) story_.pop_front();
}

std::string Monkey::story() const {
  std::string all;
  for (const std::string& each : story_) all += each + "\n";
  return all;
}

ImVec2 Monkey::place(const HeadlessWindow& window) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  if (below(4) == 0) {  // the place of a cell, if there is one
    const auto stage = static_cast<Stage>(below(static_cast<std::size_t>(Stage::output) + 1));
    if (window.document().trace && window.document().trace->has(stage)) {
      const ImVec2 found = window.cell(stage, 0, 0);
      if (found.x > 0) return found;
    }
  }
  const auto along = [&](float whole, float from, float to) {
    return from * whole + (to - from) * whole * static_cast<float>(below(10000)) / 10000;
  };
  if (below(3) == 0) return {along(size.x, 0, 0.18f), along(size.y, 0, 1)};  // the controls
  if (below(6) == 0) return {along(size.x, 0, 1), along(size.y, 0, 0.06f)};  // the top bar
  return {along(size.x, 0, 1), along(size.y, 0, 1)};
}

Document Monkey::document() {
  switch (below(4)) {
    case 0: return random_document(static_cast<Index>(1 + below(9)), 8, 2);
    case 1: return file_document(first_files[below(std::size(first_files))]);
    default: return sentence();
  }
}

bool Monkey::settle(HeadlessWindow& window) {
  for (int frame = 0; frame < 500; ++frame) {
    window.frame();
    window.session.wait();
    if (frame > 3 && window.session.idle()) return true;
  }
  return false;
}

void Monkey::step(HeadlessWindow& window) {
  act(window);
  const Scenario& now = window.document().scenario;
  const Index largest = 48;
  if (now.queries.value_or(0) <= largest && now.keys.value_or(0) <= largest && now.d_model.value_or(0) <= largest &&
      now.batch_size.value_or(0) <= 4)
    return;
  did("smaller");  // so that a step does not take minutes
  window.session.perform(EditScenario{[](Scenario& s) {
                                        for (std::optional<Index>* size : {&s.queries, &s.keys}) {
                                          if (*size) *size = std::min<Index>(**size, 5);
                                        }
                                        s.d_model = s.heads.value_or(1) * 2;
                                        if (s.batch_size) s.batch_size = 2;
                                      },
                                      {}});
}

void Monkey::act(HeadlessWindow& window) {
  switch (below(22)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4: {
      const ImVec2 p = place(window);
      did("click" + at(p));
      window.move(p);
      window.frame();
      window.press_button(true);
      window.frame();
      window.press_button(false);
      return window.frame();
    }
    case 5:
    case 6: {
      const ImVec2 from = place(window), to = place(window);
      did("drag" + at(from) + " to" + at(to));
      window.move(from);
      window.frame();
      window.press_button(true);
      for (int i = 1; i <= 3; ++i) {
        window.frame();
        const float share = static_cast<float>(i) / 3;
        window.move({from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share});
      }
      window.frame();
      window.press_button(false);
      return window.frame();
    }
    case 7: {
      const ImVec2 p = place(window);
      did("right click" + at(p));
      window.move(p);
      window.frame();
      window.press_button(true, 1);
      window.frame();
      window.press_button(false, 1);
      return window.frame();
    }
    case 8: {
      const ImVec2 p = place(window);
      did("wheel" + at(p));
      window.move(p);
      window.frame();
      return window.wheel(below(2) == 0 ? 1.0f : -1.0f);
    }
    case 9: {
      const ImVec2 p = place(window);
      did("double click" + at(p));
      window.move(p);
      for (int i = 0; i < 2; ++i) {
        window.frame();
        window.press_button(true);
        window.frame();
        window.press_button(false);
      }
      return window.frame();
    }
    case 10:
    case 11: {
      const char* text = words[below(std::size(words))];
      did(std::string("type ") + text);
      return window.type(text);
    }
    case 12:
    case 13: {
      const compat::Key key = keys[below(std::size(keys))];
      did("key " + std::to_string(static_cast<int>(key)));
      return window.press(key);
    }
    case 14:
    case 15: {
      const auto letter = static_cast<char>('a' + below(26));
      const HeadlessWindow::Modifiers held{below(2) == 0, below(4) == 0, below(6) == 0};
      did(std::string("letter ") + letter + (held.ctrl ? " ctrl" : "") + (held.shift ? " shift" : "") +
          (held.alt ? " alt" : ""));
      return window.press(letter, held);
    }
    case 16: did("undo"); return window.press('z', true);
    case 17: did("redo"); return window.press('y', true);
    case 18: {
      if (below(4) != 0) return window.frame();
      const ImVec2 size = sizes[below(std::size(sizes))];
      did("resize to" + at(size));
      ImGui::GetIO().DisplaySize = size;
      return window.frame();
    }
    case 19: {
      if (below(5) != 0) return window.frame();
      const std::string path = dropped_.empty() || below(3) == 0 ? std::string(lessons[below(std::size(lessons))])
                                                                 : dropped_[below(dropped_.size())];
      did("drop " + path);
      window.session.open(path);
      return window.frame();
    }
    case 20: {
      const ImVec2 p = place(window);
      did("move" + at(p));
      window.move(p);
      return window.frame();
    }
    default: did("wait"); return window.frame();
  }
}

}  // namespace headlight::test
