// A word's journey: its row alone, from its embedding to its output. The query is a strip beside the keys' strips;
// below each key are its score as a bar, its weight, and its value as wide as that weight; at the right are the
// weighted sum and the network's next word.
#include <algorithm>
#include <cmath>

#include "core/base/text/in_sentence.h"
#include "core/base/text/number_text.h"
#include "core/teaching/explain/explain.h"
#include "ui/base/look/measure.h"
#include "ui/parts/matrix/heat.h"
#include "ui/views/operation/bands.h"

namespace headlight {

using namespace operation;

namespace {

/// The ratio of two weights as text: "12.3", "4.1e13".
std::string times_text(double ratio) {
  if (ratio >= 1e6 || ratio < 1e-4) return formatted("%.1e", ratio);
  return formatted("%.*f", ratio >= 100 ? 0 : ratio >= 10 ? 1 : 2, ratio);
}

/// The height of a sentence.
float height_of(const Pen& pen, std::string_view pattern, std::span<const Named> values, Rect room, float pixels) {
  Scene scene;
  return Pen(pen.context(), scene).sentence(TextRole::story, pattern, values, room, pixels, 0);
}

/// Why one of two words gets a larger weight: both dot products, both scores, and the ratio of the weights.
struct Rivals : TaskPart {
  Stage last;  ///< the scores that softmax takes
  Index rival;

  float number(Stage stage, Index key) const { return numbers_of(trace, view, stage)(task.focus.query, key); }
  bool is_scaled() const { return trace.has(Stage::scaled_scores) && trace.scale != 1; }
  bool by_root() const {
    const double root = std::sqrt(static_cast<double>(trace.dims().d_head));
    return std::abs(static_cast<double>(trace.scale) * root - 1) < 1e-6;
  }

  /// "59.62 ÷ √16 = 14.91": a dot product and the scaled score, as text; `factor` is what is between them.
  std::pair<std::string, std::string> scaled(Index key, std::string& factor) const {
    const PrintedProduct shown = printed_product(number(Stage::scores, key), trace.scale);
    factor = by_root() ? "÷ √" + std::to_string(trace.dims().d_head) : "× " + shown.right.text;
    if (!by_root()) return {shown.left.text, shown.product.text};
    const auto sum = static_cast<double>(number(Stage::scores, key));
    Printed before = printed(sum), after = printed(static_cast<double>(number(Stage::scaled_scores, key)));
    for (int more = 1; more < 5 && std::abs(before.value * static_cast<double>(trace.scale) - after.value) > after.unit;
         ++more)
      before = printed(sum, more);
    return {before.text, after.text};
  }

  /// Patterns and their values: scaling, later changes of the scores, the comparison.
  std::vector<std::pair<std::string, std::vector<Named>>> sentences() const {
    const Named first{in_sentence(key_word(context, task.focus.key)), look.k},
        second{in_sentence(key_word(context, rival)), look.k};
    const auto a = static_cast<double>(number(last, task.focus.key)), b = static_cast<double>(number(last, rival));
    if (!std::isfinite(a) || !std::isfinite(b)) return {{say("facet.rival_hidden"), {first, second}}};
    std::vector<std::pair<std::string, std::vector<Named>>> lines;
    if (is_scaled()) {
      std::string factor, again;
      const auto [sum, score] = scaled(task.focus.key, factor);
      const auto [other_sum, other_score] = scaled(rival, again);
      lines.push_back({"{0} " + factor + " = {1}, {2} " + again + " = {3}.",
                       {{sum, look.ink}, {score, look.ink}, {other_sum, look.ink}, {other_score, look.ink}}});
    }
    const Stage made = trace.has(Stage::scaled_scores) ? Stage::scaled_scores : Stage::scores;
    if (number(made, task.focus.key) != number(last, task.focus.key) || number(made, rival) != number(last, rival))
      lines.push_back({say("facet.rivals_then"), {{printed(a).text, look.ink}, {printed(b).text, look.ink}}});
    lines.push_back(
        {say("facet.rivals"),
         {first, second, {printed(a - b).text, look.ink}, {times_text(std::exp(a - b)), look.head_ink(view.head)}}});
    return lines;
  }

