#include <charconv>
#include <cmath>
#include <cstdio>

#include "core/export/layers_figure.h"
#include "core/files/picture_file.h"
#include "core/network/network.h"
#include "core/network/pictures.h"
#include "core/scenario/inputs.h"
#include "core/tensor/error.h"
#include "core/text/utf8_path.h"

namespace headlight {
namespace {

/// The picture under a batch entry's rows, and which keys are its patches.
struct Background {
  std::shared_ptr<const Image> image;
  std::string file;  ///< "": the default picture
  PictureGrid grid;
};

/// For a network of pictures, the picture as the network sees it; else --image, with the patches of --grid.
Background background_of(const Trace& trace, Index batch) {
  const auto pass = network_of(trace.inputs);
  const PictureGrid& grid = trace.inputs.grid;
  const std::vector<std::string> files = text_lines(trace.scenario.image);
  const bool reads = pass && pass->network->spec().picture;
  if (!grid.there() || (!reads && files.empty()))
    throw SettingError("--kind", "an overlay lies over a picture, and this reads none",
                       "expected a model that reads pictures, or --image FILE with --grid 14x14, the keys' patches");
  const Index count = reads ? std::ssize(pass->text.pictures) : std::ssize(files);
  check_batch(batch, count);
  const auto at = static_cast<std::size_t>(batch);
  if (!reads)
    return {std::make_shared<const Image>(read_picture(utf8_from(picture_place(files[at])))), files[at], grid};
  const std::shared_ptr<const Picture>& picture = pass->text.pictures[at];
  return {{picture, &picture->image}, picture->file, grid};
}

bool is_patch(const PictureGrid& grid, Index token) {
  return token >= grid.first && token < grid.first + grid.rows * grid.columns;
}

/// The name of a token; its number if it has none.
std::string name_of(const Sequence::Names& names, Index batch, Index token) {
  const auto entry = static_cast<std::size_t>(batch), at = static_cast<std::size_t>(token);
  return entry < names.size() && at < names[entry].size() ? names[entry][at] : std::to_string(token);
}

/// The row of the token with the name "7,3", "cls" or "dog", or with that number; the first row by default.
Index row_named(const Trace& trace, const PictureGrid& grid, const ExportOptions& options) {
  if (options.query.empty()) return 0;
  const Dims& dims = trace.dims();
  std::vector<Index> found;
  for (Index i = 0; i < dims.n_q; ++i) {
    if (name_of(trace.inputs.query_tokens, options.batch, i) == options.query) found.push_back(i);
  }
  if (found.size() == 1) return found.front();
  Index number = -1;
  const char* const end = options.query.data() + options.query.size();
  const auto read = std::from_chars(options.query.data(), end, number);
  if (found.empty() && read.ec == std::errc() && read.ptr == end && number >= 0 && number < dims.n_q) return number;
  if (found.size() > 1)
    throw SettingError("--query", Message("\"{0}\" names {1} tokens", options.query, std::ssize(found)),
                       Message("expected a query's number, such as {0}", found.front()));
  if (dims.n_q != dims.n_k || !network_of(trace.inputs))
    throw SettingError("--query", Message("\"{0}\" is no query", options.query),
                       Message("expected one of its tokens, or a number up to {0}", dims.n_q - 1));
  std::string expected = "expected a patch's row and column up to " + std::to_string(grid.rows - 1) + "," +
                         std::to_string(grid.columns - 1);
  for (Index i = 0; i < grid.first; ++i) expected += ", or " + name_of(trace.inputs.query_tokens, options.batch, i);
  throw SettingError("--query", Message("\"{0}\" is no patch of this picture", options.query), expected);
}

MatrixView row_as_grid(const MatrixView& whole, Index row, const PictureGrid& grid) {
  return {whole.data + row * whole.row_stride + grid.first * whole.col_stride, grid.rows, grid.columns,
          grid.columns * whole.col_stride, whole.col_stride};
}

/// "cls 0.12, 0.4, 0.031": what the row gives to tokens that are no patches, a number for each panel; several tokens
/// are summarised.
std::string other_tokens_text(const FigureSpec& spec, const Trace& trace, const PictureGrid& grid, Index batch,
                              Index row) {
  constexpr std::size_t most_panels = 12, most_names = 6;
  if (spec.panels.size() > most_panels) return "";
  std::vector<std::pair<std::string, std::vector<Index>>> groups;
  std::vector<Index> outside;
  for (Index i = 0; i < trace.dims().n_k; ++i) {
    if (!is_patch(grid, i)) outside.push_back(i);
  }
  if (outside.size() > most_names) groups.push_back({std::to_string(outside.size()) + " tokens", outside});
  else
    for (const Index i : outside) groups.push_back({name_of(trace.inputs.key_tokens, batch, i), {i}});
  std::string text;
  for (const auto& [name, tokens] : groups) {
    text += (text.empty() ? "" : "; ") + name;
    for (std::size_t p = 0; p < spec.panels.size(); ++p) {
      double sum = 0;
      for (const Index i : tokens) sum += static_cast<double>(spec.panels[p].matrix(row, i));
      char number[24];
      std::snprintf(number, sizeof number, "%.2g", sum);
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
  background_of(trace, options.batch);
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
  const Background background = background_of(trace, options.batch);
  const PictureGrid& grid = background.grid;
  const Index row = row_named(trace, grid, options);
  const std::string query = name_of(trace.inputs.query_tokens, options.batch, row);
  const std::string others_text = other_tokens_text(spec, trace, grid, options.batch, row);
  for (FigurePanel& panel : spec.panels) {
    panel.matrix = row_as_grid(panel.matrix, row, grid);
    if (panel.masks.allowed) panel.masks.allowed = row_as_grid(*panel.masks.allowed, row, grid);
    if (panel.masks.kept) panel.masks.kept = row_as_grid(*panel.masks.kept, row, grid);
    panel.under = background.image;
    panel.opacity = options.style.opacity;
  }
  if (spec.line_names.empty()) {
    FigurePanel plain = spec.panels.front();
    plain.title = "picture", plain.opacity = 0, plain.hue.reset();
    if (spec.panels.size() == 1) spec.panels.front().title = std::string(name(options.stage));
    spec.panels.insert(spec.panels.begin(), std::move(plain));
  }
  spec.row_ticks.clear(), spec.col_ticks.clear();
  spec.row_pictures.clear(), spec.col_pictures.clear();
  spec.shape = "[" + std::to_string(grid.rows) + " × " + std::to_string(grid.columns) + " patches]";
  if (!options.style.title) spec.title += " · where " + query + " looks";
  const std::string file =
      background.file.empty() ? "a drawn picture" : background.file.substr(background.file.find_last_of("/\\") + 1);
  spec.subtitle =
      file + ", colours over it at " + std::to_string(std::lround(100 * options.style.opacity)) + " %" + others_text;
  if (!options.style.row_label) spec.row_label = "row of patches";
  if (!options.style.col_label) spec.col_label = "column";
  if (trace.dims().n_q == trace.dims().n_k && is_patch(grid, row)) {
    const Index r = (row - grid.first) / grid.columns, c = (row - grid.first) % grid.columns;
    spec.highlights.push_back({r, r + 1, c, c + 1, ""});
  }
  if (!options.style.own_norm) spec.norm = Norm::linear;
  if (options.style.own_range) return;
  spec.range_mode = RangeMode::stage;  // one range for all panels
  spec.range.reset();
}

NamedArray overlay_array(const FigureSpec& spec, const ExportOptions& options) {
  Buffer numbers;
  Shape shape{0, spec.panels.front().matrix.rows, spec.panels.front().matrix.cols};
  for (const FigurePanel& panel : spec.panels) {
    if (panel.opacity == 0) continue;  // this panel is the picture
    ++shape.front();
    append_numbers(numbers, panel.matrix);
  }
  if (shape.front() == 1) shape.erase(shape.begin());
  return {options.shares ? "contribution_shares" : std::string(name(options.stage)), Tensor(shape, std::move(numbers)),
          false};
}

}  // namespace headlight
