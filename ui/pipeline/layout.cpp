#include "ui/pipeline/layout.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>

namespace headlight {
namespace {

// Points at type 1.
constexpr float margin = 12;
constexpr float inside = 16;        // what a card has beside its title
constexpr float least_card = 64;    // of a plain card's width
constexpr float least_input = 54;
constexpr float least_weights = 150;
constexpr float arrow_room = 22;    // of a gap without words
constexpr float row_words = 20;     // above the first and the last row, for what its arrows do
constexpr float row_gap = 32;       // between the rows of the right block

constexpr std::array left_lanes{Lane::query, Lane::key, Lane::value};
constexpr std::array score_stages{Stage::scores, Stage::scaled_scores, Stage::capped_scores, Stage::biased_scores, Stage::mask, Stage::masked_scores};
constexpr std::array weight_stages{Stage::weights, Stage::dropped_weights}, dropped_first{Stage::dropped_weights, Stage::weights};
constexpr std::array output_stages{Stage::head_outputs, Stage::concat, Stage::W_o, Stage::output};

/// The cards of a lane from left to right: its stages, each behind the weights that it is made with.
std::vector<Stage> cards_of(const Trace& trace, std::size_t lane) {
  std::vector<Stage> cards;
  for (const Stage stage : all_stages()) {
    if (info(stage).lane != left_lanes[lane] || !trace.has(stage)) continue;
    for (const auto& source : info(stage).sources) {
      if (is_parameter(source.stage) && !is_bias(source.stage) && trace.has(source.stage)) cards.push_back(source.stage);
    }
    cards.push_back(stage);
  }
  return cards;
}

bool is_change_of_heads(Stage stage) { return has_head_axis(stage) && !is_rearrangement(stage); }

/// How much is folded, from nothing to all that can be: as much as it takes until every title is whole.
struct Folding {
  bool turned = false;    // what is made of split heads, with them
  bool middle = false;    // what happens to the scores before the mask
  bool outputs = false;   // the way from concat to output
  bool weights = false;   // projection matrices, with what they make
  bool scores = false;    // all score stages, and dropout with its weights
  bool heads = false;     // the split with what is split
};
constexpr Folding foldings[] = {
    {},
    {.turned = true},
    {.turned = true, .middle = true},
    {.turned = true, .middle = true, .outputs = true},
    {.turned = true, .middle = true, .outputs = true, .weights = true},
    {.turned = true, .middle = true, .outputs = true, .weights = true, .scores = true},
    {.turned = true, .middle = true, .outputs = true, .weights = true, .scores = true, .heads = true},
};

using Group = std::vector<Stage>;  // stages that share a place

std::string number(const char* format, double value) {
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// What happens on the way to a stage, as its arrow says it.
std::string step_words(const Trace& trace, Stage stage) {
  const auto product = [&](Stage weight, const char* letter) { return trace.has(weight) ? std::string("· W_{") + letter + "}^T" : std::string("="); };
  switch (stage) {
    case Stage::Q: return product(Stage::W_q, "q");
    case Stage::K: return product(Stage::W_k, "k");
    case Stage::V: return product(Stage::W_v, "v");
    case Stage::Q_heads: case Stage::K_heads: case Stage::V_heads: return "split";
    case Stage::Q_normed: case Stage::K_normed: return "norm";
    case Stage::Q_rotated: case Stage::K_rotated: return "RoPE";
    case Stage::scaled_scores:
      return trace.scenario.scale ? number("× %.4g", static_cast<double>(trace.scale)) : "× 1/\\sqrt{" + std::to_string(trace.dims().d_head) + "}";
    case Stage::capped_scores: return "soft-cap " + number("%.3g", static_cast<double>(trace.scenario.softcap.value_or(0)));
    case Stage::biased_scores: return "+ bias";
    case Stage::mask: return "mask";
    case Stage::weights: return "softmax";
    case Stage::dropped_weights: return "drop";
    case Stage::head_outputs: return "· V";
    case Stage::concat: return "concat";
    case Stage::output: return product(Stage::W_o, "o");
    default: return {};
  }
}

/// "+ b_{q}" of a projection that adds one.
std::string bias_words(const Trace& trace, Stage stage) {
  const auto words = [&](Stage bias, const char* letter) { return trace.has(bias) ? std::string("+ b_{") + letter + "}" : std::string(); };
  switch (stage) {
    case Stage::Q: return words(Stage::b_q, "q");
    case Stage::K: return words(Stage::b_k, "k");
    case Stage::V: return words(Stage::b_v, "v");
    case Stage::output: return words(Stage::b_o, "o");
    default: return {};
  }
}

/// Measures in pixels.
struct Ruler {
  const Trace& trace;
  const LayoutWish& wish;
  float t;  // pixels per point of type

  float title(Stage stage) const { return wish.title_width ? wish.title_width(name(stage), title_points * t) : 0; }
  float words(std::string_view markup) const { return markup.empty() ? 0 : wish.words_width ? wish.words_width(markup, words_points * t) : 0; }
  float stack(Stage stage) const { return static_cast<float>(cards_behind(trace, stage)) * stack_step * t; }
  float stack(const Group& group) const {
    float widest = 0;
    for (const Stage stage : group) widest = std::max(widest, stack(stage));
    return widest;
  }
  /// The least width of the card that these stages share.
  float least(const Group& group) const {
    float width = least_card * t;
    if (std::ranges::all_of(group, [](Stage stage) { return stage <= Stage::value; })) width = least_input * t;
    for (const Stage stage : group) {
      const bool is_x = stage <= Stage::value && trace.inputs.self_attention();  // its title is one letter
      if (!is_x) width = std::max(width, title(stage) + inside * t);
    }
    return width;
  }
  /// What is said on the way into a group.
  float way_in(const Group& group) const {
    if (group.empty()) return 0;
    return std::max(words(step_words(trace, group.front())), words(bias_words(trace, group.front())));
  }
};

/// One column of the three lanes on the left.
struct Column {
  std::array<Group, 3> lanes;
  float least = 0, share = 0, gap = 0;  // gap: behind it
};

/// A row of the right block.
struct Row {
  std::vector<Group> groups;
  std::vector<float> least;
  float gap = 0;    // between two
  float extra = 0;  // more behind the first, where heads stand behind it
  float width() const {
    float sum = extra + gap * static_cast<float>(std::max<std::size_t>(groups.size(), 1) - 1);
    for (const float each : least) sum += each;
    return sum;
  }
};

std::vector<Column> columns_of(const Ruler& ruler, const Folding& folding) {
  std::vector<Column> columns;
  const auto column_of = [&](Stage stage) -> std::size_t {
    if (stage <= Stage::value) return 0;
    if (is_parameter(stage)) return 1;
    if (!has_head_axis(stage)) return folding.weights ? 1 : 2;
    const std::size_t heads = folding.heads ? 1 : folding.weights ? 2 : 3;
    if (!is_change_of_heads(stage) || folding.turned) return heads;
    return heads + 1;
  };
  for (std::size_t lane = 0; lane < 3; ++lane) {
    std::size_t changes = 0;
    for (const Stage stage : cards_of(ruler.trace, lane)) {
      std::size_t at = column_of(stage);
      if (is_change_of_heads(stage) && !folding.turned) at += changes++;
      columns.resize(std::max(columns.size(), at + 1));
      columns[at].lanes[lane].push_back(stage);
    }
  }
  std::erase_if(columns, [](const Column& column) { return column.lanes[0].empty() && column.lanes[1].empty() && column.lanes[2].empty(); });
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Column& column = columns[i];
    float said = 0, stack = 0;
    for (std::size_t lane = 0; lane < 3; ++lane) {
      const Group& group = column.lanes[lane];
      if (group.empty()) continue;
      column.least = std::max(column.least, ruler.least(group));
      stack = std::max(stack, ruler.stack(group));
      const bool input = group.front() <= Stage::value, plain = is_parameter(group.back());
      column.share = std::max(column.share, input ? 0.8f : plain ? 0.5f : 0.95f);
      if (i + 1 < columns.size()) {
        const Group& next = columns[i + 1].lanes[lane];
        const bool weights = !next.empty() && is_parameter(next.front());  // what is said of them stands behind them
        const Stage made = weights && next.size() > 1 ? next[1] : next.empty() ? Stage::scores : next.front();
        if (!weights || next.size() > 1) said = std::max({said, ruler.words(step_words(ruler.trace, made)), ruler.words(bias_words(ruler.trace, made))});
        if (input) said += weights && next.size() > 1 ? 26 * ruler.t : 0;  // room to turn in
      } else {
        said = ruler.words("· K^T");
      }
    }
    column.gap = stack + std::max(said + 16 * ruler.t, (i == 0 ? 30 : arrow_room) * ruler.t);
  }
  return columns;
}

/// Stages that the trace has, each in a group of its own but for those that fold.
template <typename Folds>
std::vector<Group> groups_of(const Trace& trace, std::span<const Stage> stages, Folds folds) {
  std::vector<Group> groups;
  bool open = false;
  for (const Stage stage : stages) {
    if (!trace.has(stage)) continue;
    const bool together = folds(stage);
    if (together && open) {
      groups.back().push_back(stage);
    } else {
      groups.push_back({stage});
    }
    open = together;
  }
  return groups;
}

Row row_of(const Ruler& ruler, std::vector<Group> groups) {
  Row row;
  row.groups = std::move(groups);
  row.gap = 26 * ruler.t;
  for (const Group& group : row.groups) row.least.push_back(ruler.least(group));
  return row;
}

std::array<Row, 3> rows_of(const Ruler& ruler, const Folding& folding) {
  const Trace& trace = ruler.trace;
  const auto in_middle = [&](Stage stage) { return folding.scores || (folding.middle && stage != Stage::scores && stage < Stage::mask); };
  std::array<Row, 3> rows{
      row_of(ruler, groups_of(trace, score_stages, in_middle)),
      // Dropped weights stand before the weights: on the way down to what they mix.
      row_of(ruler, folding.scores ? groups_of(trace, weight_stages, [](Stage) { return true; }) : groups_of(trace, dropped_first, [](Stage) { return false; })),
      row_of(ruler, groups_of(trace, output_stages, [&](Stage stage) { return folding.outputs && stage != Stage::head_outputs; })),
  };
  rows[1].least.back() = std::max(rows[1].least.back(), least_weights * ruler.t);
  rows[1].gap = 46 * ruler.t;
  rows[2].extra = ruler.stack(Stage::head_outputs);
  return rows;
}

float left_width(const std::vector<Column>& columns) {
  float sum = 0;
  for (const Column& column : columns) sum += column.least + column.gap;
  return sum;
}

float right_width(const std::array<Row, 3>& rows) { return std::max({rows[0].width(), rows[1].width(), rows[2].width()}); }

struct Placer {
  const Trace& trace;
  const LayoutWish& wish;
  PipelineLayout& layout;

