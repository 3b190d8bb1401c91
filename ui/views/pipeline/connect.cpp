#include <algorithm>
#include <array>

#include "ui/base/look/measure.h"
#include "ui/views/pipeline/layout.h"

namespace headlight {
namespace {

// In points. Words stand half of an arrow's head left of its middle; arrows keep off the corners of cards.
constexpr float half_arrow_head = 3, beside_line = 7, corner_room = 8, entry_inset = 6;

/// Draws the arrows.
struct Connector {
  const Ruler& ruler;
  PipelineLayout& layout;
  const Trace& trace = ruler.trace;
  const float t = ruler.t;

  const Rect* at(Stage stage) const { return layout.place_of(stage); }
  /// The stage that is shown in the place that `stage` shares.
  Stage shown(Stage stage) const {
    for (const Slot& slot : layout.slots) {
      if (&slot.card == at(stage)) return slot.stage;
    }
    return stage;
  }
  /// The right end of the stage's card, with the cards of other heads behind it.
  float right_of(Stage stage) const { return at(stage)->max.x + ruler.stack(shown(stage)); }
  float top_of(Stage stage) const { return at(stage)->min.y - ruler.stack(shown(stage)); }

  ImVec2 extent(const std::string& markup) const { return {ruler.words(markup), words_points * 1.15f * t}; }
  void say(Arrow& arrow, const std::string& markup, ImVec2 min) {
    if (markup.empty()) return;
    const ImVec2 size = extent(markup);
    arrow.words.push_back({markup, {min, {min.x + size.x, min.y + size.y}}});
  }

  Arrow& straight(ImVec2 from, ImVec2 to, Stage colour_of) {
    const ImVec2 middle{(from.x + to.x) / 2, (from.y + to.y) / 2};
    return layout.arrows.emplace_back(Arrow{from, middle, middle, to, colour_of, {}, {}, true});
  }
  /// A curve with horizontal ends.
  Arrow& curve(ImVec2 from, ImVec2 to, Stage colour_of) {
    const float x = (from.x + to.x) / 2;
    return layout.arrows.emplace_back(Arrow{from, {x, from.y}, {x, to.y}, to, colour_of, {}, {}, true});
  }
  /// Text above and below a horizontal line.
  void on_line(Arrow& arrow, const std::string& above, const std::string& below = {}) {
    const float x = (arrow.from.x + arrow.to.x) / 2 - half_arrow_head * t, y = arrow.to.y;
    say(arrow, above, {x - extent(above).x / 2, y - extent(above).y - Space::thin * t});
    say(arrow, below, {x - extent(below).x / 2, y + Space::thin * t});
  }
  /// Text above two adjacent cards, with a line down to the arrow between them.
  void over_row(Arrow& arrow, Stage from, Stage to, const std::string& words) {
    if (words.empty()) return;
    const ImVec2 size = extent(words);
    const float x =
        std::min((arrow.from.x + arrow.to.x) / 2, layout.note.max.x > 0 ? layout.note.max.x - size.x / 2 : 1e9f);
    const float y = std::min(top_of(from), top_of(to)) - size.y - Space::fine * t;
    say(arrow, words, {x - size.x / 2, y});
    arrow.leader = ImVec2{(arrow.from.x + arrow.to.x) / 2, y + size.y};
  }
  /// Text left of a vertical line.
  void beside(Arrow& arrow, const std::string& words, float x) {
    const ImVec2 size = extent(words);
    say(arrow, words, {x - size.x - beside_line * t, (arrow.from.y + arrow.to.y) / 2 - size.y / 2});
  }

  /// An arrow between two neighbours in a row.
  void step(Stage from, Stage to) {
    if (!at(from) || !at(to) || at(from) == at(to)) return;
    const float y =
        std::clamp(at(to)->centre().y, at(from)->min.y + corner_room * t, at(from)->max.y - corner_room * t);
    Arrow& arrow = straight({right_of(from), y}, {at(to)->min.x, y}, to);
    std::string words = step_words(trace, to), bias = bias_words(trace, to);
    if (!bias.empty()) words += " " + bias;
    over_row(arrow, from, to, words);
  }

