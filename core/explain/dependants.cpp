// Where a number goes: every stage's reading of its sources, the other way round.
#include "core/explain/steps.h"
#include "core/run/stage_steps.h"

namespace headlight {
namespace {

struct Finder {
  const Trace& trace;
  const Cell& c;
  std::vector<Region> to{};

  Index cols(Stage stage) const { return trace[stage].size(-1); }
  Index rows(Stage stage) const { return trace[stage].size(-2); }
  Index heads(Stage stage) const { return has_head_axis(stage) ? trace[stage].size(1) : 1; }

  /// `add(head)` for each head of the stage that reads the cell's own.
  template <typename Add>
  void for_readers(Stage stage, Add add) const {
    const bool shared = is_per_kv_head(c.stage) && !is_per_kv_head(stage) && has_head_axis(stage);
    const Index groups = shared ? trace.dims().groups() : 1;
    const Index first = has_head_axis(c.stage) && has_head_axis(stage) ? c.head * groups : 0;
    for (Index h = first; h < first + groups; ++h) add(h);
  }
  void cell(Stage stage, Index head, Index row, Index col) { to.push_back({stage, c.batch, head, row, 1, col, 1}); }
  void row(Stage stage, Index head, Index at) { to.push_back({stage, c.batch, head, at, 1, 0, cols(stage)}); }
  /// A parameter is every batch entry's.
  void column(Stage stage, Index head, Index at) {
    const bool all = is_parameter(c.stage);
    for (Index b = all ? 0 : c.batch; b < (all ? trace.dims().batch : c.batch + 1); ++b)
      to.push_back({stage, b, head, 0, rows(stage), at, 1});
  }

  void read(Stage stage, Reads reads);
};

/// Of a projection without weights each cell is the input's own.
Reads reads_of(const Trace& trace, Stage stage, const SourceStage& source) {
  const StageSources& all = info(stage).sources;
  if (source.reads != Reads::row) return source.reads;
  if (is_product(stage)) return is_parameter(all[1].stage) && !trace.has(all[1].stage) ? Reads::cell : Reads::row;
  const bool norm = stage == Stage::Q_normed || stage == Stage::K_normed;
  return norm && norm_of(trace, stage).over_all_heads ? Reads::row_of_all_heads : Reads::row;
}

void Finder::read(Stage stage, Reads reads) {
  switch (reads) {
    case Reads::cell: return for_readers(stage, [&](Index h) { cell(stage, h, c.row, c.col); });
    case Reads::row: return for_readers(stage, [&](Index h) { row(stage, h, c.row); });
    case Reads::row_of_all_heads:
      for (Index h = 0; h < heads(stage); ++h) row(stage, h, c.row);
      return;
    case Reads::row_of_column: return for_readers(stage, [&](Index h) { column(stage, h, c.row); });
    case Reads::column:
    case Reads::bias: return for_readers(stage, [&](Index h) { column(stage, h, c.col); });
    case Reads::columns_of_head: return cell(stage, c.col / cols(stage), c.row, c.col % cols(stage));
    case Reads::head_of_column: return cell(stage, 0, c.row, c.head * cols(c.stage) + c.col);
    case Reads::pair: {
      cell(stage, c.head, c.row, c.col);
      const Rotation rotation = rotation_of(trace, stage);
      if (c.col >= rotation.turned()) return;
      const RotaryPair pair = rotation.pair_of(c.col);
      return cell(stage, c.head, c.row, c.col == pair.first ? pair.second : pair.first);
    }
    case Reads::dead_row: return;
  }
}

}  // namespace

std::vector<Region> dependants(const Trace& trace, const Cell& cell) {
  Finder find{trace, cell};
  for (const Stage stage : trace.stages()) {
    if (trace.inputs.matrix(stage).defined()) continue;  // known without anything before it
    for (const SourceStage& source : info(stage).sources) {
      if (trace.standing_for(source.stage) == cell.stage) find.read(stage, reads_of(trace, stage, source));
    }
  }
  return find.to;
}

}  // namespace headlight