  void place(const Group& group, Rect rect) {
    if (group.empty()) return;
    const bool alone = group.size() == 1;
    const Stage shown = alone ? group.front() : wish.in_front ? wish.in_front(group) : group.back();
    layout.slots.push_back({shown, rect, alone ? Group() : group});
  }

  /// Cards side by side over the whole width; those in `wide` take more of what is left.
  void row(const Row& row, Rect area) {
    const auto share = [](const Group& group) { return is_parameter(group.front()) ? 0.5f : group.front() == Stage::weights ? 3.0f : 1.0f; };
    float shares = 0;
    for (const Group& group : row.groups) shares += share(group);
    const float free = std::max(area.width() - row.width(), 0.0f);
    float x = area.min.x;
    for (std::size_t i = 0; i < row.groups.size(); ++i) {
      float width = row.least[i] + free * share(row.groups[i]) / shares;
      if (i + 1 == row.groups.size()) width = area.max.x - x;
      place(row.groups[i], {{x, area.min.y}, {x + width, area.max.y}});
      x += width + row.gap + (i == 0 ? row.extra : 0);
    }
  }
};

}  // namespace

int cards_behind(const Trace& trace, Stage stage) {
  if (!has_head_axis(stage) || trace.dims().heads < 2) return 0;
  if (info(stage).rows == Axis::query && info(stage).cols == Axis::key) return 0;
  return static_cast<int>(std::min<Index>(is_per_kv_head(stage) ? trace.dims().kv_heads : trace.dims().heads, 4)) - 1;
}

const Rect* PipelineLayout::find(Stage stage) const {
  for (const Slot& slot : slots) {
    if (slot.stage == stage) return &slot.card;
  }
  return nullptr;
}

const Rect* PipelineLayout::place_of(Stage stage) const {
  for (const Slot& slot : slots) {
    if (slot.stage == stage || std::ranges::find(slot.folded, stage) != slot.folded.end()) return &slot.card;
  }
  return nullptr;
}

float canvas_type(const LayoutWish& wish) {
  return std::clamp(std::min(wish.size.x / (1080 * wish.u), wish.size.y / (780 * wish.u)), 1.0f, 2.2f);
}

PipelineLayout lay_out_pipeline(const Trace& trace, const LayoutWish& wish) {
  PipelineLayout layout;
  const ImVec2 size = wish.size;
  layout.type = canvas_type(wish);
  const float t = wish.u * layout.type, edge = margin * t;
  const Ruler ruler{trace, wish, t};
  if (wish.foot > 0) layout.foot = {{edge, size.y - edge - wish.foot}, {size.x - edge, size.y - edge}};
  if (wish.note > 0) layout.note = {{edge, edge}, {size.x - edge, edge + wish.note}};

  std::vector<Column> columns;
  std::array<Row, 3> rows;
  const float room = size.x - 2 * edge;
  for (const Folding& folding : foldings) {
    columns = columns_of(ruler, folding);
    rows = rows_of(ruler, folding);
    if (left_width(columns) + right_width(rows) <= room) break;
  }
  const float top = edge + wish.note + row_words * t;
  const float bottom = size.y - edge - (wish.foot > 0 ? wish.foot + edge : 0);
  const float lane = (bottom - top) * 0.258f;
  const float between = ((bottom - top) - 3 * lane) / 2;
  std::array<Rect, 3> lanes;
  for (std::size_t i = 0; i < 3; ++i) {
    const float y = top + static_cast<float>(i) * (lane + between);
    lanes[i] = {{0, y}, {size.x, y + lane}};
  }

  // What is left over goes to all, most of it to the scores.
  const float free = std::max(room - left_width(columns) - right_width(rows), 0.0f);
  float left_shares = 0;
  for (const Column& column : columns) left_shares += column.share;
  const float right_share = 1.25f * static_cast<float>(std::max(rows[0].groups.size(), std::size_t{3}));
  const float unit = free / (left_shares + right_share);
  Placer placer{trace, wish, layout};
  float x = edge;
  for (const Column& column : columns) {
    const float width = column.least + column.share * unit;
    for (std::size_t i = 0; i < 3; ++i) {
      const Group& group = column.lanes[i];
      if (group.empty()) continue;
      const bool elsewhere = group.front() <= Stage::value && trace.inputs.self_attention() && i != 1;  // one card, in the middle lane, feeds all three
      const bool packed = wish.packed && is_parameter(group.front()) && group.size() == 1;
      if (elsewhere || (packed && i != 0)) continue;
      placer.place(group, {{x, lanes[i].min.y}, {x + width, packed ? lanes[2].max.y : lanes[i].max.y}});
    }
    x += width + column.gap;
  }
  const float right = size.x - edge, words = row_words * t;
  if (!trace.has(Stage::scores)) {
    placer.place({Stage::weights}, {{x, top}, {right, bottom}});
    return layout;
  }
  placer.row(rows[0], {{x, lanes[0].min.y}, {right, lanes[0].max.y}});
  // The middle takes what the outer lanes leave, less room for the arrows and for what is said above the last row.
  placer.row(rows[1], {{x, lanes[0].max.y + row_gap * t}, {right, lanes[2].min.y - row_gap * t - words * 0.5f}});
  placer.row(rows[2], {{x, lanes[2].min.y + words * 0.5f}, {right, lanes[2].max.y}});
  return layout;
}

namespace {

/// Draws the arrows.
struct Connector {
  const Ruler& ruler;
  PipelineLayout& layout;
  float t;

