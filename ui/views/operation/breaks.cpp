// The row at the foot of a step: what can be removed from the layer (the mask, the scaling, the head) or swapped (two
// words), and the next words that the network predicts after that.
#include <algorithm>
#include <array>

#include "core/base/text/in_sentence.h"
#include "core/compute/network/network.h"
#include "core/compute/network/sampling.h"
#include "core/scenario/inputs/inputs.h"
#include "ui/base/look/measure.h"
#include "ui/parts/player/stages.h"
#include "ui/views/operation/operation.h"
#include "ui/views/operation/parts.h"

namespace headlight {
namespace {

enum class Break : std::uint8_t { mask, scale, head, words };
/// In points.
struct BreakSizes {
  static constexpr float bar_length = 70, beside_bar = 36;
  static constexpr float least_width = 900, least_height = 600;  ///< of a view that has room for this row
};

constexpr std::array keys{"break.mask", "break.scale", "break.head", "break.words"};
constexpr const char* every_pair = "full()";

/// Whether the part is removed now: the layer's setting differs from the model's.
bool is_taken(const SceneContext& context, Break what) {
  if (what == Break::head) return context.view.levels.knocked;
  if (what == Break::words) return is_swapped(context.trace, context.view);
  const auto run = network_of(context.trace.inputs);
  if (!run->change) return false;
  const Scenario& settings = run->change->settings;
  return what == Break::mask ? settings.mask == every_pair : settings.scale == 1.0f;
}

/// The followed query and key; the swapped ones while they are swapped.
std::pair<Index, Index> words_followed(const Trace& trace, const View& view) {
  if (is_swapped(trace, view)) return {view.levels.swapped->first, view.levels.swapped->second};
  const Focus focus = focus_of(trace, view);
  return {focus.query, focus.key};
}

std::optional<std::string> swap_in_text(const Trace& trace, const View& view) {
  const auto run = network_of(trace.inputs);
  if (!trace.inputs.self_attention() || run->text.decoder.count() > 0 || !run->network->spec().writes()) return {};
  const auto [first, second] = words_followed(trace, view);
  const std::string& text = trace.scenario.text;
  const Index batch = std::clamp<Index>(view.batch, 0, run->text.tokens.size() - 1);
  const auto swapped = with_swapped_tokens(*run->network, text, batch, first, second);
  return swapped && *swapped != text ? swapped : std::nullopt;
}

/// Whether the layer has this part, so that it can be removed or restored.
bool is_there(const SceneContext& context, Break what, bool can_swap) {
  if (is_taken(context, what) || what == Break::head) return true;
  if (what == Break::words) return can_swap;
  return what == Break::mask ? context.trace.has(Stage::mask) : context.trace.scale != 1;
}

float height_of(const TypeSizes& type, float u) { return type.caption * 2.2f + Space::pad * u; }

struct BreakRow : ScenePart {
  const SentenceStory& story;
  const bool can_swap;
  const Rect row;
  const float middle = row.centre().y, caption = pen.type.caption, bold = pen.bold(caption);
  /// After a change each word has two numbers, before and after.
  const bool compares = std::ranges::any_of(story.next, [](const Guess& guess) { return guess.before >= 0; });
  const float bar = BreakSizes::bar_length * u,
              number = pen.measure(Face::mono, pen.type.number, compares ? "0.00 → 0.00" : "0.00").x;
  float left = row.min.x, right = row.max.x;

  void put_choice(Break what) {
    const auto [query, key] = words_followed(trace, view);
    const std::string words = say.fill(keys[static_cast<std::size_t>(what)],
                                       {view.head, in_sentence(query_word(context, std::min(query, key))),
                                        in_sentence(query_word(context, std::max(query, key)))});
    const bool taken = is_taken(context, what);
    const Face face = taken ? Face::bold : Face::ui;
    const Rect chip{{left, row.min.y},
                    {left + pen.measure(Face::bold, bold, words).x + ControlPad::action * u, row.max.y}};
    if (chip.max.x + width_of(story.next.front()) + Space::part * u > right) return;  // the next word has priority
    if (taken) pen.fill(chip, look.warning_ground, Corner::card * u);
    pen.box(chip, taken ? look.warning : look.line, 1, Corner::card * u);
    pen.text(TextRole::caption, face, taken ? bold : caption, chip.centre(), Align::middle,
             taken ? look.warning : look.ink, words);
    pen.target(chip, SceneAction::knock_out, static_cast<Index>(what));
    left = chip.max.x + Space::gap * u;
  }

  void put_choices() {
    const Rect label = pen.caption({left, middle}, Align::left, say("break.it"));
    left = label.max.x + Space::apart * u;
    for (const Break what : {Break::mask, Break::scale, Break::head, Break::words}) {
      if (is_there(context, what, can_swap)) put_choice(what);
    }
  }

  /// Width of a word with its bar and its number.
  float width_of(const Guess& guess) const {
    return pen.measure(Face::bold, bold, guess.word).x + bar + number + (Space::gap + BreakSizes::beside_bar) * u;
  }

