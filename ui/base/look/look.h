// Look: the colours of the window in one theme, as ImGui takes them. The colours of matrices come from core/figure.
#pragma once

#include <array>

#include <imgui.h>

#include "core/base/image/theme.h"
#include "core/base/tensor/tensor.h"
#include "core/rules/stage/stage.h"

namespace headlight {

struct Look {
  Theme theme = Theme::light;
  ImU32 window, panel, card;
  ImU32 ink, muted, line;
  ImU32 field, field_hover;  ///< backgrounds of inputs, selected tabs and slider tracks
  ImU32 knob;
  ImU32 accent;   ///< focus, links, the selected one of several; a neutral colour, since hues have meanings
  ImU32 pointed;  ///< what is under the pointer, as opposed to what is selected
  ImU32 warning, warning_ground;
  ImU32 shadow;          ///< transparent in the dark theme, which draws a line instead
  ImU32 q, k, v, after;  ///< the lanes of Q, K and V, and everything after the softmax
  ImU32 allowed;         ///< mask cells that may attend
  std::array<ImU32, 8> heads, head_inks;
  std::array<ImU32, 12> words, word_inks;

  ImU32 head(Index h) const { return heads[static_cast<std::size_t>(h) % heads.size()]; }
  /// The same hue, dark enough for text.
  ImU32 head_ink(Index h) const { return head_inks[static_cast<std::size_t>(h) % heads.size()]; }
  /// The colour of a word in several pictures; word_ink() is dark enough for its name.
  ImU32 word(Index i) const { return words[static_cast<std::size_t>(i) % words.size()]; }
  ImU32 word_ink(Index i) const { return word_inks[static_cast<std::size_t>(i) % word_inks.size()]; }
  /// 0 for the first eight heads, 1 for the next eight, … Each round has another mark.
  int head_lap(Index h) const { return static_cast<int>(h / static_cast<Index>(heads.size())); }
  /// The lane colour of a stage.
  ImU32 lane(Stage stage) const;
};

const Look& look(Theme theme);
/// Styles ImGui's own parts (popups, text fields) to match; `scale` is pixels per point.
void apply_style(const Look& look, float scale);

ImU32 to_imgui(Rgba colour);
/// The colour with its alpha multiplied.
ImU32 fade(ImU32 colour, float alpha);

}  // namespace headlight