  const Rect* at(Stage stage) const { return layout.place_of(stage); }
  /// The stage that is seen in the place that `stage` has a part in.
  Stage shown(Stage stage) const {
    for (const Slot& slot : layout.slots) {
      if (&slot.card == at(stage)) return slot.stage;
    }
    return stage;
  }
  /// Where what stands there ends, with the heads behind it.
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
  /// Leaves and arrives level, like a railway switch.
  Arrow& curve(ImVec2 from, ImVec2 to, Stage colour_of) {
    const float x = (from.x + to.x) / 2;
    return layout.arrows.emplace_back(Arrow{from, {x, from.y}, {x, to.y}, to, colour_of, {}, {}, true});
  }
  /// Over and under a level line.
  void on_line(Arrow& arrow, const std::string& above, const std::string& below = {}) {
    const float x = (arrow.from.x + arrow.to.x) / 2 - 3 * t, y = arrow.to.y;
    say(arrow, above, {x - extent(above).x / 2, y - extent(above).y - 3 * t});
    say(arrow, below, {x - extent(below).x / 2, y + 3 * t});
  }
  /// Above two cards that stand side by side, with a line down to the arrow between them.
  void over_row(Arrow& arrow, Stage from, Stage to, const std::string& words) {
    if (words.empty()) return;
    const ImVec2 size = extent(words);
    const float x = std::min((arrow.from.x + arrow.to.x) / 2, layout.note.max.x > 0 ? layout.note.max.x - size.x / 2 : 1e9f);
    const float y = std::min(top_of(from), top_of(to)) - size.y - 2 * t;
    say(arrow, words, {x - size.x / 2, y});
    arrow.leader = ImVec2{(arrow.from.x + arrow.to.x) / 2, y + size.y};
  }
  /// Left of an upright line.
  void beside(Arrow& arrow, const std::string& words, float x) {
    const ImVec2 size = extent(words);
    say(arrow, words, {x - size.x - 7 * t, (arrow.from.y + arrow.to.y) / 2 - size.y / 2});
  }