  /// Both sums as cards on one scale, with the sentences below.
  void put(Rect room) const {
    const float gap = Space::card * u;
    const auto lines = sentences();
    float below = gap;
    for (const auto& [pattern, values] : lines) below += height_of(pen, pattern, values, room, pen.type.story);
    float y = room.max.y - below + gap;
    for (const auto& [pattern, values] : lines)
      y += pen.sentence(TextRole::story, pattern, values, {{room.min.x, y}, room.max}, pen.type.story, look.ink);
    room.max.y -= below;
    const Task of_scores{pen, Stage::scores, task.focus, task.reveal, task.area};
    const Index terms = product_terms(trace, Stage::scores);
    const float width = (room.width() - gap) / 2;
    Cell cell = cell_of(trace, view, Stage::scores, task.focus);
    const auto sum_at = [&](Index key) {
      cell.col = key;
      return sum_of(of_scores, operands_of(trace, Stage::scores), cell, terms);
    };
    const Sum first = sum_at(task.focus.key), second = sum_at(rival);
    SumLayout left = lay_out_sum(of_scores, first, {room.min, {room.min.x + width, room.max.y}}, true),
              right = lay_out_sum(of_scores, second, {{room.max.x - width, room.min.y}, room.max}, true);
    left.low = right.low = std::min(left.low, right.low);
    left.high = right.high = std::max(left.high, right.high);
    put_sum(of_scores, first, left);
    put_sum(of_scores, second, right);
  }
};

void put_next(const Task& task, const std::vector<Guess>& next, Rect room) {
  Pen& pen = task.pen;
  const Look& look = pen.look();
  const Words& words = task.context().words;
  const float u = task.u(), pitch = pen.type.word * 1.9f;
  const std::vector<Named> names{{in_sentence(query_word(task.context(), task.focus.query)), look.ink}};
  const bool changed = std::ranges::any_of(next, [](const Guess& word) { return word.before >= 0; });
  float y = room.min.y + Space::gap * u +
            pen.sentence(TextRole::caption, words("sentence.next"), names, room, pen.type.caption, look.muted);
  if (changed)
    y += pen.sentence(TextRole::caption, words("facet.next_changed"), {}, {{room.min.x, y - Space::near * u}, room.max},
                      pen.type.caption, look.muted);
  for (const Guess& word : next) {
    if (y + pitch > room.max.y) break;
    const float middle = y + pitch / 2, number = pen.measure(Face::mono, pen.type.number, "0.00").x + Space::near * u,
                name = room.width() * 0.4f;
    pen.text(TextRole::word, Face::ui, pen.type.word, {room.min.x, middle}, Align::left, look.ink, word.word,
             name - Space::near * u);
    const Rect track{{room.min.x + name, middle - Space::near * u}, {room.max.x - number, middle + Space::near * u}};
    const auto fill = [&](double probability, float inset, ImU32 colour) {
      pen.meter({{track.min.x, track.min.y + inset}, {track.max.x, track.max.y - inset}},
                std::max(track.width() * static_cast<float>(probability), u), colour);
    };
    if (track.width() > least_bar * u) {
      pen.fill(track, look.field, Corner::cell * u);
      if (word.before >= 0) fill(word.before, 0, fade(look.after, 0.35f));
      fill(word.probability, word.before >= 0 ? Space::thin * u : 0, look.after);
    }
    pen.number(pen.type.number, {room.max.x, middle}, Align::right, look.ink,
               MatrixNumbers(2, true)(static_cast<float>(word.probability)));
    y += pitch;
  }
}

/// In points.
struct JourneySizes {
  static constexpr float two_words_from = 900;
  static constexpr RoomShare names_width{0.14f, 120, 210}, rival_width{0.46f, 480, 760};
  static constexpr RoomShare output_width{0.1f, 96, 340}, next_width{0.24f, 96, 340};  ///< the next words or none
  static constexpr float strip_wide = 26, mixed_wide = 44, between_strips = 34, before_arrow_tip = 9;
  static constexpr float output_from = 200, to_next_words = 56;
  static constexpr float slider_beside_from = 420;
};

/// The whole scene: the area shrinks as its parts are put.
struct Journey : ScenePart {
  const std::vector<Guess>& next;
  Rect area;
  const Index followed = focus_of(trace, view).key;  ///< the layout does not follow the pointer
  const Focus focus = pointed_focus(trace, view);
  const Reveal whole{};
  const Task task{pen, Stage::weights, focus, whole, area};
  const Band weights = band_of(task, Stage::weights);
  const Operands operands = operands_of(trace, Stage::scores);
  const Stage last = made_from(trace, Stage::weights);
  const bool has_values = trace.has(Stage::V_heads) && trace.has(Stage::head_outputs);
  std::optional<Index> rival{};  ///< the word that is compared with
  bool two = false;              ///< it differs from the followed key, and there is room
  Table table{};
  float names_above = 0, right = 0;  ///< room for the words over the columns, and at the right
  Rect keys{}, scores{}, part{}, values{}, slider{};

