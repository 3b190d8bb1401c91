#include "core/teaching/explain/explain.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/base/tensor/each_matrix.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/compute/attention/softmax.h"
#include "core/compute/run/stage_steps.h"
#include "core/teaching/explain/steps.h"

namespace headlight {
namespace {

struct Explainer {
  Stage stage;
  void (*explain)(const Trace& trace, Explanation& to);
};

constexpr std::array<Explainer, matrix_count> explainers{{
    {Stage::query, steps::explain_given},
    {Stage::key, steps::explain_given},
    {Stage::value, steps::explain_given},
    {Stage::Q, steps::explain_projection},
    {Stage::K, steps::explain_projection},
    {Stage::V, steps::explain_projection},
    {Stage::Q_heads, steps::explain_split},
    {Stage::K_heads, steps::explain_split},
    {Stage::V_heads, steps::explain_split},
    {Stage::Q_normed, steps::explain_norm},
    {Stage::K_normed, steps::explain_norm},
    {Stage::Q_rotated, steps::explain_rotation},
    {Stage::K_rotated, steps::explain_rotation},
    {Stage::Q_scaled, steps::explain_scale},
    {Stage::scores, steps::explain_scores},
    {Stage::scaled_scores, steps::explain_scale},
    {Stage::capped_scores, steps::explain_cap},
    {Stage::biased_scores, steps::explain_bias},
    {Stage::mask, steps::explain_mask},
    {Stage::masked_scores, steps::explain_masked_scores},
    {Stage::weights, steps::explain_weights},
    {Stage::dropped_weights, steps::explain_dropout},
    {Stage::head_outputs, steps::explain_head_outputs},
    {Stage::concat, steps::explain_concat},
    {Stage::output, steps::explain_projection},
    {Stage::W_q, steps::explain_given},
    {Stage::W_k, steps::explain_given},
    {Stage::W_v, steps::explain_given},
    {Stage::W_o, steps::explain_given},
    {Stage::b_q, steps::explain_given},
    {Stage::b_k, steps::explain_given},
    {Stage::b_v, steps::explain_given},
    {Stage::b_o, steps::explain_given},
    {Stage::contribution_norms, steps::explain_contribution},
}};
static_assert(in_stage_order(explainers),
              "core/teaching/explain/explain.cpp: a row for every stage, parameter and measure, in their order");

struct CellAxis {
  const char* beyond;  ///< the error message for an index that is too large
  Index Cell::*member;
  Index count;  ///< 1 if the stage does not have the axis
  bool own;     ///< whether it has
};

std::array<CellAxis, 4> axes_of(const Trace& trace, Stage stage) {
  const Tensor& tensor = trace[stage];
  const Index rank = tensor.rank();
  return {{{"batch {0} is out of range", &Cell::batch, rank >= 3 ? tensor.size(0) : 1, rank >= 3},
           {"head {0} is out of range", &Cell::head, rank >= 4 ? tensor.size(1) : 1, rank >= 4},
           {"row {0} is out of range", &Cell::row, rank >= 2 ? tensor.size(-2) : 1, rank >= 2},
           {"column {0} is out of range", &Cell::col, tensor.size(-1), true}}};
}

std::vector<Index> numbers_in(std::string_view text, auto fail) {
  std::vector<Index> numbers;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::optional<Index> value = number_of_text<Index>(text.substr(0, comma));
    if (!value) fail();
    numbers.push_back(*value);
    if (comma == std::string_view::npos) return numbers;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

const Quantity* Explanation::quantity(std::string_view wanted) const {
  const auto found = std::ranges::find(quantities, wanted, &Quantity::name);
  return found == quantities.end() ? nullptr : &*found;
}

Explanation explain(const Trace& trace, const Cell& cell) {
  if (!contains(trace, cell))
    throw InputError(std::string(name(cell.stage)), "has no such cell in this run",
                     "expected an index within its shape");
  if (trace.gradients_of) return steps::explain_gradient(trace, cell);
  Explanation result;
  result.cell = cell;
  result.value = static_cast<double>(value_at(trace, cell));
  const bool known = trace.inputs.matrix(cell.stage).defined();  // from the source: no earlier stage is needed
  (known ? steps::explain_given : explainers[static_cast<std::size_t>(cell.stage)].explain)(trace, result);
  const bool says_value = cell.stage != Stage::mask;
  const std::string value = steps::number(result.value);
  if (says_value && result.numbers != value) result.numbers += (result.numbers.empty() ? "" : " = ") + value;
  return result;
}

bool contains(const Trace& trace, const Cell& cell) {
  if (!trace.has(cell.stage)) return false;
  return std::ranges::all_of(axes_of(trace, cell.stage), [&](const CellAxis& axis) {
    return cell.*axis.member >= 0 && cell.*axis.member < axis.count;
  });
}

float value_at(const Trace& trace, const Cell& cell) {
  return trace[cell.stage].matrix(cell.batch, cell.head)(cell.row, cell.col);
}

std::vector<Index> own_index(const Trace& trace, const Cell& cell) {
  std::vector<Index> index;
  for (const CellAxis& axis : axes_of(trace, cell.stage)) {
    if (axis.own) index.push_back(cell.*axis.member);
  }
  return index;
}

Cell cell_named(const Trace& trace, std::string_view option, std::string_view text) {
  const auto fail = [&] {
    throw SettingError(std::string(option), Message("\"{0}\" names no cell", std::string(text)),
                       "expected STAGE:b,h,row,col, such as weights:0,2,3,1");
  };
  const std::size_t colon = text.find(':');
  const auto stage = stage_named(text.substr(0, colon));
  if (colon == std::string_view::npos || !stage) fail();
  if (!trace.has(*stage)) {
    throw SettingError(std::string(option), Message("this run has no {0}", std::string(name(*stage))),
                       "see headlight list stages");
  }
  const std::array<CellAxis, 4> axes = axes_of(trace, *stage);
  const std::vector<Index> numbers = numbers_in(text.substr(colon + 1), fail);
  const bool all = numbers.size() == axes.size();
  if (!all && std::ssize(numbers) != std::ranges::count(axes, true, &CellAxis::own)) fail();
  Cell cell{*stage};
  auto number = numbers.begin();
  for (const CellAxis& axis : axes) {
    if (!all && !axis.own) continue;
    if (*number < 0 || *number >= axis.count) {
      throw SettingError(std::string(option), Message(axis.beyond, *number),
                         axis.count == 1 ? Message("expected 0") : Message("expected 0 to {0}", axis.count - 1));
    }
    cell.*axis.member = *number++;
  }
  return cell;
}

namespace {

struct Finder {
  const Trace& trace;
  const Cell& c;
  std::vector<Region> to{};

  Index cols(Stage stage) const { return trace[stage].size(-1); }
  Index rows(Stage stage) const { return trace[stage].size(-2); }
  Index heads(Stage stage) const { return has_head_axis(stage) ? trace[stage].size(1) : 1; }

  /// Calls `add(head)` for each head of the stage that reads the head of this cell.
  template <typename Add>
  void for_readers(Stage stage, Add add) const {
    const bool shared = is_per_kv_head(c.stage) && !is_per_kv_head(stage) && has_head_axis(stage);
    const Index groups = shared ? trace.dims().groups() : 1;
    const Index first = has_head_axis(c.stage) && has_head_axis(stage) ? c.head * groups : 0;
    for (Index h = first; h < first + groups; ++h) add(h);
  }
  void cell(Stage stage, Index head, Index row, Index col) { to.push_back({stage, c.batch, head, row, 1, col, 1}); }
  void row(Stage stage, Index head, Index at) { to.push_back({stage, c.batch, head, at, 1, 0, cols(stage)}); }
  /// All batch entries share a parameter.
  void column(Stage stage, Index head, Index at) {
    const bool all = is_parameter(c.stage);
    for (Index b = all ? 0 : c.batch; b < (all ? trace.dims().batch : c.batch + 1); ++b)
      to.push_back({stage, b, head, 0, rows(stage), at, 1});
  }

  void read(Stage stage, Reads reads);
};

/// Without weights a projection copies the input's cell.
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
    if (trace.inputs.matrix(stage).defined()) continue;  // from the source: no earlier stage is needed
    for (const SourceStage& source : info(stage).sources) {
      if (trace.standing_for(source.stage) == cell.stage) find.read(stage, reads_of(trace, stage, source));
    }
  }
  return find.to;
}

namespace {

Index right_head(const Trace& trace, Stage right, Index head) {
  return is_per_kv_head(right) ? head / trace.dims().groups() : has_head_axis(right) ? head : 0;
}

}  // namespace

Operands operands_of(const Trace& trace, Stage stage) {
  assert(is_product(stage));
  const StageSources& sources = info(stage).sources;
  const Stage right = sources[1].stage;
  return {steps::source_of(trace, stage), is_parameter(right) ? right : steps::source_of(trace, stage, 1),
          sources[1].reads == Reads::column};
}

Index product_terms(const Trace& trace, Stage stage) {
  if (!is_product(stage)) return 0;
  const Operands operands = operands_of(trace, stage);
  return trace.has(operands.right) ? trace[operands.left].size(-1) : 0;
}

Tensor partial_product(const Trace& trace, Stage stage, Index batch, Index head, Index terms) {
  const Operands operands = operands_of(trace, stage);
  const MatrixView left = trace[operands.left].matrix(batch, has_head_axis(operands.left) ? head : 0);
  const MatrixView right = trace[operands.right].matrix(batch, right_head(trace, operands.right, head));
  const MatrixView whole = trace[stage].matrix(batch, head);
  const StageSources& sources = info(stage).sources;
  const bool with_bias = sources.size() > 2 && terms == left.cols && trace.has(sources[2].stage);
  return from_cells(whole.rows, whole.cols, [&](Index row, Index col) {
    float sum = with_bias ? trace[sources[2].stage].matrix()(0, col) : 0;
    for (Index i = 0; i < terms; ++i) sum += left(row, i) * (operands.terms_are_rows ? right(i, col) : right(col, i));
    return sum;
  });
}

Tensor softmax_step(const Trace& trace, Index batch, Index head, SoftmaxStep step) {
  const Tensor& before = trace[steps::source_of(trace, Stage::weights)];
  const MatrixView scores = before.matrix(batch, head);
  const float sink =
      trace.sink_logits.defined() ? trace.sink_logits.at({head}) : -std::numeric_limits<float>::infinity();
  Buffer values(static_cast<std::size_t>(scores.rows * scores.cols));
  std::size_t at = 0;
  Buffer scratch;
  for (Index row = 0; row < scores.rows; ++row) {
    const float most = row_maximum({scores.whole_row(row, scratch), static_cast<std::size_t>(scores.cols)}, sink);
    for (Index col = 0; col < scores.cols; ++col) {
      const float shifted = scores(row, col) - most;
      values[at++] = step == SoftmaxStep::shifted ? shifted : std::exp(shifted);
    }
  }
  return Tensor({scores.rows, scores.cols}, std::move(values));
}

}  // namespace headlight
