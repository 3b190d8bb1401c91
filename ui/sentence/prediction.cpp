// What the network says next, as bars.
#include <algorithm>

#include "ui/level/figures.h"
#include "ui/sentence/sides.h"

namespace headlight::sentence {

void put_prediction(Pen& pen, const SentenceStory& story, Rect room) {
  const Look& look = pen.look();
  const Words& words = pen.easel().words;
  const float u = pen.u();
  pen.fill(room, look.panel);
  pen.fill({{room.min.x, room.min.y}, {room.min.x + 1, room.max.y}}, look.line);
  const Rect inside{{room.min.x + 20 * u, room.min.y + 22 * u}, {room.max.x - 20 * u, room.max.y - 16 * u}};
  const std::vector<Named> names{{story.next_after, look.ink}, {story.silent, look.ink}, {story.changed_layer, look.ink}};
  float y = inside.min.y + pen.sentence(TextRole::story, words(story.next_after.empty() ? "sentence.next_first" : "sentence.next"), names, inside, pen.type.story, look.muted) + 10 * u;
  const bool two = !story.silent.empty() || !story.changed_layer.empty();
  float name_room = 0;
  for (const Guess& guess : story.next) name_room = std::max(name_room, pen.measure(Face::ui, pen.type.word, guess.word).x);
  name_room = std::min(name_room + 10 * u, inside.width() * 0.42f);
  const float number_room = pen.measure(Face::mono, pen.type.number, "0.000").x + 4 * u;
  const float pitch = (two ? 3.3f : 2.0f) * pen.type.word;
  for (const Guess& guess : story.next) {
    if (y + pitch > inside.max.y) break;
    const auto bar = [&](float middle, double probability, ImU32 colour, bool lit) {
      const Rect track{{inside.min.x + name_room, middle - 7 * u}, {inside.max.x - number_room, middle + 7 * u}};
      pen.fill(track, look.field, 3 * u);
      const float width = std::max(static_cast<float>(probability) * track.width(), u);
      pen.fill({track.min, {track.min.x + width, track.max.y}}, colour, std::min(3 * u, width / 2));
      pen.text(TextRole::number, Face::mono, pen.type.number, {inside.max.x, middle}, Align::right, lit ? look.ink : look.muted, Figures(probability < 0.01 ? 3 : 2, true)(static_cast<float>(probability)));
    };
    const float first = y + pen.type.word * 0.8f;
    pen.text(TextRole::word, Face::ui, pen.type.word, {inside.min.x, first}, Align::left, look.ink, elide(pen.easel().fonts, Face::ui, pen.type.word, guess.word, name_room - 8 * u));
    if (two && guess.before >= 0) {
      bar(first, guess.before, fade(look.after, 0.45f), false);
      bar(first + pen.type.word * 1.25f, guess.probability, look.after, true);
    } else {
      bar(first, guess.probability, look.after, true);
    }
    y += pitch;
  }
  if (two) y += pen.sentence(TextRole::story, words(story.silent.empty() ? "sentence.changed" : "sentence.without"), names, {{inside.min.x, y + 6 * u}, inside.max}, pen.type.caption, look.muted);
}

}  // namespace headlight::sentence
