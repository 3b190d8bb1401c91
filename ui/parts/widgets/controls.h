// The window's small controls, the same in both themes. None of them keeps state.
#pragma once

#include <cstdio>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ui/base/frame/frame.h"
#include "ui/base/geometry/rect.h"

namespace headlight {

/// An area that a panel draws into: an ImGui window without decoration, filled with `ground` (0: not filled). Floating
/// ones lie above the others. The destructor ends it.
class PanelArea {
 public:
  enum class Kind : std::uint8_t { fixed, scrolling, floating };
  PanelArea(const Frame& frame, const char* name, ImVec2 min, ImVec2 max, ImU32 ground, ImVec2 padding,
            Kind kind = Kind::fixed);
  ~PanelArea();
  PanelArea(const PanelArea&) = delete;
  PanelArea& operator=(const PanelArea&) = delete;
};

/// A part of a view that holds controls, such as sliders, which take its width. The destructor ends it.
class ControlArea {
 public:
  ControlArea(const char* id, const Rect& place);
  ~ControlArea();
  ControlArea(const ControlArea&) = delete;
  ControlArea& operator=(const ControlArea&) = delete;
};

/// Begins a group of controls with a heading: "SHAPE".
void section(const Frame& frame, const char* words);

/// The values of an integer slider in ascending order: a range, or a list, which must outlive this object.
class Choices {
 public:
  /// from, from + 1, …, to; at least one value.
  Choices(Index from, Index to) : from_(from), count_(to > from ? to - from + 1 : 1) {}
  Choices(std::span<const Index> list) : list_(list), count_(static_cast<Index>(list.size())) {}

  Index count() const { return count_; }
  Index operator[](Index i) const { return list_.empty() ? from_ + i : list_[static_cast<std::size_t>(i)]; }
  /// Index of the first value that is at least `value`; count() if there is none.
  Index place_of(Index value) const;

 private:
  std::span<const Index> list_;
  Index from_ = 0, count_ = 0;
};

/// An integer slider: label at the left, number at the right, track below. The number can be clicked and typed; a typed
/// number is returned unchecked. A disabled slider cannot be moved.
struct SliderChange {
  Index value = 0;
  bool typed = false;
};
std::optional<SliderChange> int_slider(const Frame& frame, const char* id, const char* label, Index value,
                                       const Choices& choices, bool enabled = true);
/// The same over [lo, hi]; shows the text `shown` as its number, such as "1/√d_head".
std::optional<float> float_slider(const Frame& frame, const char* id, const char* label, float value, float lo,
                                  float hi, const char* shown);

/// Options side by side, one of them chosen; they wrap if they do not fit. Returns the clicked one.
std::optional<int> segments(const Frame& frame, const char* id, std::span<const char* const> labels, int chosen);
/// The same with the translation keys of at most eight labels; returns the clicked one if it was not chosen already.
std::optional<int> pick(const Frame& frame, const char* id, std::span<const char* const> keys, int chosen);
/// The width of a chip with this label.
float chip_width(const Frame& frame, std::string_view label);
/// A small rounded button, filled if `chosen`.
bool chip(const Frame& frame, const char* id, std::string_view label, bool chosen, float width = 0);
/// A chip as wide as a button, or a main button if `main`, whose right end is at `right`. Sets `right` to the right end
/// of the next button at its left.
bool button_before(const Frame& frame, const char* id, const char* label, bool main, float y, float& right);
/// Chips in columns of a third of the panel's width. A wider chip takes the width it needs and wraps if necessary.
class ChipFlow {
 public:
  explicit ChipFlow(const Frame& frame);
  /// Adds a chip; returns whether it was pressed.
  bool chip(const char* id, std::string_view label, bool chosen);

 private:
  const Frame& frame_;
  float whole_, gap_, left_ = 0;  ///< pixels; `left_` is what is left of the line
};
/// A button of the top bar: plain text, filled if chosen or hovered, with `pad` points at both ends.
bool bar_button(const Frame& frame, const char* id, std::string_view label, bool chosen, bool enabled = true,
                float pad = 13);

/// A line of text. Returns the new text when Enter is pressed or the field loses the keyboard; with `live`, after every
/// change. `hint` is shown while it is empty. With AfterEnter::goes_on, the field keeps the keyboard after Enter, until
/// Esc or a click elsewhere, so that typing continues the text.
enum class AfterEnter : std::uint8_t { lets_go, goes_on };
std::optional<std::string> text_field(const Frame& frame, const char* id, const std::string& text, Face face,
                                      bool live = false, const char* hint = "", AfterEnter after = AfterEnter::lets_go);

/// Small grey text, wrapped.
void note(const Frame& frame, std::string_view text);
/// A tooltip for the last item, while it is hovered.
void tooltip(const Frame& frame, std::string_view text);

/// A list of `count` entries that opens on a click; `name_of(i)` is the text of entry i. Returns the clicked entry.
std::optional<int> choice_box(const Frame& frame, const char* id, int count, int chosen,
                              const std::function<const char*(int)>& name_of);

/// A slider for an integer of the scenario. `set` writes the number; it must capture by value.
template <typename Set>
void scenario_slider(const Frame& frame, const char* id, Index now, const Choices& choices, bool enabled, Set set) {
  char key[48];
  std::snprintf(key, sizeof key, "settings.%s", id);
  if (const auto change = int_slider(frame, id, frame.words(key), now, choices, enabled)) {
    frame.edit(change->typed ? std::string() : std::string(id),
               [set, value = change->value](Scenario& s) { set(s, value); });
  }
}

}  // namespace headlight
