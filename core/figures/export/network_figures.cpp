// Figures of a network besides its stages: which experts each token chose, what a decoding step reads, and where a
// patch of a picture looks.

#include <algorithm>
#include <cmath>

#include "core/base/files/picture_file.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/utf8_path.h"
#include "core/compute/network/key_cache.h"
#include "core/compute/network/network.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/network/pictures.h"
#include "core/compute/run/trace.h"
#include "core/figures/export/layers_figure.h"
#include "core/scenario/inputs/inputs.h"

namespace headlight {
namespace {

constexpr Index bytes_a_number = 2;

struct ChosenExperts {
  std::vector<std::string> layers;
  std::vector<Tensor> shares;  ///< [n, experts] for each layer
  std::vector<std::string> words;
};

ChosenExperts chosen_experts(const Trace& trace, const ExportOptions& options) {
  ChosenExperts made;
  const auto network = network_of(trace.inputs);
  const auto pass = network ? whole_pass(trace, false) : nullptr;
  for (std::size_t i = 0; pass && i < pass->layers.size(); ++i) {
    const Tensor& shares = pass->layers[i].experts;
    if (!shares.defined()) continue;
    check_batch(options.batch, pass->text.tokens.size());
    made.layers.push_back(pass->network->layers()[i].layer);
    made.shares.push_back(shares.slice(0, options.batch, 1).contiguous().view({shares.size(1), shares.size(2)}));
    made.words = texts_of(pass->queries_of(static_cast<Index>(i)).entries[static_cast<std::size_t>(options.batch)]);
  }
  if (made.layers.empty())
    throw SettingError("--layers", "\"experts\" is of a network with a mixture of experts, which this is not",
                       "expected one such as Mixtral, Qwen 3 MoE or DeepSeek");
  return made;
}

struct CacheBytes {
  Tensor bytes;  ///< [layers, positions]
  std::vector<std::string> layers, words;
  double read = 0, added = 0, as_mha = 0;
};

/// The bytes of each position that the step for the last word reads, and the bytes that the step adds.
CacheBytes cache_bytes_of(const Trace& trace, const ExportOptions& options) {
  const auto pass = network_of(trace.inputs);
  const TokenBatch* tokens = pass ? &pass->text.last_stack() : nullptr;
  if (pass) check_batch(options.batch, pass->text.tokens.size());
  const Index last = pass ? tokens->lengths[static_cast<std::size_t>(options.batch)] - 1 : 0;
  const std::vector<DecodeLayer> layers = pass ? decode_layers(*pass->network) : std::vector<DecodeLayer>();
  if (layers.empty())
    throw SettingError("--layers", "\"kept\" is of a network that writes, which this is not",
                       "expected a language model, such as GPT-2 or LLaMA");
  CacheBytes made;
  Buffer bytes;
  for (const DecodeLayer& layer : layers) {
    const auto each = static_cast<double>(layer.numbers * bytes_a_number);
    for (Index i = 0; i <= last; ++i) bytes.push_back(i < layer.first(last) ? 0 : static_cast<float>(each));
    made.read += static_cast<double>(last - layer.first(last)) * each;
    made.added += each;
    made.as_mha += static_cast<double>(layer.as_mha * bytes_a_number);
    made.layers.push_back("L" + layer.layer + " " + name_of(layer));
  }
  made.bytes = Tensor({std::ssize(layers), last + 1}, std::move(bytes));
  made.words = texts_of(tokens->entries[static_cast<std::size_t>(options.batch)]);
  made.words.resize(static_cast<std::size_t>(last + 1));
  return made;
}

std::string whole_text(double number) { return std::to_string(static_cast<std::int64_t>(number)); }

/// The title, size and range of a figure about the whole network.
FigureSpec empty_figure(const Trace& trace, const ExportOptions& options, const std::string& title) {
  const StageFigureStyle style = style_of(options);
  FigureSpec spec = figure_of_one(trace, options);
  spec.panels.clear();
  if (!style.title) spec.title = title;
  spec.shape = "";
  spec.row_ticks.clear();
  spec.col_ticks.clear();
  spec.row_pictures.clear();
  spec.col_pictures.clear();
  spec.palette = Palette::sequential;
  span_numbers(spec, options);
  return spec;
}

void must_be_whole(const ExportOptions& options) {
  if (options.rows != IndexSlice{} || options.cols != IndexSlice{})
    throw SettingError("--layers", Message("{0} is drawn whole", options.layers),
                       "expected no --rows or --cols with it");
}

}  // namespace

bool takes_network(const ExportOptions& options) { return options.layers == "experts" || options.layers == "kept"; }

FigureSpec network_figure(const Trace& trace, const ExportOptions& options) {
  must_be_whole(options);
  const StageFigureStyle style = style_of(options);
  if (options.layers == "kept") {
    const CacheBytes kept = cache_bytes_of(trace, options);
    FigureSpec spec = empty_figure(trace, options, "what the step for the next word reads");
    spec.subtitle = "reads " + whole_text(kept.read) + " bytes, adds " + whole_text(kept.added) +
                    " (unshared: " + whole_text(kept.as_mha) + ")";
    for (Index layer = 0; layer < kept.bytes.size(0); ++layer) {
      for (Index at = 0; at < kept.bytes.size(1); ++at) {
        const std::string number = whole_text(static_cast<double>(kept.bytes.at({layer, at})));
        spec.cell_words.push_back(number == "0" ? "" : (at + 1 == kept.bytes.size(1) ? "+" : "") + number);
      }
    }
    spec.values = !style.bare;
    spec.row_ticks = kept.layers;
    if (style.tokens) spec.col_ticks = kept.words;
    spec.kept.push_back(kept.bytes);
    spec.panels = {{spec.kept.back().matrix(), {}, "", {}}};
    if (!style.row_label) spec.row_label = "layers";
    if (!style.col_label) spec.col_label = "words, the last is new · bytes, 2 a number";
    if (!style.own_range) {
      const auto values = kept.bytes.values();
      spec.range_mode = RangeMode::fixed;
      spec.range = ValueRange{0, *std::ranges::max_element(values)};
    }
    if (style.own_range) span_numbers(spec, options);
    return spec;
  }
  const ChosenExperts chosen = chosen_experts(trace, options);
  FigureSpec spec = empty_figure(trace, options, "which experts each word chose");
  spec.subtitle = "each expert's share; blank: not chosen";
  if (style.tokens) spec.row_ticks = chosen.words;
  if (!style.row_label) spec.row_label = "words";
  if (!style.col_label) spec.col_label = "experts";
  for (std::size_t i = 0; i < chosen.shares.size(); ++i) {
    spec.kept.push_back(chosen.shares[i]);
    spec.panels.push_back({spec.kept.back().matrix(), {}, "layer " + chosen.layers[i], {}});
  }
  if (style.own_range) span_numbers(spec, options);  // percentiles are of the shares
  return spec;
}

NamedArray network_array(const Trace& trace, const ExportOptions& options) {
  must_be_whole(options);
  if (options.layers == "kept") return {"kept_bytes", cache_bytes_of(trace, options).bytes, false};
  const ChosenExperts chosen = chosen_experts(trace, options);
  for (const Tensor& shares : chosen.shares) {
    if (shares.shape() != chosen.shares.front().shape())
      throw SettingError("--layers", "layers have different numbers of experts", "expected a figure");
  }
  const Shape& one = chosen.shares.front().shape();
  return {"experts", joined(chosen.shares).view({std::ssize(chosen.shares), one[0], one[1]}), false};
}

namespace {

/// The picture under a batch entry's rows.
struct Background {
  std::shared_ptr<const Image> image;
  std::string file;  ///< "": the default picture
};

/// For a network of pictures, the picture as the network sees it; else --image, with the patches of --grid.
Background background_of(const Trace& trace, Index batch) {
  const auto pass = network_of(trace.inputs);
  const std::vector<std::string> files = text_lines(trace.scenario.image);
  const bool reads = pass && pass->network->spec().picture;
  if (!trace.inputs.grid.there() || (!reads && files.empty()))
    throw SettingError("--kind", "an overlay lies over a picture, and this reads none",
                       "expected a model that reads pictures, or --image FILE with --grid 14x14, the keys' patches");
  const Index count = reads ? std::ssize(pass->text.pictures) : std::ssize(files);
  check_batch(batch, count);
  const auto at = static_cast<std::size_t>(batch);
  if (!reads) return {std::make_shared<const Image>(read_picture(utf8_from(picture_place(files[at])))), files[at]};
  const std::shared_ptr<const InputImage>& picture = pass->text.pictures[at];
  return {{picture, &picture->image}, picture->file};
}

bool is_patch(const PictureGrid& grid, Index token) {
  return token >= grid.first && token < grid.first + grid.rows * grid.columns;
}

/// The row of the token with the name "7,3", "cls" or "dog", or with that number; the first row by default.
Index row_named(const Trace& trace, const PictureGrid& grid, const ExportOptions& options) {
  if (options.query.empty()) return 0;
  const Dims& dims = trace.dims();
  std::vector<Index> found;
  for (Index i = 0; i < dims.n_q; ++i) {
    if (trace.inputs.name_along(Axis::query, options.batch, i) == options.query) found.push_back(i);
  }
  if (found.size() == 1) return found.front();
  // With --grid the patches have no names: "1,0" is one's row and column.
  if (const std::size_t comma = options.query.find(','); comma != std::string::npos && dims.n_q == dims.n_k) {
    const Index row = number_of_text<Index>(options.query.substr(0, comma)).value_or(-1),
                col = number_of_text<Index>(options.query.substr(comma + 1)).value_or(-1);
    if (found.empty() && row >= 0 && row < grid.rows && col >= 0 && col < grid.columns)
      return grid.first + row * grid.columns + col;
  }
  const Index number = number_of_text<Index>(options.query).value_or(-1);
  if (found.empty() && number >= 0 && number < dims.n_q) return number;
  if (found.size() > 1)
    throw SettingError("--query", Message("\"{0}\" names {1} tokens", options.query, std::ssize(found)),
                       Message("expected a query's number, such as {0}", found.front()));
  if (dims.n_q != dims.n_k)
    throw SettingError("--query", Message("\"{0}\" is no query", options.query),
                       Message("expected one of its tokens, or a number up to {0}", dims.n_q - 1));
  std::string expected = "expected a patch's row and column up to " + std::to_string(grid.rows - 1) + "," +
                         std::to_string(grid.columns - 1);
  for (Index i = 0; i < grid.first; ++i) expected += ", or " + trace.inputs.name_along(Axis::query, options.batch, i);
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
  for (const Index i : outside) groups.push_back({trace.inputs.name_along(Axis::key, batch, i), {i}});
  if (outside.size() > most_names) groups = {{std::to_string(outside.size()) + " tokens", outside}};
  std::string text;
  for (const auto& [name, tokens] : groups) {
    text += (text.empty() ? "" : "; ") + name;
    for (std::size_t p = 0; p < spec.panels.size(); ++p) {
      double sum = 0;
      for (const Index i : tokens) sum += static_cast<double>(spec.panels[p].matrix(row, i));
      text += (p > 0 ? ", " : " ") + formatted("%.2g", sum);
    }
  }
  return text.empty() ? "" : ", besides on " + text;
}

}  // namespace

void check_overlay(const Trace& trace, const ExportOptions& options) {
  background_of(trace, options.batch);
  if (info(options.stage).rows != Axis::query || info(options.stage).cols != Axis::key)
    throw SettingError("--stage", "an overlay is of what a query gives to each key", "expected --stage weights");
  if (options.rows != IndexSlice{} || options.cols != IndexSlice{})
    throw SettingError("--kind", "an overlay is drawn whole", "expected no --rows and --cols with it");
  if (options.style.values)
    throw SettingError("--values", "numbers cannot be read over a picture",
                       "expected -o F.csv or F.npy, which hold them");
  if (options.style.own_range &&
      (options.style.range.mode == RangeMode::row || options.style.range.mode == RangeMode::head))
    throw SettingError("--range", "the pictures of an overlay share one scale", "expected stage or LO:HI");
}

void lay_over_picture(FigureSpec& spec, const Trace& trace, const ExportOptions& options) {
  const Background background = background_of(trace, options.batch);
  const PictureGrid& grid = trace.inputs.grid;
  const Index row = row_named(trace, grid, options);
  const std::string query = trace.inputs.name_along(Axis::query, options.batch, row);
  const std::string others_text = other_tokens_text(spec, trace, grid, options.batch, row);
  for (FigurePanel& panel : spec.panels) {
    panel.matrix = row_as_grid(panel.matrix, row, grid);
    panel.masks = panel.masks.with_each([&](const MatrixView& mask) { return row_as_grid(mask, row, grid); });
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
  const std::string file = background.file.empty() ? "a drawn picture" : std::string(file_name_of(background.file));
  spec.subtitle =
      file + ", colours over it at " + std::to_string(std::lround(100 * options.style.opacity)) + " %" + others_text;
  if (!options.style.row_label) spec.row_label = "row of patches";
  if (!options.style.col_label) spec.col_label = "column";
  if (trace.dims().n_q == trace.dims().n_k && is_patch(grid, row)) {
    const Index r = (row - grid.first) / grid.columns, c = (row - grid.first) % grid.columns;
    spec.highlights.push_back({r, r + 1, c, c + 1, ""});
  }
  if (!options.style.own_norm) spec.norm = Norm::linear;
  span_numbers(spec, options);
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
  return {measure_name(options), Tensor(shape, std::move(numbers)), false};
}

}  // namespace headlight
