// The network's prediction of the next word as bars, and how a word is sampled.
#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/text/in_sentence.h"
#include "core/compute/network/network.h"
#include "core/scenario/inputs/inputs.h"
#include "ui/base/look/measure.h"
#include "ui/parts/scene/matrix_numbers.h"
#include "ui/views/sentence/sides.h"

namespace headlight::sentence_parts {
namespace {

// In points. A dial's slider has its room below the words, and is above the lower edge of the dial.
constexpr float slider_room = 22, slider_above_edge = 9, around_writing = 30, above_heading = 22, least_writing = 140;

const char* heading_key(const Trace& trace, const SentenceStory& story) {
  const auto run = network_of(trace.inputs);
  if (run && run->network->spec().picture) return "sentence.sees";
  return story.next_after.empty() ? "sentence.next_first" : "sentence.next";
}

std::string dial_text(const Sampling& sampling, Dial dial, const Words& words) {
  switch (dial) {
    case Dial::temperature: return MatrixNumbers(2, true)(sampling.temperature);
    case Dial::top_k:
      return sampling.top_k == 0 ? std::string(words("sentence.all_words")) : std::to_string(sampling.top_k);
    case Dial::top_p:
      return sampling.top_p == 1 ? std::string(words("sentence.all_words")) : MatrixNumbers(2, true)(sampling.top_p);
  }
  return {};
}

float dial_height(const Pen& pen) { return pen.type.caption * 1.4f + slider_room * pen.u(); }
float button_height(const Pen& pen) { return pen.type.story * 2.5f; }
float writing_height(const Pen& pen) {
  return static_cast<float>(dial_count) * dial_height(pen) + button_height(pen) + 4 * pen.type.caption +
         around_writing * pen.u();
}

/// A sampled word, and the settings of the sampling.
void put_writing(Pen& pen, const SentenceStory& story, Rect room) {
  const Look& look = pen.look();
  const Words& words = pen.context().words;
  const float u = pen.u(), dial = dial_height(pen);
  const Named after{in_sentence(story.next_after), look.ink};
  const char* const key =
      story.next_at + 1 < pen.context().trace.dims().n_q ? "sentence.writes_over" : "sentence.writes_on";
  pen.fill({room.min, {room.max.x, room.min.y + 1}}, look.line);
  float y = room.min.y + Space::card * u;
  for (int i = 0; i < dial_count; ++i, y += dial)
    put_dial(pen, story, static_cast<Dial>(i), {{room.min.x, y}, {room.max.x, y + dial - Space::tight * u}});
  y += Space::near * u;
  put_button(pen, {room.min.x, y}, std::string(words("sentence.draw_word")), false, SceneAction::draw_word);
  y += button_height(pen) + Space::pad * u;
  pen.sentence(TextRole::story, words(key), std::span(&after, 1), {{room.min.x, y}, room.max}, pen.type.caption,
               look.muted);
}

MatrixNumbers numbers_of(const std::vector<Guess>& guesses) {
  std::vector<double> chances;
  for (const Guess& guess : guesses) chances.insert(chances.end(), {guess.probability, guess.before});
  return for_chances(chances);
}

/// A word and its bar, or two bars if the network was changed: original and changed. `sides`: room for names and
/// numbers.
void put_guess_bars(Pen& pen, const Guess& guess, const MatrixNumbers& numbers, bool two, Rect room, ImVec2 sides) {
  const Look& look = pen.look();
  const float u = pen.u(), first = room.min.y + pen.type.word * 0.8f;
  const auto bar = [&](float middle, double probability, ImU32 colour, bool lit) {
    const Rect track = pen.track(room.min.x + sides.x, room.max.x - sides.y, middle);
    pen.fill(track, look.field, Corner::cell * u);
    pen.meter(track, std::max(static_cast<float>(probability) * track.width(), u), colour);
    pen.number(pen.type.number, {room.max.x, middle}, Align::right, lit ? look.ink : look.muted,
               numbers(static_cast<float>(probability)));
  };
  pen.text(TextRole::word, Face::ui, pen.type.word, {room.min.x, first}, Align::left, look.ink, guess.word,
           sides.x - Space::gap * u);
  const bool both = two && guess.before >= 0;
  if (both) bar(first, guess.before, fade(look.after, 0.45f), false);
  bar(both ? first + pen.type.word * 1.25f : first, guess.probability, look.after, true);
}

/// The values of the sentences: {0} the selected word, {1} the knocked-out heads, {2} the changed layer, {3} to {5} the
/// dials, {6} to {8} the current head, the most probable word without it, and the probability of that word.
std::vector<Named> values_of(const SceneContext& context, const SentenceStory& story) {
  const ImU32 ink = context.look.ink;
  std::vector<Named> values{{in_sentence(story.next_after), ink}, {story.silent, ink}, {story.changed_layer, ink}};
  for (int i = 0; i < dial_count; ++i)
    values.push_back({dial_text(story.sampling, static_cast<Dial>(i), context.words), ink});
  values.insert(values.end(), {{story.unless.head, ink},
                               {in_sentence(story.unless.word), ink},
                               {MatrixNumbers(2, true)(static_cast<float>(story.unless.probability)), ink}});
  return values;
}

}  // namespace

void put_dial(Pen& pen, const SentenceStory& story, Dial dial, Rect room) {
  constexpr const char* names[dial_count] = {"sentence.temperature", "sentence.top_k", "sentence.top_p"};
  const Look& look = pen.look();
  const float u = pen.u(), text = room.min.y + pen.type.caption * 0.7f, y = room.max.y - slider_above_edge * u;
  pen.caption({room.min.x, text}, Align::left, pen.context().words(names[static_cast<std::size_t>(dial)]));
  pen.number(pen.type.number, {room.max.x, text}, Align::right, look.ink,
             dial_text(story.sampling, dial, pen.context().words));
  const Rect track{{room.min.x + Space::gap * u, y - Space::thin * u},
                   {room.max.x - Space::gap * u, y + Space::thin * u}};
  const auto at = [&](double share) { return track.min.x + track.width() * static_cast<float>(share); };
  pen.slider(track, y, look.field, {at(dial_share(Sampling{}, dial, std::ssize(story.shares)))},
             at(dial_share(story.sampling, dial, std::ssize(story.shares))), SceneAction::sampling,
             static_cast<Index>(dial));
}

float large_button_width(const Pen& pen, const std::string& words) {
  return pen.measure(Face::bold, pen.type.story, words).x + ControlPad::large * pen.u();
}

float put_button(Pen& pen, ImVec2 at, const std::string& words, bool first, SceneAction action) {
  const float u = pen.u(), height = button_height(pen);
  const float width = large_button_width(pen, words);
  const Rect rect{at, {at.x + width, at.y + height}};
  pen.fill(rect, first ? pen.look().ink : pen.look().card, Corner::card * u);
  if (!first) pen.box(rect, pen.look().line, 1, Corner::card * u);
  pen.text(TextRole::caption, Face::bold, pen.type.story, rect.centre(), Align::middle,
           first ? pen.look().card : pen.look().ink, words);
  pen.target(rect, action);
  return rect.max.x;
}

double dial_share(const Sampling& sampling, Dial dial, Index vocabulary) {
  switch (dial) {
    case Dial::temperature: return std::clamp(static_cast<double>(sampling.temperature / hottest_sampling), 0.0, 1.0);
    case Dial::top_k:
      return sampling.top_k == 0 || vocabulary < 2
                 ? 1
                 : std::clamp(std::log(static_cast<double>(sampling.top_k)) / std::log(static_cast<double>(vocabulary)),
                              0.0, 1.0);
    case Dial::top_p: return static_cast<double>(sampling.top_p);
  }
  return 1;
}

Sampling dialled(Sampling sampling, Dial dial, double share, Index vocabulary) {
  constexpr double snap = 0.02;
  share = std::clamp(share, 0.0, 1.0);
  const bool end = share > 1 - snap;
  switch (dial) {
    case Dial::temperature: {
      const double t = share * static_cast<double>(hottest_sampling);
      sampling.temperature = std::abs(t - 1) < 2 * snap ? 1 : static_cast<float>(std::round(t * 20) / 20);
      break;
    }
    case Dial::top_k: {
      const auto k = static_cast<Index>(std::lround(std::pow(static_cast<double>(vocabulary), share)));
      sampling.top_k = end || k >= vocabulary ? 0 : std::max<Index>(k, 1);
      break;
    }
    case Dial::top_p:
      sampling.top_p = end ? 1 : std::max(static_cast<float>(std::round(share * 100) / 100), 0.01f);
      break;
  }
  return sampling;
}

Rect put_prediction(Pen& pen, const SentenceStory& story, Rect room) {
  const Look& look = pen.look();
  const Words& words = pen.context().words;
  const float u = pen.u();
  pen.fill(room, look.panel);
  pen.fill({{room.min.x, room.min.y}, {room.min.x + 1, room.max.y}}, look.line);
  const Rect inside{{room.min.x + Space::wide * u, room.min.y + above_heading * u},
                    {room.max.x - Space::wide * u, room.max.y - Space::part * u}};
  const std::vector<Named> values = values_of(pen.context(), story);
  float y = inside.min.y +
            pen.sentence(TextRole::story, words(heading_key(pen.context().trace, story)), values, inside,
                         pen.type.story, look.muted) +
            Space::pad * u;
  const bool otherwise = !story.silent.empty() || !story.changed_layer.empty(),
             two = otherwise || !story.sampling.is_plain();
  float name_room = 0;
  for (const Guess& guess : story.next)
    name_room = std::max(name_room, pen.measure(Face::ui, pen.type.word, guess.word).x);
  name_room = std::min(name_room + Space::pad * u, inside.width() * 0.42f);
  const float number_room = pen.measure(Face::mono, pen.type.number, "0.000").x + Space::tight * u;
  const float two_bars = 3.3f * pen.type.word, pitch = two ? two_bars : 2.0f * pen.type.word;
  const float button = large_button_width(pen, words("sentence.draw_word"));
  const float note_room = 7 * pen.type.caption;
  // The sampling controls do not move when words change from one bar to two.
  const bool writes = story.writes && !pen.context().view.presenting &&
                      inside.width() >= std::max(button, least_writing * u) &&
                      inside.max.y - y >= writing_height(pen) + 3 * two_bars + note_room;
  const float dials = writes ? std::min(y + static_cast<float>(story.next.size()) * two_bars + note_room,
                                        inside.max.y - writing_height(pen))
                             : inside.max.y;
  const bool effect = !otherwise && !story.unless.head.empty() && story.sampling.is_plain();
  const float bars_end = (two || effect) && (writes || effect) ? dials - note_room : dials;
  const MatrixNumbers numbers = numbers_of(story.next);
  for (const Guess& guess : story.next) {
    if (y + pitch > bars_end) break;
    put_guess_bars(pen, guess, numbers, two, {{inside.min.x, y}, {inside.max.x, y + pitch}}, {name_room, number_room});
    const float first = y + pen.type.word * 0.8f;
    if (story.writes)
      pen.target({{inside.min.x, first - pen.type.word}, {inside.max.x, first - pen.type.word + pitch}},
                 SceneAction::write_word, guess.token);
    y += pitch;
  }
  const char* const note = !story.silent.empty() ? "sentence.without"
                           : otherwise           ? "sentence.changed"
                                                 : "sentence.sampled";
  const auto tell = [&](const char* key, float pixels) {
    y += pen.sentence(TextRole::story, words(key), values, {{inside.min.x, y + Space::near * u}, inside.max}, pixels,
                      look.muted);
  };
  if (effect) tell(story.unless.other ? "sentence.unless_other" : "sentence.unless_same", pen.type.caption * 1.1f);
  if (two) tell(note, pen.type.caption);
  if (otherwise && !story.sampling.is_plain()) tell("sentence.both_sampled", pen.type.caption);
  if (writes) put_writing(pen, story, {{inside.min.x, dials}, inside.max});
  return {{inside.min.x, writes ? inside.max.y : std::min(y + Space::wide * u, inside.max.y)}, inside.max};
}

}  // namespace headlight::sentence_parts
