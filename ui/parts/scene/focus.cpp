#include "ui/parts/scene/focus.h"

#include <algorithm>

namespace headlight {

Cell matrix_of(const Trace& trace, const View& view, Stage stage) {
  const Tensor& values = trace[stage];
  Cell cell{stage};
  if (values.rank() >= 3) cell.batch = view.batch;
  if (values.rank() >= 4) cell.head = view.head / heads_per(trace, stage);
  return cell;
}

MatrixView numbers_of(const Trace& trace, const View& view, Stage stage) {
  const Cell cell = matrix_of(trace, view, stage);
  return trace[stage].matrix(cell.batch, cell.head);
}

namespace {

Index index_on(const Cell& cell, Axis axis) {
  const StageInfo& about = info(cell.stage);
  return about.rows == axis ? cell.row : about.cols == axis ? cell.col : -1;
}

bool is_channel(Axis axis) { return axis == Axis::query_channel || axis == Axis::kv_channel; }

}  // namespace

Focus focus_of(const Trace& trace, const View& view) {
  const Dims& dims = trace.dims();
  const LevelChoice& levels = view.levels;
  // While the player goes row by row, the selected cell sets the focus.
  const bool led = view.step && !levels.progress && view.selected;
  const auto followed = [&](Axis axis, std::optional<Index> choice) {
    const Index chosen = choice.value_or(-1), selected = view.selected ? index_on(*view.selected, axis) : -1;
    return selected >= 0 && (led || chosen < 0) ? selected : chosen;
  };
  Index query = followed(Axis::query, levels.query), key = followed(Axis::key, levels.key);
  query = query < 0 ? asked_query(trace, view.batch) : std::min(query, dims.n_q - 1);
  if (key < 0) key = largest_column(numbers_of(trace, view, Stage::weights), query);
  Index feature = std::max<Index>(levels.feature.value_or(0), 0);
  if (led) {
    const Axis cols = info(view.selected->stage).cols;
    if (is_channel(cols)) feature = view.selected->col % std::max<Index>(dims.d_head, 1);
    else if (cols != Axis::query && cols != Axis::key) feature = view.selected->col;
  }
  return {query, std::min(key, dims.n_k - 1), feature};
}

Focus pointed_focus(const Trace& trace, const View& view) {
  Focus focus = focus_of(trace, view);
  if (view.pointed.word) focus.key = std::clamp<Index>(*view.pointed.word, 0, trace.dims().n_k - 1);
  return focus;
}

Cell cell_of(const Trace& trace, const View& view, Stage stage, const Focus& focus) {
  Cell cell = matrix_of(trace, view, stage);
  const MatrixView numbers = numbers_of(trace, view, stage);
  const Dims& dims = trace.dims();
  const auto index = [&](Axis axis, Index count) {
    if (axis == Axis::query) return focus.query;
    if (axis == Axis::key) return focus.key;
    // The feature is counted within the selected head.
    const Index d_head = std::max<Index>(dims.d_head, 1);
    if (axis == Axis::query_channel) return view.head * (count / dims.heads) + focus.feature % d_head;
    if (axis == Axis::kv_channel) return view.head / dims.groups() * (count / dims.kv_heads) + focus.feature % d_head;
    return focus.feature % std::max<Index>(count, 1);
  };
  const StageInfo& about = info(stage);
  cell.row = std::clamp<Index>(index(about.rows, numbers.rows), 0, numbers.rows - 1);
  cell.col = std::clamp<Index>(index(about.cols, numbers.cols), 0, numbers.cols - 1);
  return cell;
}

View with_focus_on(View view, const Trace& trace, const Cell& cell) {
  const Focus now = focus_of(trace, view);
  LevelChoice& levels = view.levels;
  const StageInfo& about = info(cell.stage);
  levels.query = now.query;
  levels.key = now.key;
  for (const auto& [axis, index] : {std::pair(about.rows, cell.row), std::pair(about.cols, cell.col)}) {
    if (axis == Axis::query) levels.query = index;
    else if (axis == Axis::key) levels.key = index;
    else if (const Dims& dims = trace.dims(); is_channel(axis) && dims.d_head > 0) {
      levels.feature = index % dims.d_head;
      const Index head = index / dims.d_head * (axis == Axis::kv_channel ? dims.groups() : 1);
      const bool other_group = head / dims.groups() != view.head / dims.groups();
      if (head < dims.heads && (axis == Axis::query_channel || other_group)) view.head = head;
    } else if (axis != Axis::none) {
      levels.feature = index;
    }
  }
  return view;
}

}  // namespace headlight
