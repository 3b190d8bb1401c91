#include "core/export/stage_figure.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace headlight {
namespace {

Index heads_of(const StageCut& cut) {
  return has_head_axis(cut.stage) ? cut.tensor().size(1) : 1;
}

std::string label(Axis axis) {
  if (axis == Axis::query) return "query";
  if (axis == Axis::key) return "key";
  return std::string(symbol(axis));
}

std::vector<std::string> ticks(const StageCut& cut, Axis axis) {
  const Inputs& inputs = cut.trace.inputs;
  const auto& tokens = axis == Axis::query ? inputs.query_tokens : inputs.key_tokens;
  if ((axis != Axis::query && axis != Axis::key) || tokens.empty()) return {};
  return tokens[static_cast<std::size_t>(cut.batch)];
}

/// "[n_q 5 × d_head 16]"
std::string shape_text(const StageCut& cut) {
  const StageInfo& about = info(cut.stage);
  const MatrixView matrix = cut.tensor().matrix(cut.batch, 0);
  const auto part = [](Axis axis, Index size) {
    const std::string letters(symbol(axis));
    return letters + (letters.empty() ? "" : " ") + std::to_string(size);
  };
  if (about.rows == Axis::none) return "[" + part(about.cols, matrix.cols) + "]";
  return "[" + part(about.rows, matrix.rows) + " × " + part(about.cols, matrix.cols) + "]";
}

/// Over every batch entry and head of the stage.
ValueRange whole_range(const StageCut& cut, ColormapKind kind) {
  Extent extent;
  const Index batches = is_parameter(cut.stage) ? 1 : cut.trace.dims().batch;
  for (Index b = 0; b < batches; ++b) {
    for (Index h = 0; h < heads_of(cut); ++h) extent.add(cut.tensor().matrix(b, h), masks_over(cut.trace, cut.stage, b, h));
  }
  return extent.range(kind);
}

void set_range(const RangeSetting& setting, const StageCut& cut, FigureSpec& spec) {
  spec.range_mode = setting.mode;
  if (setting.mode == RangeMode::fixed) spec.range = setting.fixed;
  if (setting.mode != RangeMode::stage || spec.palette == Palette::boolean) return;
  const std::string map = spec.colormap.empty() ? std::string(default_colormap(spec.palette)) : spec.colormap;
  spec.range = whole_range(cut, colormap(map, spec.theme).kind());
}

void add_panels(const StageCut& cut, FigureSpec& spec) {
  const auto& hues = colours(spec.theme).heads;
  for (const Index h : cut.heads) {
    FigurePanel panel{cut.tensor().matrix(cut.batch, h), masks_over(cut.trace, cut.stage, cut.batch, h), "", {}};
    if (cut.grid) panel.title = "head " + std::to_string(h);
    if (has_head_axis(cut.stage) && !spec.bare) panel.hue = hues[static_cast<std::size_t>(h) % hues.size()];
    spec.panels.push_back(std::move(panel));
  }
}

}  // namespace

StageCut all_heads(const Trace& trace, Stage stage, Index batch) {
  StageCut cut{trace, stage, batch, {0}, has_head_axis(stage)};
  cut.heads.resize(static_cast<std::size_t>(heads_of(cut)));
  std::iota(cut.heads.begin(), cut.heads.end(), Index{0});
  return cut;
}

FigureSpec stage_figure(const StageCut& cut, const StageFigureStyle& style) {
  assert(cut.trace.has(cut.stage) && !cut.heads.empty());
  const StageInfo& about = info(cut.stage);
  FigureSpec spec;
  spec.title = about.name;
  if (!cut.grid && has_head_axis(cut.stage)) spec.title += " · head " + std::to_string(cut.heads.front());
  if (style.title) spec.title = *style.title;
  spec.shape = shape_text(cut);
  spec.subtitle = about.formula;
  spec.row_label = style.row_label.value_or(label(about.rows));
  spec.col_label = style.col_label.value_or(label(about.cols));
  if (style.tokens) {
    spec.row_ticks = ticks(cut, about.rows);
    spec.col_ticks = ticks(cut, about.cols);
  }
  spec.bar = style.bar;
  spec.palette = about.palette;
  spec.colormap = style.colormap;
  spec.theme = style.theme;
  spec.transparent = style.transparent;
  spec.values = style.values;
  spec.bare = style.bare;
  spec.cell = style.cell;
  spec.size = style.size;
  spec.scale = style.scale;
  add_panels(cut, spec);
  set_range(style.range, cut, spec);
  return spec;
}

NamedArray stage_array(const StageCut& cut) {
  const bool boolean = info(cut.stage).palette == Palette::boolean;
  const std::string key(name(cut.stage));
  const Tensor& whole = cut.tensor();
  if (is_parameter(cut.stage)) return {key, whole, boolean};
  const MatrixView first = whole.matrix(cut.batch, cut.heads.front());
  Buffer numbers;
  for (const Index h : cut.heads) {
    const MatrixView matrix = whole.matrix(cut.batch, h);
    for (Index row = 0; row < matrix.rows; ++row) {
      for (Index col = 0; col < matrix.cols; ++col) numbers.push_back(matrix(row, col));
    }
  }
  Shape shape{first.rows, first.cols};
  if (cut.grid) shape.insert(shape.begin(), static_cast<Index>(cut.heads.size()));
  return {key, Tensor(shape, std::move(numbers)), boolean};
}

}  // namespace headlight
