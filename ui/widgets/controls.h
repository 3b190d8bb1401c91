// The window's own small controls: quiet, one-pixel, the same in both themes. None keeps state of its own.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ui/frame.h"

namespace headlight {

/// An area that a panel draws into: an ImGui window without decoration, on `ground` (0: none). A floating one lies over
/// those that do not float. Ends in its destructor.
class PanelArea {
 public:
  enum class Kind : std::uint8_t { fixed, scrolling, floating };
  PanelArea(const Frame& frame, const char* name, ImVec2 min, ImVec2 max, ImU32 ground, ImVec2 padding, Kind kind = Kind::fixed);
  ~PanelArea();
  PanelArea(const PanelArea&) = delete;
  PanelArea& operator=(const PanelArea&) = delete;
};

/// "SHAPE": opens a group of controls.
void section(const Frame& frame, const char* words);

/// A choice among numbers that slide in steps: label left, number right, a track below. The number can be clicked and
/// typed; what was typed comes back as it is, to be judged by whoever takes it. Disabled: shown, not to be moved.
struct SliderChange {
  Index value = 0;
  bool typed = false;
};
std::optional<SliderChange> int_slider(const Frame& frame, const char* id, const char* label, Index value,
                                       std::span<const Index> choices, bool enabled = true);
/// The same over [lo, hi], with `shown` in place of the number, e.g. "1/√d_head".
std::optional<float> float_slider(const Frame& frame, const char* id, const char* label, float value, float lo, float hi,
                                  const char* shown, bool enabled = true);

/// A row of options of which one is chosen; gives the one that was clicked.
std::optional<int> segments(const Frame& frame, const char* id, std::span<const char* const> labels, int chosen);
/// A small rounded button. `chosen` fills it.
bool chip(const Frame& frame, const char* id, std::string_view label, bool chosen, float width = 0);
/// A button of the top bar: plain text, filled when chosen or hovered.
bool bar_button(const Frame& frame, const char* id, std::string_view label, bool chosen, bool enabled = true);

/// One line of text; gives the new text when Enter is pressed or the field is left. With `live`, on every change.
std::optional<std::string> text_field(const Frame& frame, const char* id, const std::string& text, Face face, bool live = false);

/// A line of muted small text, wrapped.
void note(const Frame& frame, std::string_view text);
/// Shown beside the pointer while the last item is hovered.
void tooltip(const Frame& frame, std::string_view text);

}  // namespace headlight