  void put_titles() {
    const float share = weights.values[static_cast<std::size_t>(focus.key)];
    const std::string random = random_words(trace.inputs, say);
    const std::vector<Named> names{
        {in_sentence(query_word(context, focus.query)), look.q, true, NamedLink{SceneAction::query_word, focus.query}},
        {in_sentence(key_word(context, focus.key)), look.k, true, NamedLink{SceneAction::key_word, focus.key}},
        {MatrixNumbers(2, true)(share), look.head_ink(view.head), true,
         NamedLink{SceneAction::look_at, 0, cell_of(trace, view, Stage::weights, focus)}},
        {random, look.warning, false}};
    put_title_and_story(pen, area, say("facet.journey_title"),
                        say("facet.journey_story") + std::string(random.empty() ? "" : " {3}"), names, Space::gap * u);
  }

  void lay_out() {
    if (view.levels.rival) rival = std::clamp<Index>(*view.levels.rival, 0, trace.dims().n_k - 1);
    two = rival && *rival != focus.key && !presenting && area.width() >= JourneySizes::two_words_from * u;
    const float foot = pen.type.caption * 2.6f + Space::card * u;
    slider = {{area.min.x, area.max.y - foot}, area.max};
    area.max.y -= foot + Space::near * u;
    table.names = JourneySizes::names_width.of(area.width(), u);
    right = two          ? JourneySizes::rival_width.of(area.width(), u)
            : has_values ? (next.empty() ? JourneySizes::output_width : JourneySizes::next_width).of(area.width(), u)
                         : 0;
    const float width = area.width() - table.names - right - (right > 0 ? Space::section * u : 0);
    table.keys =
        range_around(followed, trace.dims().n_k, width, pen.digit() * 4.2f + Space::near * u, MostCell::key * u);
    const float left = area.min.x + table.names;
    table.area = {{left, area.min.y}, {left + table.keys.extent(), area.max.y}};
    names_above = key_room(pen, table.keys) + Space::near * u;
    const float top = area.min.y + names_above, height = area.max.y - top;
    const auto slice = [&](float from, float to) {
      return Rect{{table.area.min.x, top + height * from}, {table.area.max.x, top + height * to}};
    };
    keys = slice(0, 0.25f);
    scores = slice(0.29f, has_values ? 0.5f : 0.62f);
    part = slice(has_values ? 0.53f : 0.66f, has_values ? 0.73f : 1.0f);
    values = slice(0.77f, 1);
  }

  /// The word's input row and its query.
  void put_query() const {
    name_keys(pen, table.keys, keys, true, names_above, focus.key, look.k);
    const float thin = std::min(JourneySizes::strip_wide * u, table.names * 0.16f), x = area.min.x + table.names;
    const Stage input = trace.has(Stage::query) ? Stage::query : operands.left;
    const Rect asks{{x - Space::wide * u - thin, keys.min.y}, {x - Space::wide * u, keys.max.y}};
    put_strip(task, operands.left, focus.query, asks, look.q);
    pen.caption({asks.centre().x, keys.min.y - names_above / 2}, Align::middle, say("facet.asks"),
                look.lane(operands.left));
    if (input == operands.left || !trace.has(Stage::Q)) return;
    const Rect is{{asks.min.x - JourneySizes::between_strips * u - thin, keys.min.y},
                  {asks.min.x - JourneySizes::between_strips * u, keys.max.y}};
    put_strip(task, input, focus.query, is, look.muted);
    pen.line({is.max.x + Space::near * u, keys.centre().y},
             {asks.min.x - JourneySizes::before_arrow_tip * u, keys.centre().y}, look.muted, Stroke::arrow(u), true);
    const std::string word = query_word(context, focus.query);
    if (is.min.x - area.min.x > pen.measure(Face::bold, pen.type.word, word).x + Space::gap * u)
      pen.label(TextRole::word, true, pen.type.word, {is.min.x - Space::pad * u, keys.centre().y}, Align::right, look.q,
                word);
  }

