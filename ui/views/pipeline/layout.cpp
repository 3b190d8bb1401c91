#include "ui/views/pipeline/layout.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>

#include "core/base/text/number_text.h"

namespace headlight {
namespace {

// Points at type 1.
constexpr float least_weights = 150;
constexpr float arrow_room = 22;  // a gap without text

constexpr std::array weight_stages{Stage::weights, Stage::dropped_weights},
    dropped_first{Stage::dropped_weights, Stage::weights};
constexpr std::array output_stages{Stage::head_outputs, Stage::concat, Stage::W_o, Stage::output};

bool is_change_of_heads(Stage stage) { return has_head_axis(stage) && !is_rearrangement(stage); }

/// How much is folded: as little as possible, but enough to show every title in full. Each step includes those before.
enum class Folding : std::uint8_t {
  none,
  turned,   ///< what is computed from the split heads, together with them
  middle,   ///< the steps from the scores to the mask
  outputs,  ///< the steps from concat to output
  weights,  ///< projection matrices, with their results
  scores,   ///< all score stages, and dropout with its weights
  heads,    ///< the split into heads, with its input
};

/// A column of the three lanes on the left.
struct Column {
  std::array<Group, 3> lanes;
  float least = 0;  ///< its minimum width
  float share = 0;  ///< of the remaining width
  float gap = 0;    ///< space after it
};

/// A row of the block on the right.
struct Row {
  std::vector<Group> groups;
  std::vector<float> least;
  float gap = 0;    // space between groups
  float extra = 0;  // extra space after the first group, for the stack of heads
  float width() const {
    const float gaps = extra + gap * static_cast<float>(std::max<std::size_t>(groups.size(), 1) - 1);
    return std::accumulate(least.begin(), least.end(), gaps);
  }
};

/// Columns of the left side and rows of the right side.
struct FoldedPipeline {
  std::vector<Column> columns;
  std::array<Row, 3> rows;