  /// Between two neighbours of a row.
  void step(Stage from, Stage to) {
    if (!at(from) || !at(to) || at(from) == at(to)) return;
    const float y = std::clamp(at(to)->centre().y, at(from)->min.y + 8 * t, at(from)->max.y - 8 * t);
    Arrow& arrow = straight({right_of(from), y}, {at(to)->min.x, y}, to);
    std::string words = step_words(ruler.trace, to), bias = bias_words(ruler.trace, to);
    if (!bias.empty()) words += " " + bias;
    over_row(arrow, from, to, words);
  }
};

void left_arrows(Connector& draw) {
  const Trace& trace = draw.ruler.trace;
  const float t = draw.t;
  for (std::size_t lane = 0; lane < 3; ++lane) {
    const std::vector<Stage> cards = cards_of(trace, lane);
    const Stage made = lane == 0 ? Stage::Q : lane == 1 ? Stage::K : Stage::V;
    Stage last = Stage::scores;  // none yet
    for (const Stage stage : cards) {
      const bool input = stage <= Stage::value;
      const Stage here = input && trace.inputs.self_attention() ? Stage::key : stage;
      const bool packed = is_parameter(stage) && !draw.at(stage);  // then W_q's card stands for it
      const Stage holder = packed ? Stage::W_q : here;
      const Rect* to = draw.at(holder);
      if (!to) continue;
      if (last != Stage::scores && draw.at(last) != to) {
        const Rect* from = draw.at(last);
        const bool from_input = last <= Stage::value, from_weights = is_parameter(last);
        const bool folded_weights = is_parameter(stage) && draw.at(made) == to;  // their product is said on the way in
        const std::string above = folded_weights ? step_words(trace, made) : is_parameter(stage) ? std::string() : step_words(trace, stage);
        const std::string below = folded_weights ? bias_words(trace, made) : is_parameter(stage) ? std::string() : bias_words(trace, stage);
        const bool tall = to->height() > 2 * from->height() || packed;
        const float y = is_parameter(stage) && (packed || tall) ? from->centre().y : to->centre().y;
        if (from_input) {
          const float start = draw.right_of(last), said = std::max(draw.extent(above).x, draw.extent(below).x);
          const float turned = said > 0 ? to->min.x - said - 12 * t : to->min.x;
          draw.curve({start, from->centre().y}, {turned, y}, made).has_head = said <= 0;
          if (said > 0) draw.on_line(draw.straight({turned, y}, {to->min.x, y}, made), above, below);
        } else {
          const float level = from_weights && from->height() > 2 * to->height() ? to->centre().y : y;
          draw.on_line(draw.straight({draw.right_of(last), level}, {to->min.x, level}, made), above, below);
        }
      }
      last = holder;
    }
  }
}

void right_arrows(Connector& draw) {
  const Trace& trace = draw.ruler.trace;
  const float t = draw.t;
  const Rect& scores = *draw.at(Stage::scores);
  const Rect& weights = *draw.at(Stage::weights);
  const Rect& masked = *draw.at(Stage::masked_scores);
  const std::array lanes{cards_of(trace, 0).back(), cards_of(trace, 1).back()};

  const float entry = scores.height() * 0.2f;
  const Rect& q = *draw.at(lanes[0]);
  draw.straight({draw.right_of(lanes[0]), std::clamp(scores.centre().y - entry, q.min.y + 6 * t, q.max.y - 6 * t)}, {scores.min.x, scores.centre().y - entry}, Stage::Q);
  Arrow& meets = draw.curve({draw.right_of(lanes[1]), draw.at(lanes[1])->centre().y}, {scores.min.x, scores.centre().y + entry}, Stage::K);
  // Between the lanes, where nothing stands.
  const ImVec2 size = draw.extent("· K^T");
  const float between = (draw.at(lanes[0])->max.y + draw.top_of(lanes[1])) / 2;
  draw.say(meets, "· K^T", {(meets.from.x + meets.to.x) / 2 - size.x - 7 * t, between - size.y / 2});

  Stage last = Stage::scores;
  for (const Stage next : score_stages) {
    if (next == Stage::scores || !draw.at(next)) continue;
    draw.step(last, next);
    last = next;
  }

  const float down = std::clamp(masked.centre().x, weights.min.x + 24 * t, weights.max.x - 24 * t);
  const ImVec2 foot{std::clamp(down, masked.min.x + 8 * t, masked.max.x - 8 * t), masked.max.y};
  Arrow& softmax = draw.straight(foot, {foot.x, weights.min.y}, Stage::weights);
  draw.beside(softmax, step_words(trace, Stage::weights), foot.x);

  Stage mixed = Stage::weights;
  if (draw.at(Stage::dropped_weights) && draw.at(Stage::dropped_weights) != &weights) {
    mixed = Stage::dropped_weights;
    const Rect& dropped = *draw.at(mixed);
    const float y = std::clamp(dropped.centre().y, weights.min.y + 8 * t, weights.max.y - 8 * t);
    draw.on_line(draw.straight({weights.min.x, y}, {dropped.max.x, y}, Stage::weights), "drop");
  }
  if (!draw.at(Stage::head_outputs)) return;  // heads without values
  const Rect& outputs = *draw.at(Stage::head_outputs);
  const Stage value = cards_of(trace, 2).back();
  const Rect& source = *draw.at(mixed);
  const float leave = std::clamp(outputs.centre().x, source.min.x + 12 * t, source.max.x - 12 * t);
  draw.straight({leave, source.max.y}, {leave, draw.top_of(Stage::head_outputs)}, Stage::weights);
  Arrow& values = draw.straight({draw.right_of(value), outputs.centre().y}, {outputs.min.x, outputs.centre().y}, Stage::V);
  draw.on_line(values, step_words(trace, Stage::head_outputs));

  last = Stage::head_outputs;
  for (const Stage next : {Stage::concat, Stage::W_o, Stage::output}) {
    if (!draw.at(next)) continue;
    draw.step(last, next);
    last = next;
  }
}

}  // namespace

void connect_cards(const Trace& trace, PipelineLayout& layout, const LayoutWish& wish) {
  const float t = wish.u * layout.type;
  const Ruler ruler{trace, wish, t};
  Connector draw{ruler, layout, t};
  layout.arrows.clear();
  left_arrows(draw);
  if (layout.place_of(Stage::scores)) right_arrows(draw);  // weights that were given stand alone
}

}  // namespace headlight