  void put_bands() const {
    put_key_strips(task, table, operands.right, weights, 0, keys);
    put_bars(task, table, band_of(task, last), scores);
    put_band_name(task, table, scores.centre().y, symbol_of(context, last), look.ink, say("level.band_score"));
    put_shares(task, table, weights, weights.values, 1, part);
    put_band_name(task, table, part.centre().y, symbol_of(context, Stage::weights), look.after,
                  say("level.band_share"));
    if (!has_values) return;
    const bool dropped = trace.has(Stage::dropped_weights);
    put_key_strips(task, table, Stage::V_heads, dropped ? band_of(task, Stage::dropped_weights) : weights, 1, values);
    put_band_name(task, table, values.centre().y, symbol_of(context, Stage::V_heads), look.v, say("facet.values"));
  }

  /// The weighted sum of the values, the output, and the next words.
  void put_mixture() const {
    const float from = table.area.max.x + JourneySizes::between_strips * u;
    const Rect mixed{{from, values.min.y}, {from + std::min(JourneySizes::mixed_wide * u, right * 0.4f), values.max.y}};
    pen.number(pen.type.story, {from - Space::part * u, values.centre().y}, Align::middle, look.muted, "=");
    put_strip(task, Stage::head_outputs, focus.query, mixed, look.after);
    pen.add_content(mixed);
    const auto name = [&](const char* key, float y, Stage stage) {
      const std::string text(say(key));
      if (pen.measure(Face::ui, pen.type.caption, text).x <= area.max.x - mixed.max.x - Space::pad * u)
        pen.caption({mixed.max.x + Space::pad * u, y}, Align::left, text, look.lane(stage));
    };
    name("facet.mixture", values.centre().y, Stage::head_outputs);
    if (right < JourneySizes::output_from * u) return;
    if (trace.has(Stage::output)) {
      put_strip(task, Stage::output, focus.query, {{from, scores.min.y}, {mixed.max.x, part.max.y}}, look.after);
      pen.line({mixed.centre().x, values.min.y - Space::close * u}, {mixed.centre().x, part.max.y + Space::pad * u},
               look.muted, Stroke::arrow(u), true);
      name(is_added_to_row(trace) ? "facet.output_added" : "facet.output", part.max.y - pen.type.caption,
           Stage::output);
    }
    if (!next.empty())
      put_next(task, next,
               {{from + JourneySizes::to_next_words * u, area.min.y + names_above},
                {area.max.x, part.max.y - 2.5f * pen.type.caption}});
  }

  /// The temperature, and a button that compares with another word.
  void put_foot() const {
    const std::string why = say(rival ? "facet.no_rival" : "facet.why_not");
    const float width = pen.button_width(why);
    Rect room = slider;
    if (!presenting && trace.dims().n_k > 1 && slider.width() > width + JourneySizes::slider_beside_from * u)
      room.max.x = pen.button({slider.max.x, slider.min.y}, why, SceneAction::rival).min.x - Space::section * u;
    put_temperature(task, room, entropy_text(task));
  }
};

}  // namespace

Scene make_journey(const SceneContext& context, const std::vector<Guess>& next, Rect place) {
  Scene scene;
  Pen pen(context, scene);
  Journey journey{pen, next, scene_area(context, place)};
  journey.put_titles();
  journey.lay_out();
  journey.put_query();
  journey.put_bands();
  if (journey.two)
    Rivals{journey.task, journey.last, *journey.rival}.put(
        {{journey.table.area.max.x + Space::section * context.u, journey.area.min.y}, journey.area.max});
  else if (journey.has_values) journey.put_mixture();
  journey.put_foot();
  return scene;
}

}  // namespace headlight