  float left_width() const {
    float sum = 0;
    for (const Column& column : columns) sum += column.least + column.gap;
    return sum;
  }
  float right_width() const { return std::max({rows[0].width(), rows[1].width(), rows[2].width()}); }
};

std::vector<Column> columns_of(const Ruler& ruler, Folding folding) {
  std::vector<Column> columns;
  const auto column_of = [&](Stage stage) -> std::size_t {
    if (stage <= Stage::value) return 0;
    if (is_parameter(stage)) return 1;
    if (!has_head_axis(stage)) return folding >= Folding::weights ? 1 : 2;
    const std::size_t heads = folding >= Folding::heads ? 1 : folding >= Folding::weights ? 2 : 3;
    if (!is_change_of_heads(stage) || folding >= Folding::turned) return heads;
    return heads + 1;
  };
  for (std::size_t lane = 0; lane < 3; ++lane) {
    std::size_t changes = 0;
    for (const Stage stage : cards_of(ruler.trace, lane)) {
      std::size_t at = column_of(stage);
      if (is_change_of_heads(stage) && folding < Folding::turned) at += changes++;
      columns.resize(std::max(columns.size(), at + 1));
      columns[at].lanes[lane].push_back(stage);
    }
  }
  std::erase_if(columns, [](const Column& column) {
    return column.lanes[0].empty() && column.lanes[1].empty() && column.lanes[2].empty();
  });
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Column& column = columns[i];
    float words = 0, stack = 0, bend = 0;  // the bend of the arrow from an input, before its words
    for (std::size_t lane = 0; lane < 3; ++lane) {
      const Group& group = column.lanes[lane];
      if (group.empty()) continue;
      column.least = std::max(column.least, ruler.least(group));
      stack = std::max(stack, ruler.stack(group));
      const bool input = group.front() <= Stage::value, plain = is_parameter(group.back());
      column.share = std::max(column.share, input ? 0.8f : plain ? 0.5f : 0.95f);
      if (i + 1 < columns.size()) {
        const Group& next = columns[i + 1].lanes[lane];
        const bool weights = !next.empty() && is_parameter(next.front());  // their text is behind them
        const Stage made = weights && next.size() > 1 ? next[1] : next.empty() ? Stage::scores : next.front();
        if (!weights || next.size() > 1)
          words =
              std::max({words, ruler.words(step_words(ruler.trace, made)), ruler.words(bias_words(ruler.trace, made))});
        if (input && weights && next.size() > 1) bend = 26 * ruler.t;
      } else {
        words = ruler.words("· K^T");
      }
    }
    column.gap = stack + std::max(words + bend + 16 * ruler.t, (i == 0 ? 30 : arrow_room) * ruler.t);
  }
  return columns;
}

/// The stages of the trace, each in its own group unless `folds` is true for it.
template <typename Folds>
std::vector<Group> groups_of(const Trace& trace, std::span<const Stage> stages, Folds folds) {
  std::vector<Group> groups;
  bool open = false;
  for (const Stage stage : stages) {
    if (!trace.has(stage)) continue;
    const bool together = folds(stage);
    if (!together || !open) groups.emplace_back();
    groups.back().push_back(stage);
    open = together;
  }
  return groups;
}

Row row_of(const Ruler& ruler, std::vector<Group> groups) {
  Row row{std::move(groups), {}, 26 * ruler.t};
  for (const Group& group : row.groups) row.least.push_back(ruler.least(group));
  return row;
}

std::array<Row, 3> rows_of(const Ruler& ruler, Folding folding) {
  const Trace& trace = ruler.trace;
  const auto in_middle = [&](Stage stage) {
    return folding >= Folding::scores || (folding >= Folding::middle && stage != Stage::scores && stage < Stage::mask);
  };
  std::array<Row, 3> rows{
      row_of(ruler, groups_of(trace, score_stages, in_middle)),
      // Dropped weights come before the weights: they are on the way to the values.
      row_of(ruler, folding >= Folding::scores ? groups_of(trace, weight_stages, [](Stage) { return true; })
                                               : groups_of(trace, dropped_first, [](Stage) { return false; })),
      row_of(ruler,
             groups_of(trace, output_stages,
                       [&](Stage stage) { return folding >= Folding::outputs && stage != Stage::head_outputs; })),
  };
  rows[1].least.back() = std::max(rows[1].least.back(), least_weights * ruler.t);
  rows[1].gap = 46 * ruler.t;
  rows[2].extra = ruler.stack(Stage::head_outputs);
  return rows;
}

/// The least folded layout that fits this width, otherwise the most folded one.
FoldedPipeline fold_to_width(const Ruler& ruler, float width) {
  for (auto folding = Folding::none;; folding = static_cast<Folding>(static_cast<int>(folding) + 1)) {
    FoldedPipeline folded{columns_of(ruler, folding), rows_of(ruler, folding)};
    if (folding == Folding::heads || folded.left_width() + folded.right_width() <= width) return folded;
  }
}

// Points at type 1.
constexpr float margin = 12, low_canvas = 720;
constexpr float row_words = 20;    // text above the first and last row
constexpr float row_gap = 32;      // between the rows of the right block
constexpr float name_pitch = 14;   // height of a labelled row
constexpr float around_rows = 76;  // height of a card above and below its rows

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

  /// One column: a card in each lane. In self-attention a single card, X, in the middle lane feeds all three; its
  /// column has only this card, as high as its text needs.
  void column(const Column& column, const std::array<Rect, 3>& lanes, float x, float width, float t) {
    for (std::size_t i = 0; i < 3; ++i) {
      const Group& group = column.lanes[i];
      if (group.empty()) continue;
      const bool is_x = group.front() <= Stage::value && trace.inputs.self_attention();
      const bool packed = wish.packed && is_parameter(group.front()) && group.size() == 1;
      if ((is_x && i != 1) || (packed && i != 0)) continue;
      const float wanted = is_x ? (wish.name_rows * name_pitch + around_rows) * t : 0;
      const bool fits = wanted <= lanes[2].max.y - lanes[0].min.y;
      const float grown = fits ? std::max(wanted - lanes[i].height(), 0.0f) / 2 : 0;
      place(group, {{x, lanes[i].min.y - grown}, {x + width, (packed ? lanes[2].max.y : lanes[i].max.y) + grown}});
    }
  }

