// Rows, columns, heads and layers of a figure as one: --over.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/tensor/error.h"
#include "core/figures/export/layers_figure.h"
#include "core/figures/figure/figure_layout.h"

namespace headlight {
namespace {

/// The numbers of a panel, and which cells are masked.
struct Grid2 {
  Index rows = 0, cols = 0;
  std::vector<double> values;
  std::vector<bool> masked;
};

Grid2 grid_of(const FigureSpec& spec, const FigurePanel& panel) {
  Grid2 out{panel.matrix.rows, panel.matrix.cols, {}, {}};
  each_cell(spec, panel, [&](Index row, Index col, CellKind kind) {
    out.values.push_back(static_cast<double>(panel.matrix(row, col)));
    out.masked.push_back(kind == CellKind::masked);
  });
  return out;
}

double as_one(const std::vector<double>& all, TakeTogether by) {
  double sum = 0, most = -std::numeric_limits<double>::infinity(), least = -most;
  for (const double x : all) {
    if (std::isnan(x)) return x;
    sum += x;
    most = std::max(most, x), least = std::min(least, x);
  }
  switch (by) {
    case TakeTogether::mean: return sum / static_cast<double>(all.size());
    case TakeTogether::sum: return sum;
    case TakeTogether::max: return most;
    case TakeTogether::min: return least;
  }
  return sum;
}

/// One grid of rows × cols from the numbers that `at` lists for each cell: pairs of a grid and an index into it.
template <typename Sources>
Grid2 joined_grid(Index rows, Index cols, TakeTogether by, Sources sources_of) {
  Grid2 out{rows, cols, {}, {}};
  for (Index row = 0; row < rows; ++row) {
    for (Index col = 0; col < cols; ++col) {
      std::vector<double> numbers;
      bool masked = true;
      sources_of(row, col, [&](const Grid2& grid, Index r, Index c) {
        const auto i = static_cast<std::size_t>(r * grid.cols + c);
        numbers.push_back(grid.values[i]);
        masked = masked && grid.masked[i];
      });
      out.values.push_back(as_one(numbers, by));
      out.masked.push_back(masked);
    }
  }
  return out;
}

/// A panel as a part of layers by heads.
struct Placed {
  std::size_t layer, head;
};

std::string counted(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

NamedAxes take_together(FigureSpec& spec, const ExportOptions& options) {
  const bool rows = takes_over(options, "rows"), cols = takes_over(options, "cols"),
             heads = takes_over(options, "heads"), layers = takes_over(options, "layers");
  const bool by_layer = !spec.line_names.empty();
  const std::size_t lines = by_layer ? spec.line_names.size() : 1, each = spec.panels.size() / lines;
  if (each * lines != spec.panels.size() || (by_layer && spec.column_names.size() != each))
    throw SettingError("--over", "layers have different numbers of heads",
                       "expected heads that every layer has, --head");
  std::vector<Grid2> grids;
  for (const FigurePanel& panel : spec.panels) grids.push_back(grid_of(spec, panel));
  const Index n_rows = grids.front().rows, n_cols = grids.front().cols;
  const std::size_t kept_lines = layers ? 1 : lines, kept_heads = heads ? 1 : each;
  const std::vector<FigurePanel> old = std::move(spec.panels);
  spec.panels.clear();
  for (std::size_t line = 0; line < kept_lines; ++line) {
    for (std::size_t head = 0; head < kept_heads; ++head) {
      const Grid2 made =
          joined_grid(rows ? 1 : n_rows, cols ? 1 : n_cols, options.by, [&](Index row, Index col, auto take) {
            for (std::size_t l = layers ? 0 : line; l < (layers ? lines : line + 1); ++l) {
              for (std::size_t h = heads ? 0 : head; h < (heads ? each : head + 1); ++h) {
                for (Index r = rows ? 0 : row; r < (rows ? n_rows : row + 1); ++r) {
                  for (Index c = cols ? 0 : col; c < (cols ? n_cols : col + 1); ++c) take(grids[l * each + h], r, c);
                }
              }
            }
          });
      Buffer values, allowed;
      for (std::size_t i = 0; i < made.values.size(); ++i) {
        values.push_back(static_cast<float>(made.values[i]));
        allowed.push_back(made.masked[i] ? 0.0F : 1.0F);
      }
      const bool any_masked = std::ranges::find(allowed, 0.0F) != allowed.end();
      FigurePanel panel{};
      spec.kept.emplace_back(Shape{made.rows, made.cols}, std::move(values));
      panel.matrix = spec.kept.back().matrix();
      spec.kept.emplace_back(Shape{made.rows, made.cols}, std::move(allowed));
      if (any_masked) panel.masks.allowed = spec.kept.back().matrix();
      if (!heads) panel.hue = old[line * each + head].hue;
      if (by_layer && !layers && heads)
        panel.title = "layer " + spec.line_names[line].substr(spec.line_names[line].starts_with("L") ? 1 : 0);
      else if (layers && !heads && each > 1 && head < spec.column_names.size())
        panel.title = "head " + spec.column_names[head].substr(1);
      else if (!heads && !layers) panel.title = old[line * each + head].title;
      spec.panels.push_back(std::move(panel));
    }
  }
  constexpr const char* words[] = {"mean", "sum", "largest", "smallest"};
  const std::string word = words[static_cast<int>(options.by)];
  std::string what;
  const auto say = [&](bool is_so, const std::string& text) {
    if (is_so) what += (what.empty() ? "" : ", ") + text;
  };
  say(rows, counted(static_cast<std::size_t>(n_rows), "row", "rows"));
  say(cols, counted(static_cast<std::size_t>(n_cols), "column", "columns"));
  say(heads, counted(each, "head", "heads"));
  say(layers, counted(lines, "layer", "layers"));
  if (!options.style.title) spec.title += " · " + word + " over " + what, spec.keep_title = true;
  const auto one_tick = [&](std::vector<std::string>& ticks, Index& first, Index count) {
    ticks = {word + " of " + std::to_string(count)};
    first = 0;
  };
  if (rows) one_tick(spec.row_ticks, spec.first_row, n_rows), spec.row_pictures.clear();
  if (cols) one_tick(spec.col_ticks, spec.first_col, n_cols), spec.col_pictures.clear();
  if (heads || layers) spec.line_names.clear(), spec.column_names.clear(), spec.columns = options.style.columns;
  if (spec.palette == Palette::boolean) spec.palette = Palette::sequential;
  spec.shape.clear();
  spec.subtitle.clear();
  span_numbers(spec, options, spec.panels.size() > 1 ? RangeMode::stage : RangeMode::head);
  NamedAxes left;
  const auto keep = [&](bool is_left, const char* letter, Index size) {
    if (!is_left) return;
    left.sizes.push_back(size);
    left.letters += (left.letters.empty() ? "" : ",") + std::string(letter);
  };
  const bool grid = options.all_heads || options.heads.size() > 1 || by_layer;
  keep(by_layer && !layers, "L", static_cast<Index>(kept_lines));
  keep(grid && !heads && options.pool == HeadPool::none, "H", static_cast<Index>(kept_heads));
  keep(!rows, "q", n_rows);
  keep(!cols, "k", n_cols);
  if (left.sizes.empty()) left.sizes = {1};
  return left;
}

NamedArray figure_numbers(const Trace& trace, const ExportOptions& options) {
  ExportOptions whole = options;
  whole.over.clear();
  FigureSpec spec = figure_for(trace, whole);
  const bool marks = options.style.kind == PictureKind::reach || options.style.kind == PictureKind::side_by_side;
  const StageInfo& about = info(options.stage);
  const bool of_pairs = about.rows == Axis::query && about.cols == Axis::key;
  const bool single = spec.panels.size() == 1 && !options.all_heads;
  const MatrixView& first = spec.panels.front().matrix;
  NamedAxes axes{single ? "q,k" : "H,q,k", {std::ssize(spec.panels), first.rows, first.cols}};
  if (single) axes.sizes.erase(axes.sizes.begin());
  if (options.style.kind == PictureKind::side_by_side) axes.letters.clear();
  if (!options.over.empty()) axes = take_together(spec, options);
  Buffer numbers;
  for (const FigurePanel& panel : spec.panels) {
    each_cell(spec, panel, [&](Index row, Index col, CellKind kind) {
      const bool none = marks && kind == CellKind::masked;
      numbers.push_back(none ? std::numeric_limits<float>::quiet_NaN() : panel.matrix(row, col));
    });
  }
  return {measure_name(options), Tensor(axes.sizes, std::move(numbers)), false, of_pairs ? axes.letters : ""};
}

}  // namespace headlight
