#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/export/figure_kinds.h"
#include "core/network/network.h"
#include "core/scenario/inputs.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

/// What lies under a batch entry's rows: the picture, and how its patches stand in them.
struct OverlaidGrid {
  const Picture& picture;
  Index rows, columns, extra;  ///< `extra` tokens stand before the patches
};

OverlaidGrid grid_of(const Trace& trace, Index batch) {
  const auto pass = network_of(trace.inputs);
  const NetworkSpec* spec = pass ? &pass->network->spec() : nullptr;
  if (!spec || !spec->picture)
    throw SettingError("--kind", "an overlay lies over a picture, and this reads none",
                       "expected a model that reads pictures");
  const auto& pictures = pass->text.pictures;
  if (batch < 0 || batch >= std::ssize(pictures))
    throw SettingError("--batch", Message("{0} is out of range", batch),
                       Message("expected 0 to {0}", std::ssize(pictures) - 1));
  return {*pictures[static_cast<std::size_t>(batch)], spec->picture->rows, spec->picture->columns,
          std::ssize(spec->stacks.front().embedding.extra)};
}

/// The row of the token "7,3" or "cls"; without a name the first.
Index row_named(const Trace& trace, const OverlaidGrid& grid, const ExportOptions& options) {
  const std::vector<std::string>& tokens = trace.inputs.query_tokens[static_cast<std::size_t>(options.batch)];
  if (options.query.empty()) return 0;
  const auto found = std::ranges::find(tokens, options.query);
  if (found != tokens.end()) return found - tokens.begin();
  std::string expected = "expected a patch's row and column up to " + std::to_string(grid.rows - 1) + "," +
                         std::to_string(grid.columns - 1);
  for (Index i = 0; i < grid.extra; ++i) expected += ", or " + tokens[static_cast<std::size_t>(i)];
  throw SettingError("--query", Message("\"{0}\" is no patch of this picture", options.query), expected);
}

MatrixView row_as_grid(const MatrixView& whole, Index row, const OverlaidGrid& grid) {
  return {whole.data + row * whole.row_stride + grid.extra * whole.col_stride, grid.rows, grid.columns,
          grid.columns * whole.col_stride, whole.col_stride};
}

/// "cls 0.12, 0.4, 0.031": what the row gives to the tokens that are no patches, a number a panel.
std::string besides(const FigureSpec& spec, const Trace& trace, const OverlaidGrid& grid, Index row) {
  constexpr std::size_t most = 12;
  std::string text;
  for (Index i = 0; i < grid.extra && spec.panels.size() <= most; ++i) {
    text += (text.empty() ? "" : "; ") + trace.inputs.key_tokens.front()[static_cast<std::size_t>(i)];
    for (std::size_t p = 0; p < spec.panels.size(); ++p) {
      char number[24];
      std::snprintf(number, sizeof number, "%.2g", static_cast<double>(spec.panels[p].matrix(row, i)));
      text += (p > 0 ? ", " : " ") + std::string(number);
    }
  }
  return text.empty() ? "" : ", besides on " + text;
}

}  // namespace

void check_overlay(const Trace& trace, const ExportOptions& options) {
  const auto refuse = [](const char* option, const char* wrong, const char* expected) {
    throw SettingError(option, wrong, expected);
  };
  grid_of(trace, options.batch);
  if (info(options.stage).rows != Axis::query || info(options.stage).cols != Axis::key)
    refuse("--stage", "an overlay is of what a query gives to each key", "expected --stage weights");
  if (options.rows != Part{} || options.cols != Part{})
    refuse("--kind", "an overlay is drawn whole", "expected no --rows and --cols with it");
  if (options.style.values)
    refuse("--values", "numbers cannot be read over a picture", "expected -o F.csv or F.npy, which hold them");
  if (options.style.own_range &&
      (options.style.range.mode == RangeMode::row || options.style.range.mode == RangeMode::head))
    refuse("--range", "the pictures of an overlay share one scale", "expected stage or LO:HI");
}

void lay_over_picture(FigureSpec& spec, const Trace& trace, const ExportOptions& options) {
  const OverlaidGrid grid = grid_of(trace, options.batch);
  const Index row = row_named(trace, grid, options);
  const std::string query =
      trace.inputs.query_tokens[static_cast<std::size_t>(options.batch)][static_cast<std::size_t>(row)];
  const std::string on_others = besides(spec, trace, grid, row);
  const auto image = std::make_shared<const Image>(grid.picture.image);
  for (FigurePanel& panel : spec.panels) {
    panel.matrix = row_as_grid(panel.matrix, row, grid);
    if (panel.masks.allowed) panel.masks.allowed = row_as_grid(*panel.masks.allowed, row, grid);
    if (panel.masks.kept) panel.masks.kept = row_as_grid(*panel.masks.kept, row, grid);
    panel.under = image;
    panel.opacity = options.style.opacity;
  }
  if (spec.line_names.empty()) {
    FigurePanel plain = spec.panels.front();
    plain.title = "picture", plain.opacity = 0, plain.hue.reset();
    if (spec.panels.size() == 1) spec.panels.front().title = std::string(name(options.stage));
    spec.panels.insert(spec.panels.begin(), std::move(plain));
  }
  spec.row_ticks.clear(), spec.col_ticks.clear();
  spec.shape = "[" + std::to_string(grid.rows) + " × " + std::to_string(grid.columns) + " patches]";
  if (!options.style.title) spec.title += " · where " + query + " looks";
  const std::string file = grid.picture.file.empty()
                               ? "a drawn picture"
                               : grid.picture.file.substr(grid.picture.file.find_last_of("/\\") + 1);
  spec.subtitle =
      file + ", colours over it at " + std::to_string(std::lround(100 * options.style.opacity)) + " %" + on_others;
  if (!options.style.row_label) spec.row_label = "row of patches";
  if (!options.style.col_label) spec.col_label = "column";
  if (row >= grid.extra) {
    const Index r = (row - grid.extra) / grid.columns, c = (row - grid.extra) % grid.columns;
    spec.highlights.push_back({r, r + 1, c, c + 1, ""});
  }
  if (!options.style.own_norm) spec.norm = Norm::linear;
  if (options.style.own_range) return;
  spec.range_mode = RangeMode::stage;  // of all panels together
  spec.range.reset();
}

NamedArray overlay_array(const FigureSpec& spec, const ExportOptions& options) {
  Buffer numbers;
  Shape shape{0, spec.panels.front().matrix.rows, spec.panels.front().matrix.cols};
  for (const FigurePanel& panel : spec.panels) {
    if (panel.opacity == 0) continue;  // the picture
    ++shape.front();
    for (Index r = 0; r < panel.matrix.rows; ++r) {
      for (Index c = 0; c < panel.matrix.cols; ++c) numbers.push_back(panel.matrix(r, c));
    }
  }
  if (shape.front() == 1) shape.erase(shape.begin());
  return {options.shares ? "contribution_shares" : std::string(name(options.stage)), Tensor(shape, std::move(numbers)),
          false};
}

}  // namespace headlight