  /// Cards side by side over the whole width; those in `wide` get more of the remaining width.
  void row(const Row& row, Rect area) {
    const auto share = [](const Group& group) {
      return is_parameter(group.front()) ? 0.5f : group.front() == Stage::weights ? 3.0f : 1.0f;
    };
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

// Points at type 1.
constexpr float inside = 16;  // horizontal padding of a card's title
constexpr float least_card = 64;
constexpr float least_input = 54;
constexpr float least_columns = 20;  // minimum width of an input's matrix
constexpr float longest_name =
    60;  // longest label that other cards make room for; a longer one uses the remaining width
constexpr float beside_names = 42;  // width of an input's card next to its labels, for its matrix

constexpr std::array left_lanes{Lane::query, Lane::key, Lane::value};

/// The width of an input's card. A matrix that may have more columns than pixels has a note about it below.
float input_width(const Trace& trace, float t) {
  const Tensor& input = trace[Stage::key];
  const bool pooled = input.defined() && static_cast<float>(input.size(input.rank() - 1)) > least_columns * t;
  return (pooled ? least_card : least_input) * t;
}

}  // namespace

int cards_behind(const Trace& trace, Stage stage) {
  if (!has_head_axis(stage) || trace.dims().heads < 2) return 0;
  if (info(stage).rows == Axis::query && info(stage).cols == Axis::key) return 0;
  return static_cast<int>(std::min<Index>(is_per_kv_head(stage) ? trace.dims().kv_heads : trace.dims().heads, 4)) - 1;
}

const Rect* PipelineLayout::find(Stage stage) const {
  const auto found = std::ranges::find(slots, stage, &Slot::stage);
  return found == slots.end() ? nullptr : &found->card;
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

  const float room = size.x - 2 * edge;
  // As little as possible is folded, but enough to show the labels of the first card in full.
  const float for_names = trace.has(Stage::scores) ? std::min(ruler.for_names(), room * 0.2f) : 0;
  const FoldedPipeline folded = fold_to_width(ruler, room - for_names);
  const std::vector<Column>& columns = folded.columns;
  const std::array<Row, 3>& rows = folded.rows;
  const float top = edge + wish.note + row_words * t;
  const float bottom = size.y - edge - (wish.foot > 0 ? wish.foot + edge : 0);
  // If height is scarce, text has priority over pictures.
  const float lane = (bottom - top) * (size.y < low_canvas * t ? 0.24f : 0.258f);
  const float between = ((bottom - top) - 3 * lane) / 2;
  std::array<Rect, 3> lanes;
  for (std::size_t i = 0; i < 3; ++i) {
    const float y = top + static_cast<float>(i) * (lane + between);
    lanes[i] = {{0, y}, {size.x, y + lane}};
  }

  // The remaining width goes to all cards, most of it to the scores.
  float free = std::max(room - folded.left_width() - folded.right_width(), 0.0f);
  const float names = std::min(std::max(for_names, std::min(wish.names, for_names + free * 0.3f)), free);
  free -= names;
  float left_shares = 0;
  for (const Column& column : columns) left_shares += column.share;
  const float right_share = 1.25f * static_cast<float>(std::max(rows[0].groups.size(), std::size_t{3}));
  const float unit = free / (left_shares + right_share);
  Placer placer{trace, wish, layout};
  float x = edge;
  for (const Column& column : columns) {
    const float width = column.least + column.share * unit + (&column == &columns.front() ? names : 0);
    placer.column(column, lanes, x, width, t);
    x += width + column.gap;
  }
  const float right = size.x - edge, words = row_words * t;
  if (!trace.has(Stage::scores)) {
    placer.place({Stage::weights}, {{x, top}, {right, bottom}});
    return layout;
  }
  placer.row(rows[0], {{x, lanes[0].min.y}, {right, lanes[0].max.y}});
  // The middle row gets the height between the outer lanes, minus room for the arrows and the text above the last row.
  placer.row(rows[1], {{x, lanes[0].max.y + row_gap * t}, {right, lanes[2].min.y - row_gap * t - words * 0.5f}});
  placer.row(rows[2], {{x, lanes[2].min.y + words * 0.5f}, {right, lanes[2].max.y}});
  return layout;
}

std::vector<Stage> cards_of(const Trace& trace, std::size_t lane) {
  std::vector<Stage> cards;
  for (const Stage stage : all_stages()) {
    if (info(stage).lane != left_lanes[lane] || !trace.has(stage)) continue;
    for (const auto& source : info(stage).sources) {
      if (is_parameter(source.stage) && !is_bias(source.stage) && trace.has(source.stage))
        cards.push_back(source.stage);
    }
    cards.push_back(stage);
  }
  return cards;
}

std::string step_words(const Trace& trace, Stage stage) {
  const auto product = [&](Stage weight, const std::string& letter) {
    return trace.has(weight) ? "· W_{" + letter + "}^T" : "=";
  };
  switch (stage) {
    case Stage::Q: return product(Stage::W_q, "q");
    case Stage::K: return product(Stage::W_k, "k");
    case Stage::V: return product(Stage::W_v, "v");
    case Stage::Q_heads:
    case Stage::K_heads:
    case Stage::V_heads: return "split";
    case Stage::Q_normed:
    case Stage::K_normed: return "norm";
    case Stage::Q_rotated:
    case Stage::K_rotated: return "RoPE";
    case Stage::Q_scaled:
    case Stage::scaled_scores:
      return trace.scenario.scale ? with_minus(formatted("× %.4g", static_cast<double>(trace.scale)))
                                  : "× 1/\\sqrt{" + std::to_string(trace.dims().d_head) + "}";
    case Stage::capped_scores:
      return formatted("soft-cap %.3g", static_cast<double>(trace.scenario.softcap.value_or(0)));
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

std::string bias_words(const Trace& trace, Stage stage) {
  const auto words = [&](Stage bias, const std::string& letter) {
    return trace.has(bias) ? "+ b_{" + letter + "}" : std::string();
  };
  switch (stage) {
    case Stage::Q: return words(Stage::b_q, "q");
    case Stage::K: return words(Stage::b_k, "k");
    case Stage::V: return words(Stage::b_v, "v");
    case Stage::output: return words(Stage::b_o, "o");
    default: return {};
  }
}

float Ruler::title(Stage stage) const { return wish.title_width ? wish.title_width(name(stage), title_points * t) : 0; }

float Ruler::words(std::string_view markup) const {
  return !markup.empty() && wish.words_width ? wish.words_width(markup, words_points * t) : 0;
}

float Ruler::stack(Stage stage) const { return static_cast<float>(cards_behind(trace, stage)) * stack_step * t; }

float Ruler::stack(const Group& group) const {
  float widest = 0;
  for (const Stage stage : group) widest = std::max(widest, stack(stage));
  return widest;
}

float Ruler::least(const Group& group) const {
  const bool input = std::ranges::all_of(group, [](Stage stage) { return stage <= Stage::value; });
  float width = input ? input_width(trace, t) : least_card * t;
  for (const Stage stage : group) {
    const bool is_x = stage <= Stage::value && trace.inputs.self_attention();  // its title is one letter
    if (!is_x) width = std::max(width, title(stage) + inside * t);
  }
  return width;
}

float Ruler::for_names() const {
  if (wish.names <= 0) return 0;
  return std::max(std::min(wish.names, longest_name * t) + beside_names * t - input_width(trace, t), 0.0f);
}

}  // namespace headlight
