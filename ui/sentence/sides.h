// Inside ui/sentence: what stands at the sides of the words: the heads, and what the network says next.
#pragma once

#include "ui/sentence/sentence.h"

namespace headlight::sentence {

/// Every head of every layer, small and by name; as many as there is room for, those around the chosen one.
void put_rail(Pen& pen, const SentenceStory& story, Rect room);
/// What the network says next; with a head knocked out, as it is and without. Below, where a word can be written on,
/// what it is drawn by.
void put_prediction(Pen& pen, const SentenceStory& story, Rect room);

/// A button with its words in the middle; gives its right end.
float put_button(Pen& pen, ImVec2 at, const std::string& words, bool first, SceneAction action);

/// What a next word is drawn by, each along a track of its own: the index of SceneAction::sampling.
enum class Dial : std::uint8_t { temperature, top_k, top_p };
inline constexpr int dial_count = 3;
/// Where it stands on its track, from 0 to 1, and what a place on the track sets; top_k by the logarithm.
double dial_share(const Sampling& sampling, Dial dial, Index vocabulary);
Sampling dialled(Sampling sampling, Dial dial, double share, Index vocabulary);

/// Its name, its value and under them the track that it is dragged along.
void put_dial(Pen& pen, const SentenceStory& story, Dial dial, Rect room);

}  // namespace headlight::sentence
