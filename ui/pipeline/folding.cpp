#include "ui/pipeline/folding.h"

#include <algorithm>
#include <span>

namespace headlight {
namespace {

// Points at type 1.
constexpr float least_weights = 150;
constexpr float arrow_room = 22;  // of a gap without words

constexpr std::array weight_stages{Stage::weights, Stage::dropped_weights},
    dropped_first{Stage::dropped_weights, Stage::weights};
constexpr std::array output_stages{Stage::head_outputs, Stage::concat, Stage::W_o, Stage::output};

bool is_change_of_heads(Stage stage) { return has_head_axis(stage) && !is_rearrangement(stage); }

/// How much is folded, from nothing to all that can be: as much as it takes until every title is whole.
struct Folding {
  bool turned = false;   // what is made of split heads, with them
  bool middle = false;   // what happens to the scores before the mask
  bool outputs = false;  // the way from concat to output
  bool weights = false;  // projection matrices, with what they make
  bool scores = false;   // all score stages, and dropout with its weights
  bool heads = false;    // the split with what is split
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
  std::erase_if(columns, [](const Column& column) {
    return column.lanes[0].empty() && column.lanes[1].empty() && column.lanes[2].empty();
  });
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
        if (!weights || next.size() > 1)
          said =
              std::max({said, ruler.words(step_words(ruler.trace, made)), ruler.words(bias_words(ruler.trace, made))});
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
  const auto in_middle = [&](Stage stage) {
    return folding.scores || (folding.middle && stage != Stage::scores && stage < Stage::mask);
  };
  std::array<Row, 3> rows{
      row_of(ruler, groups_of(trace, score_stages, in_middle)),
      // Dropped weights stand before the weights: on the way down to what they mix.
      row_of(ruler, folding.scores ? groups_of(trace, weight_stages, [](Stage) { return true; })
                                   : groups_of(trace, dropped_first, [](Stage) { return false; })),
      row_of(ruler, groups_of(trace, output_stages,
                              [&](Stage stage) { return folding.outputs && stage != Stage::head_outputs; })),
  };
  rows[1].least.back() = std::max(rows[1].least.back(), least_weights * ruler.t);
  rows[1].gap = 46 * ruler.t;
  rows[2].extra = ruler.stack(Stage::head_outputs);
  return rows;
}

}  // namespace

float FoldedPipeline::left_width() const {
  float sum = 0;
  for (const Column& column : columns) sum += column.least + column.gap;
  return sum;
}

float FoldedPipeline::right_width() const { return std::max({rows[0].width(), rows[1].width(), rows[2].width()}); }

FoldedPipeline fold_to_width(const Ruler& ruler, float width) {
  FoldedPipeline folded;
  for (const Folding& folding : foldings) {
    folded = {columns_of(ruler, folding), rows_of(ruler, folding)};
    if (folded.left_width() + folded.right_width() <= width) break;
  }
  return folded;
}

}  // namespace headlight
