// Inside ui/views/sentence: the heads at the left and the prediction at the right.
#pragma once

#include "ui/views/sentence/sentence.h"

namespace headlight::sentence_parts {

/// The heads of all layers; if they do not fit, those around the chosen one.
void put_rail(Pen& pen, const SentenceStory& story, Rect room);
/// The most probable next words; with a head knocked out, with and without it. Below, the sampling sliders if a word
/// can be drawn. Returns the remaining part of the room.
Rect put_prediction(Pen& pen, const SentenceStory& story, Rect room);

/// The width of a button with these words, as put_button() draws it.
float large_button_width(const Pen& pen, const std::string& words);
/// A button; returns its right end.
float put_button(Pen& pen, ImVec2 at, const std::string& words, bool first, SceneAction action);

/// The sampling sliders, by the index of SceneAction::sampling.
enum class Dial : std::uint8_t { temperature, top_k, top_p };
inline constexpr int dial_count = 3;
/// A slider's position 0…1, and the value for a position; top_k is logarithmic.
double dial_share(const Sampling& sampling, Dial dial, Index vocabulary);
Sampling dialled(Sampling sampling, Dial dial, double share, Index vocabulary);

/// Name, value and track of a slider.
void put_dial(Pen& pen, const SentenceStory& story, Dial dial, Rect room);

}  // namespace headlight::sentence_parts
