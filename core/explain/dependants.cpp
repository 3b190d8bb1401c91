// Where a number goes: the mirror of the steps.
#include "core/attention/rope.h"
#include "core/explain/steps.h"
#include "core/scenario/model_layer.h"

namespace headlight {
namespace {

struct Finder {
  const Trace& trace;
  const Cell& c;
  std::vector<Region> to;

  Index cols(Stage stage) const { return trace[stage].size(-1); }
  Index rows(Stage stage) const { return trace[stage].size(-2); }
  Index groups() const { return trace.dims().groups(); }

  // Nothing goes where the run ends earlier.
  void cell(Stage stage, Index head, Index row, Index col) {
    if (trace.has(stage)) to.push_back({stage, c.batch, head, row, 1, col, 1});
  }
  void row(Stage stage, Index head, Index at) {
    if (trace.has(stage)) to.push_back({stage, c.batch, head, at, 1, 0, cols(stage)});
  }
  void column(Stage stage, Index batch, Index head, Index at) {
    if (trace.has(stage)) to.push_back({stage, batch, head, 0, rows(stage), at, 1});
  }

  /// A weight matrix's row and a bias make one column of every batch entry.
  void output_feature(Stage stage, Index feature) {
    for (Index b = 0; b < trace.dims().batch; ++b) column(stage, b, 0, feature);
  }
  void input(Stage projected, Stage weight) {
    if (trace.has(weight)) {
      row(projected, 0, c.row);
    } else {
      cell(projected, 0, c.row, c.col);
    }
  }
  void split(Stage heads) {
    const Index d = cols(heads);
    cell(heads, c.col / d, c.row, c.col % d);
  }
  void after_split(Stage rotated) {
    if (!trace.has(rotated)) return score_side(rotated == Stage::Q_rotated);
    if (trace.scenario.qk_norm != QkNorm::none) return row(rotated, c.head, c.row);
    const std::size_t own = own_rules(trace.inputs).rope_frequencies.size();
    const Index width = own > 0 ? 2 * static_cast<Index>(own) : trace.scenario.rotary_dim.value_or(cols(rotated));  // channels that turn
    cell(rotated, c.head, c.row, c.col);
    if (c.col >= width) return;
    const RotaryPair pair = rotary_pair(trace.scenario.rope, c.col, width);
    cell(rotated, c.head, c.row, c.col == pair.first ? pair.second : pair.first);
  }
  void score_side(bool query) {
    if (query) return row(Stage::scores, c.head, c.row);
    for (Index h = 0; h < groups(); ++h) column(Stage::scores, c.batch, c.head * groups() + h, c.row);
  }
  void next_score() {
    auto next = static_cast<Stage>(static_cast<int>(c.stage) + 1);
    while (next == Stage::mask || !trace.has(next)) next = static_cast<Stage>(static_cast<int>(next) + 1);
    cell(next, c.head, c.row, c.col);
  }
};

}  // namespace

std::vector<Region> dependants(const Trace& trace, const Cell& cell) {
  Finder find{trace, cell, {}};
  switch (cell.stage) {
    case Stage::query:
      find.input(Stage::Q, Stage::W_q);
      break;
    case Stage::key:
      find.input(Stage::K, Stage::W_k);
      break;
    case Stage::value:
      find.input(Stage::V, Stage::W_v);
      break;
    case Stage::Q:
      find.split(Stage::Q_heads);
      break;
    case Stage::K:
      find.split(Stage::K_heads);
      break;
    case Stage::V:
      find.split(Stage::V_heads);
      break;
    case Stage::Q_heads:
      find.after_split(Stage::Q_rotated);
      break;
    case Stage::K_heads:
      find.after_split(Stage::K_rotated);
      break;
    case Stage::Q_rotated:
      find.score_side(true);
      break;
    case Stage::K_rotated:
      find.score_side(false);
      break;
    case Stage::V_heads:
      for (Index h = 0; h < find.groups(); ++h) {
        find.column(Stage::head_outputs, cell.batch, cell.head * find.groups() + h, cell.col);
      }
      break;
    case Stage::scores:
    case Stage::scaled_scores:
    case Stage::capped_scores:
    case Stage::biased_scores:
      find.next_score();
      break;
    case Stage::mask:
      find.cell(Stage::masked_scores, cell.head, cell.row, cell.col);
      break;
    case Stage::masked_scores:
      find.row(Stage::weights, cell.head, cell.row);
      break;
    case Stage::weights:
      if (trace.has(Stage::dropped_weights)) {
        find.cell(Stage::dropped_weights, cell.head, cell.row, cell.col);
        break;
      }
      [[fallthrough]];
    case Stage::dropped_weights:
      find.row(Stage::head_outputs, cell.head, cell.row);
      break;
    case Stage::head_outputs:
      find.cell(Stage::concat, 0, cell.row, cell.head * find.cols(cell.stage) + cell.col);
      break;
    case Stage::concat:
      find.input(Stage::output, Stage::W_o);
      break;
    case Stage::output:
      break;
    case Stage::W_q:
      find.output_feature(Stage::Q, cell.row);
      break;
    case Stage::W_k:
      find.output_feature(Stage::K, cell.row);
      break;
    case Stage::W_v:
      find.output_feature(Stage::V, cell.row);
      break;
    case Stage::W_o:
      find.output_feature(Stage::output, cell.row);
      break;
    case Stage::b_q:
      find.output_feature(Stage::Q, cell.col);
      break;
    case Stage::b_k:
      find.output_feature(Stage::K, cell.col);
      break;
    case Stage::b_v:
      find.output_feature(Stage::V, cell.col);
      break;
    case Stage::b_o:
      find.output_feature(Stage::output, cell.col);
      break;
  }
  return find.to;
}

}  // namespace headlight
