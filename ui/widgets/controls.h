// The window's own small controls: quiet, one-pixel, the same in both themes. None keeps state of its own.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ui/frame/frame.h"

namespace headlight {

/// An area that a panel draws into: an ImGui window without decoration, on `ground` (0: none). A floating one lies over
/// those that do not float. Ends in its destructor.
class PanelArea {
 public:
  enum class Kind : std::uint8_t { fixed, scrolling, floating };
  PanelArea(const Frame& frame, const char* name, ImVec2 min, ImVec2 max, ImU32 ground, ImVec2 padding,
            Kind kind = Kind::fixed);
  ~PanelArea();
  PanelArea(const PanelArea&) = delete;
  PanelArea& operator=(const PanelArea&) = delete;
};

/// "SHAPE": opens a group of controls.
void section(const Frame& frame, const char* words);

/// The whole numbers that a slider stops at, in ascending order. Holds none: a list has to live as long.
class Choices {
 public:
  /// from, from + 1, …, to; at least one.
  Choices(Index from, Index to) : from_(from), count_(to > from ? to - from + 1 : 1) {}
  Choices(std::span<const Index> list) : list_(list), count_(static_cast<Index>(list.size())) {}

  Index count() const { return count_; }
  Index operator[](Index i) const { return list_.empty() ? from_ + i : list_[static_cast<std::size_t>(i)]; }
  /// Where the first one stands that is not below `value`; count() where there is none.
  Index place_of(Index value) const;

 private:
  std::span<const Index> list_;
  Index from_ = 0, count_ = 0;
};

/// A choice among numbers that slide in steps: label left, number right, a track below. The number can be clicked and
/// typed; what was typed comes back as it is, to be judged by whoever takes it. Disabled: shown, not to be moved.
struct SliderChange {
  Index value = 0;
  bool typed = false;
};
std::optional<SliderChange> int_slider(const Frame& frame, const char* id, const char* label, Index value,
                                       const Choices& choices, bool enabled = true);
/// The same over [lo, hi], with `shown` in place of the number, e.g. "1/√d_head".
std::optional<float> float_slider(const Frame& frame, const char* id, const char* label, float value, float lo,
                                  float hi, const char* shown, bool enabled = true);

/// Options of which one is chosen, side by side or, where their words need it, in several lines; gives the one that was
/// clicked.
std::optional<int> segments(const Frame& frame, const char* id, std::span<const char* const> labels, int chosen);
/// What a small rounded button takes in width, with its words as large as they get.
float chip_width(const Frame& frame, std::string_view label);
/// A small rounded button. `chosen` fills it.
bool chip(const Frame& frame, const char* id, std::string_view label, bool chosen, float width = 0);
/// Small buttons in thirds of the panel's width; one whose words need more takes it, and begins a line where it has no
/// room.
class ChipFlow {
 public:
  explicit ChipFlow(const Frame& frame);
  /// The next one; whether it was pressed.
  bool chip(const char* id, std::string_view label, bool chosen);

 private:
  const Frame& frame_;
  float whole_, gap_, left_ = 0;  ///< pixels; `left_` of the line
};
/// A button of the top bar: plain text, filled when chosen or hovered.
/// `pad` points beside the words at either end.
bool bar_button(const Frame& frame, const char* id, std::string_view label, bool chosen, bool enabled = true,
                float pad = 13);

/// One line of text; gives the new text when Enter is pressed or the field is left, however that comes about. With
/// `live`, on every change. While it is empty it shows `hint`.
std::optional<std::string> text_field(const Frame& frame, const char* id, const std::string& text, Face face,
                                      bool live = false, const char* hint = "");

/// A line of muted small text, wrapped.
void note(const Frame& frame, std::string_view text);
/// Shown beside the pointer while the last item is hovered.
void tooltip(const Frame& frame, std::string_view text);

}  // namespace headlight