  /// From the inputs to the last card of each lane.
  void left_arrows() {
    for (std::size_t lane = 0; lane < 3; ++lane) {
      const std::vector<Stage> cards = cards_of(trace, lane);
      const Stage made = lane == 0 ? Stage::Q : lane == 1 ? Stage::K : Stage::V;
      Stage last = Stage::scores;  // none yet
      for (const Stage stage : cards) {
        const bool input = stage <= Stage::value;
        const Stage here = input && trace.inputs.self_attention() ? Stage::key : stage;
        const bool packed = is_parameter(stage) && !at(stage);  // then W_q's card represents all three
        const Stage holder = packed ? Stage::W_q : here;
        const Rect* to = at(holder);
        if (!to) continue;
        if (last != Stage::scores && at(last) != to) {
          const Rect* from = at(last);
          const bool from_input = last <= Stage::value, from_weights = is_parameter(last);
          const bool folded_weights = is_parameter(stage) && at(made) == to;  // the way in names the product
          const Stage named = folded_weights ? made : stage;
          const std::string above = step_words(trace, named), below = bias_words(trace, named);
          const bool tall = to->height() > 2 * from->height() || packed;
          const float y = is_parameter(stage) && (packed || tall) ? from->centre().y : to->centre().y;
          if (from_input) {
            const float start = right_of(last), width = std::max(extent(above).x, extent(below).x);
            const float turned = width > 0 ? to->min.x - width - Space::apart * t : to->min.x;
            curve({start, from->centre().y}, {turned, y}, made).has_head = width <= 0;
            if (width > 0) on_line(straight({turned, y}, {to->min.x, y}, made), above, below);
          } else {
            const float level = from_weights && from->height() > 2 * to->height() ? to->centre().y : y;
            on_line(straight({right_of(last), level}, {to->min.x, level}, made), above, below);
          }
        }
        last = holder;
      }
    }
  }

  /// From the scores to the output.
  void right_arrows() {
    const Rect& scores = *at(Stage::scores);
    const Rect& weights = *at(Stage::weights);
    const Rect& masked = *at(Stage::masked_scores);
    const std::array lanes{cards_of(trace, 0).back(), cards_of(trace, 1).back()};

    const float entry = scores.height() * 0.2f;
    const Rect& q = *at(lanes[0]);
    straight({right_of(lanes[0]),
              std::clamp(scores.centre().y - entry, q.min.y + entry_inset * t, q.max.y - entry_inset * t)},
             {scores.min.x, scores.centre().y - entry}, Stage::Q);
    Arrow& meets =
        curve({right_of(lanes[1]), at(lanes[1])->centre().y}, {scores.min.x, scores.centre().y + entry}, Stage::K);
    // Between the lanes, where there is free space.
    const ImVec2 size = extent("· K^T");
    const float between = (at(lanes[0])->max.y + top_of(lanes[1])) / 2;
    say(meets, "· K^T", {(meets.from.x + meets.to.x) / 2 - size.x - beside_line * t, between - size.y / 2});

    Stage last = Stage::scores;
    for (const Stage next : score_stages) {
      if (next == Stage::scores || !at(next)) continue;
      step(last, next);
      last = next;
    }

    const float down =
        std::clamp(masked.centre().x, weights.min.x + Space::section * t, weights.max.x - Space::section * t);
    const ImVec2 foot{std::clamp(down, masked.min.x + corner_room * t, masked.max.x - corner_room * t), masked.max.y};
    Arrow& softmax = straight(foot, {foot.x, weights.min.y}, Stage::weights);
    beside(softmax, step_words(trace, Stage::weights), foot.x);

    Stage mixed = Stage::weights;
    if (at(Stage::dropped_weights) && at(Stage::dropped_weights) != &weights) {
      mixed = Stage::dropped_weights;
      const Rect& dropped = *at(mixed);
      const float y = std::clamp(dropped.centre().y, weights.min.y + corner_room * t, weights.max.y - corner_room * t);
      on_line(straight({weights.min.x, y}, {dropped.max.x, y}, Stage::weights), "drop");
    }
    if (!at(Stage::head_outputs)) return;  // heads without values
    const Rect& outputs = *at(Stage::head_outputs);
    const Stage value = cards_of(trace, 2).back();
    const Rect& source = *at(mixed);
    const float leave =
        std::clamp(outputs.centre().x, source.min.x + Space::apart * t, source.max.x - Space::apart * t);
    straight({leave, source.max.y}, {leave, top_of(Stage::head_outputs)}, Stage::weights);
    Arrow& values = straight({right_of(value), outputs.centre().y}, {outputs.min.x, outputs.centre().y}, Stage::V);
    on_line(values, step_words(trace, Stage::head_outputs));

    last = Stage::head_outputs;
    for (const Stage next : {Stage::concat, Stage::W_o, Stage::output}) {
      if (!at(next)) continue;
      step(last, next);
      last = next;
    }
  }
};

}  // namespace

void connect_cards(const Trace& trace, PipelineLayout& layout, const LayoutWish& wish) {
  const Ruler ruler{trace, wish, wish.u * layout.type};
  Connector connector{ruler, layout};
  connector.left_arrows();
  if (layout.place_of(Stage::scores)) connector.right_arrows();  // given weights have no arrows
}

}  // namespace headlight
