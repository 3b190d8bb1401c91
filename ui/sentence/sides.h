// Inside ui/sentence: what stands at the sides of the words: the heads, and what the network says next.
#pragma once

#include "ui/sentence/sentence.h"

namespace headlight::sentence {

/// Every head of every layer, small and by name; as many as there is room for, those around the chosen one.
void put_rail(Pen& pen, const SentenceStory& story, Rect room);
/// What the network says next; with a head knocked out, as it is and without.
void put_prediction(Pen& pen, const SentenceStory& story, Rect room);

}  // namespace headlight::sentence
