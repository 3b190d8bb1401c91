// Look: the colours of the window's parts in one theme, ready for ImGui. Matrices' colours come from core/figure.
#pragma once

#include <array>

#include <imgui.h>

#include "core/image/theme.h"
#include "core/stage/stage.h"
#include "core/tensor/tensor.h"

namespace headlight {

struct Look {
  Theme theme = Theme::light;
  ImU32 window, panel, card;
  ImU32 ink, muted, line;
  ImU32 field, field_hover;  ///< quiet fills: inputs, chosen tabs, slider tracks
  ImU32 knob;
  ImU32 accent;   ///< focus, links, what is in force among several: ink, as every hue means something else
  ImU32 pointed;  ///< what the pointer is over, beside the ink of what is kept
  ImU32 warning, warning_ground;
  ImU32 shadow;          ///< transparent in the dark theme, where a line stands for it
  ImU32 q, k, v, after;  ///< the lanes, and everything after the softmax
  ImU32 allowed;         ///< cells of a mask that may attend
  std::array<ImU32, 8> heads, head_inks;
  std::array<ImU32, 12> words, word_inks;

  ImU32 head(Index h) const { return heads[static_cast<std::size_t>(h) % heads.size()]; }
  /// The same as words, which are to be read on a card.
  ImU32 head_ink(Index h) const { return head_inks[static_cast<std::size_t>(h) % heads.size()]; }
  /// A word that is followed through several pictures at once, and the same as its name.
  ImU32 word(Index i) const { return words[static_cast<std::size_t>(i) % words.size()]; }
  ImU32 word_ink(Index i) const { return word_inks[static_cast<std::size_t>(i) % word_inks.size()]; }
  /// How often the hues have come back: 0 for the first eight heads. Each lap has another mark.
  int head_lap(Index h) const { return static_cast<int>(h / static_cast<Index>(heads.size())); }
  /// The lane that a stage belongs to.
  ImU32 lane(Stage stage) const;
};

const Look& look(Theme theme);
/// Colours and metrics of ImGui's own parts (popups, text fields) to match; `scale` is pixels per point.
void apply_style(const Look& look, float scale);

ImU32 to_imgui(Rgba colour);
/// The same colour with its alpha multiplied.
ImU32 fade(ImU32 colour, float alpha);

}  // namespace headlight