  /// "0.18", or "0.18 → 0.05" if the change gives it another probability.
  std::string numbers_of(const Guess& guess) const {
    const auto text = [](double share) { return MatrixNumbers(2, true)(static_cast<float>(share)); };
    return (guess.before >= 0 ? text(guess.before) + " → " : "") + text(guess.probability);
  }

  /// A word with its probability: a pale bar for the one before the change, a full bar for the one after it.
  void put_word(const Guess& guess) {
    const Rect track = pen.track(right - number - Space::gap * u - bar, right - number - Space::gap * u, middle);

    const auto put_bar = [&](double share, ImU32 colour, float top, float bottom) {
      if (const float x = bar * static_cast<float>(std::clamp(share, 0.0, 1.0)); x > 0)
        pen.fill({{track.min.x, top}, {track.min.x + x, bottom}}, colour, std::min(Corner::mark * u, x / 2));
    };
    pen.fill(track, look.field, Corner::mark * u);
    if (guess.before >= 0) put_bar(guess.before, fade(look.after, 0.35f), track.min.y, track.max.y);
    put_bar(guess.probability, look.after, track.min.y + (guess.before >= 0 ? Space::tight * u : 0),
            track.max.y - (guess.before >= 0 ? Space::tight * u : 0));
    pen.number(pen.type.number, {right, middle}, Align::right, look.ink, numbers_of(guess));
    pen.text(TextRole::caption, Face::bold, bold, {track.min.x - Space::gap * u, middle}, Align::right, look.ink,
             guess.word);
    right -= width_of(guess);
  }

  void put_words() {
    std::size_t count = 0;
    for (float room = right - left - Space::part * u; count < std::min<std::size_t>(story.next.size(), 3); ++count) {
      room -= width_of(story.next[count]);
      if (room < 0) break;
    }
    while (count-- > 0) put_word(story.next[count]);
    // Before and after are of the same word, which is named.
    const std::string next = story.next_after.empty() || story.picture
                                 ? std::string(say(operation::key_here(context, "break.next_word")))
                                 : say.fill("break.next", {in_sentence(story.next_after)});
    if (right - pen.measure(Face::ui, caption, next).x > left + Space::part * u)
      pen.caption({right, middle}, Align::right, next);
  }
};

/// The document's text with the two words swapped; nothing if there is no text, or if it stays the same. Kept, because
/// finding the words reads the text many times.
const std::optional<std::string>& swapped_text(const Frame& frame) {
  const View& view = frame.view();
  return frame.pictures.kept([&] { return swap_in_text(*frame.trace(), view); }, frame.document.trace, view.batch,
                             words_followed(*frame.trace(), view));
}

void swap_words(const Frame& frame) {
  const Trace& trace = *frame.trace();
  const auto& text = swapped_text(frame);
  if (!text) return;
  const std::pair words = words_followed(trace, frame.view());
  const bool back = is_swapped(trace, frame.view());
  frame.edit({}, [=](Scenario& s) { s.text = *text; });
  frame.show([=](View& v) {
    v.levels.swapped = back ? std::nullopt : std::optional(SwappedWords{words.first, words.second, *text});
    v.levels.query = std::max(words.first, words.second);
    v.levels.key = std::min(words.first, words.second);
  });
}

}  // namespace

bool has_breaks(const SceneContext& context, const SentenceStory& story, Rect place) {
  const bool in_film = context.view.levels.arrival.has_value();  // nobody clicks, and the result comes at the end
  return says_next(context.trace) && !in_film && !story.next.empty() && story.can_knock &&
         place.height() >= BreakSizes::least_height * context.u && place.width() >= BreakSizes::least_width * context.u;
}

Rect without_breaks(const SceneContext& context, Rect place) {
  place.max.y -= height_of(type_sizes(context), context.u);
  return place;
}

void put_breaks(Pen& pen, const SentenceStory& story, bool can_swap, Rect place) {
  const Rect area = operation::scene_area(pen.context(), place);
  const float bottom = place.max.y - Space::gap * pen.u(), high = pen.type.caption * 2.1f;
  BreakRow row{pen, story, can_swap, {{area.min.x, bottom - high}, {area.max.x, bottom}}};
  row.put_choices();
  row.put_words();
}

bool can_swap_words(const Frame& frame) { return swapped_text(frame).has_value(); }

void take_away(const Frame& frame, Index which) {
  switch (static_cast<Break>(which)) {
    case Break::mask: return frame.edit({}, [](Scenario& s) { s.mask = s.mask == every_pair ? "" : every_pair; });
    case Break::scale:
      return frame.edit({}, [](Scenario& s) {
        if (s.scale == 1.0f) s.scale.reset();
        else s.scale = 1.0f;
      });
    case Break::head: return knock_out(frame);
    case Break::words: return swap_words(frame);
  }
}

}  // namespace headlight
