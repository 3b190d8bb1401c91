#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"
#include "core/compute/network/logit_parts.h"
#include "core/compute/network/next_word.h"
#include "core/figures/export/layers_figure.h"
#include "core/figures/figure/ticks.h"
#include "core/scenario/inputs/inputs.h"

namespace headlight {
namespace {

constexpr float missing = std::numeric_limits<float>::quiet_NaN();
bool is_missing(float value) { return std::isnan(value); }

const char* name_of(PictureKind kind) {
  return kind == PictureKind::lens ? "lens" : kind == PictureKind::why ? "why" : "patch";
}

/// The network of the trace. Throws SettingError for options that figures of predictions do not have.
const Network& predicting(const Trace& trace, const ExportOptions& options) {
  const auto pass = network_of(trace.inputs);
  const char* kind = name_of(options.style.kind);
  if (!pass || !pass->network->spec().head.output.there())
    throw SettingError("--kind", Message("{0} is of a network that predicts words", kind), "expected a language model");
  const bool part = options.rows != IndexSlice{} || options.cols != IndexSlice{};
  if ((part && options.style.kind == PictureKind::why) || !options.layers.empty())
    throw SettingError("--kind", Message("{0} is drawn whole", kind), "expected no --rows, --cols or --layers with it");
  check_batch(options.batch, pass->text.tokens.size());
  return *pass->network;
}

/// Rows of layers; `missing` in empty cells.
struct Grid {
  std::vector<std::string> rows, cols;
  Buffer values;
  /// With `blank` in empty cells.
  Tensor tensor(float blank = missing) const {
    Buffer cells(values);
    std::ranges::replace_if(cells, is_missing, blank);
    return {{std::ssize(rows), std::ssize(cols)}, std::move(cells)};
  }
  Tensor there() const {
    Buffer cells;
    for (const float value : values) cells.push_back(is_missing(value) ? 0.0F : 1.0F);
    return {{std::ssize(rows), std::ssize(cols)}, std::move(cells)};
  }
};

/// The rows and columns that --rows and --cols choose.
struct GridPart {
  std::size_t first_row, last_row, first_col, last_col;
};
GridPart part_of_grid(const ExportOptions& options, std::size_t rows, std::size_t cols) {
  const auto [r0, r1] = slice_within(options.rows, static_cast<Index>(rows), "--rows");
  const auto [c0, c1] = slice_within(options.cols, static_cast<Index>(cols), "--cols");
  return {static_cast<std::size_t>(r0), static_cast<std::size_t>(r1), static_cast<std::size_t>(c0),
          static_cast<std::size_t>(c1)};
}

Grid chosen_part(const Grid& grid, const ExportOptions& options) {
  const GridPart part = part_of_grid(options, grid.rows.size(), grid.cols.size());
  const auto cut = [](const std::vector<std::string>& all, std::size_t first, std::size_t last) {
    return std::vector(all.begin() + static_cast<std::ptrdiff_t>(first),
                       all.begin() + static_cast<std::ptrdiff_t>(last));
  };
  Grid out{cut(grid.rows, part.first_row, part.last_row), cut(grid.cols, part.first_col, part.last_col), {}};
  for (std::size_t row = part.first_row; row < part.last_row; ++row) {
    for (std::size_t col = part.first_col; col < part.last_col; ++col)
      out.values.push_back(grid.values[row * grid.cols.size() + col]);
  }
  return out;
}

/// The figure of one grid, with words or numbers in its cells.
FigureSpec grid_figure(const Trace& trace, const ExportOptions& options, const Grid& grid, const std::string& title,
                       const std::string& on_paper) {
  const StageFigureStyle style = style_of(options);
  ExportOptions whole = options;
  whole.rows = whole.cols = {};
  FigureSpec spec = figure_of_one(trace, whole);
  spec.row_ticks = grid.rows, spec.col_ticks = grid.cols;
  spec.first_row = spec.first_col = 0;
  if (!style.tokens && options.what != "heads") spec.col_ticks.clear();
  spec.row_pictures.clear();
  if (std::ssize(grid.cols) != std::ssize(spec.col_pictures)) spec.col_pictures.clear();  // not of these columns
  spec.kept = {grid.tensor(1), grid.there()};  // empty cells are masked, so that no "0" is written in them
  spec.panels = {{spec.kept[0].matrix(), {}, "", {}}};
  if (std::ranges::any_of(grid.values, is_missing)) spec.panels[0].masks.allowed = spec.kept[1].matrix();
  spec.shape = "";
  // On paper there is no subtitle, so the title must say what the colours mean.
  if (!style.title) spec.title = spec.on_paper ? on_paper : title, spec.keep_title = true;
  spec.values = !style.bare;
  spec.norm = style.own_norm ? style.norm : Norm::linear;
  span_numbers(spec, options, RangeMode::head);
  return spec;
}

FigureSpec with_logit_style(FigureSpec spec, const ExportOptions& options) {
  spec.palette = Palette::diverging;
  if (options.style.colormap.empty()) spec.colormap = options.style.print ? "coolwarm" : "";
  if (!options.style.cell && !options.size) spec.cell = 48;
  return spec;
}

/// “is”, “is” − “are”
std::string asked_in_title(const AskedWord& asked) {
  const auto said = [](const Token& token) { return "“" + token.text + "”"; };
  return said(asked.word) + (asked.other ? " − " + said(*asked.other) : "");
}

std::string in_digits(double value) { return (value < 0 ? "−" : "") + formatted("%.4g", std::abs(value)); }

struct Lens {
  std::vector<std::string> words;  ///< of the chosen positions
  std::vector<std::vector<LensCell>> cells;
  std::size_t first_block = 0, first_position = 0;
};

Lens lens_for(const Trace& trace, const ExportOptions& options) {
  predicting(trace, options);
  const auto pass = whole_pass(trace, false, true);
  const std::vector<std::string> words = pass->text.last_stack().words(options.batch);
  const std::vector<std::vector<LensCell>> cells = lens_of(*pass, options.batch);
  const GridPart part = part_of_grid(options, cells.size(), words.size());
  Lens lens{{}, {}, part.first_row, part.first_col};
  for (std::size_t at = part.first_col; at < part.last_col; ++at) lens.words.push_back(words[at]);
  for (std::size_t block = part.first_row; block < part.last_row; ++block) {
    const auto first = cells[block].begin() + static_cast<std::ptrdiff_t>(part.first_col);
    lens.cells.emplace_back(first, first + std::ssize(lens.words));
  }
  return lens;
}

/// The most probable word after each block, coloured by the probability of the final word.
FigureSpec lens_figure(const Trace& trace, const ExportOptions& options) {
  const Lens lens = lens_for(trace, options);
  Grid grid{{}, lens.words, {}};
  std::vector<std::string> words;
  for (const std::vector<LensCell>& line : lens.cells) {
    grid.rows.push_back("block " + std::to_string(lens.first_block + grid.rows.size()));
    for (const LensCell& cell : line) {
      grid.values.push_back(static_cast<float>(cell.probability_of));
      words.push_back(cell.likely.text);
    }
  }
  FigureSpec spec = grid_figure(trace, options, grid, "what it would say after each block",
                                "the next word after each block; colour: probability of the last row’s word");
  spec.cell_words = std::move(words);
  spec.subtitle = "the most probable next word; colour: probability of the word that the last block says";
  if (!options.style.row_label) spec.row_label = "after";
  if (!options.style.col_label) spec.col_label = "after the word";
  spec.palette = Palette::sequential;
  if (!options.style.cell && !options.size) spec.cell = 64;
  return spec;
}

struct AskedParts {
  std::shared_ptr<const NetworkRun> pass;
  AskedWord word;
  LogitParts made;
  std::string layer(const LogitPart& part) const { return part.layer ? pass->network->layer(*part.layer).layer : ""; }
};

AskedParts parts_for(const Trace& trace, const ExportOptions& options) {
  const Network& network = predicting(trace, options);
  RunOptions how = as_asked(trace);
  how.parts = true;
  AskedParts parts;
  parts.pass = std::make_shared<const NetworkRun>(network.run(network_of(trace.inputs)->text, how));
  const NetworkRun& read = options.word.empty() ? *parts.pass : *network_of(trace.inputs);  // it has the line
  parts.word = asked_word(read, options.batch, options.word, "--word");
  parts.made = network.parts_of(*parts.pass, options.batch, parts.word.word.id, parts.word.other_id());
  return parts;
}

/// The row and column of a part: the row of its layer, or a row of its own before or after all layers.
struct PartPlace {
  std::string row, col;
};
PartPlace place_of(const AskedParts& parts, const LogitPart& part) {
  using What = LogitPart::What;
  const std::string row = part.layer ? parts.layer(part) : part.what == What::final_bias ? "end" : "start";
  switch (part.what) {
    case What::token: return {row, "word"};
    case What::position: return {row, "place"};
    case What::head: return {row, std::to_string(*part.head)};
    case What::mlp: return {row, "MLP"};
    case What::attention_bias:
    case What::final_bias: return {row, "bias"};
  }
  return {row, ""};
}

/// If one part is more than four times as large as every other, the colours end at those, and the title names it.
void break_bar(FigureSpec& spec, const ExportOptions& options, const Grid& grid) {
  constexpr float drowns = 4;
  if (options.style.own_range || grid.values.size() < 3) return;
  std::size_t largest = 0;
  float most = 0, next = 0;
  for (std::size_t i = 0; i < grid.values.size(); ++i) {
    const float size = is_missing(grid.values[i]) ? 0 : std::abs(grid.values[i]);
    if (size > most) next = most, most = size, largest = i;
    else next = std::max(next, size);
  }
  if (!(next > 0) || most < drowns * next) return;
  spec.range_mode = RangeMode::fixed;
  spec.range = ValueRange{-next, next};
  spec.broken_bar = true;
  const std::string row = grid.rows[largest / grid.cols.size()], col = grid.cols[largest % grid.cols.size()];
  const bool of_layer = row != "start" && row != "end",
             of_head = col.find_first_not_of("0123456789") == std::string::npos;
  if (!options.style.title)
    spec.title += "; beyond the colours: " + (of_layer ? "layer " + row + " · " : "") + (of_head ? "head " : "") + col +
                  ", " + in_digits(static_cast<double>(grid.values[largest]));
}

FigureSpec why_figure(const Trace& trace, const ExportOptions& options) {
  const AskedParts parts = parts_for(trace, options);
  Index heads = 0;
  for (const LogitPart& part : parts.made.parts) heads = std::max(heads, part.head.value_or(-1) + 1);
  std::vector<std::string> cols{"word", "place"};
  for (Index h = 0; h < heads; ++h) cols.push_back(std::to_string(h));
  cols.insert(cols.end(), {"bias", "MLP"});
  Grid grid;
  std::vector<PartPlace> places;
  for (const LogitPart& part : parts.made.parts) {
    places.push_back(place_of(parts, part));
    if (std::ranges::find(grid.rows, places.back().row) == grid.rows.end()) grid.rows.push_back(places.back().row);
  }
  std::ranges::copy_if(cols, std::back_inserter(grid.cols), [&](const std::string& col) {
    return std::ranges::any_of(places, [&](const PartPlace& place) { return place.col == col; });
  });
  grid.values.assign(grid.rows.size() * grid.cols.size(), missing);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto row = std::ranges::find(grid.rows, places[i].row) - grid.rows.begin(),
               col = std::ranges::find(grid.cols, places[i].col) - grid.cols.begin();
    float& cell = grid.values[static_cast<std::size_t>(row) * grid.cols.size() + static_cast<std::size_t>(col)];
    cell = static_cast<float>(parts.made.parts[i].value) + (is_missing(cell) ? 0 : cell);
  }
  const std::string logit = asked_in_title(parts.word) + ": " + in_digits(parts.made.logit);
  FigureSpec spec = with_logit_style(grid_figure(trace, options, grid, "the parts of the logit of " + logit,
                                                 "the parts of the logit of " + logit + ", their sum"),
                                     options);
  spec.subtitle = "what each head, MLP, bias and the word itself add to it; all cells together are the logit";
  break_bar(spec, options, grid);
  spec.words.masked = "no part";
  if (!options.style.row_label) spec.row_label = "layer";
  if (!options.style.col_label) spec.col_label = "head";
  return spec;
}

struct Patched {
  std::vector<std::string> words, from;  ///< the words of both texts
  AskedWord word;
  PatchGrid made;
  std::vector<std::string> layers;
};

Patched patched_for(const Trace& trace, const ExportOptions& options) {
  const Network& network = predicting(trace, options);
  if (options.from.empty())
    throw SettingError("--kind", "patch puts the states of another text into this one",
                       "expected --from \"…\" with it");
  const auto pass = network_of(trace.inputs);
  const NetworkText text = network.read(line_of(*pass, options.batch)), from = network.read(options.from);
  const auto read = options.word.empty() ? whole_pass(trace, false, true) : pass;
  Patched patched{text.last_stack().words(0),
                  from.last_stack().words(0),
                  asked_word(*read, options.batch, options.word, "--word"),
                  {},
                  {}};
  const Patch::What what = options.what.empty() ? Patch::What::residual : state_named(options.what);
  patched.made =
      patch_grid(network, text, from, what, patched.word.word.id, as_asked(trace), {}, patched.word.other_id());
  for (const NetworkLayer& layer : network.layers()) patched.layers.push_back(layer.layer);
  return patched;
}

Grid changes_of(const Patched& patched, bool of_heads) {
  Grid grid{patched.layers, {}, {}};
  const std::size_t columns = std::ranges::max_element(patched.made.grid, {}, &std::vector<double>::size)->size();
  for (std::size_t i = 0; i < columns; ++i) {
    const bool same = of_heads || patched.words[i] == patched.from[i];
    grid.cols.push_back(of_heads ? std::to_string(i) : patched.words[i] + (same ? "" : " ← " + patched.from[i]));
  }
  for (const std::vector<double>& line : patched.made.grid) {
    for (std::size_t i = 0; i < columns; ++i)
      grid.values.push_back(i < line.size() ? static_cast<float>(line[i] - patched.made.before) : missing);
  }
  return grid;
}

FigureSpec patch_figure(const Trace& trace, const ExportOptions& options) {
  const bool of_heads = options.what == "heads";
  const Patched patched = patched_for(trace, options);
  const std::string change = "change of the logit of " + asked_in_title(patched.word);
  FigureSpec spec = with_logit_style(
      grid_figure(trace, options, chosen_part(changes_of(patched, of_heads), options), change, change), options);
  spec.subtitle = "from “" + options.from + "”; " + in_digits(patched.made.before) + " before, " +
                  in_digits(patched.made.after_all) + " with all";
  if (!options.style.row_label) {
    spec.row_label = of_heads ? "layer" : options.what == "mlp" ? "MLP of layer" : "input of layer";
  }
  if (!options.style.col_label) spec.col_label = of_heads ? "head" : "at the word ← of the other text";
  return spec;
}

std::string quoted(const std::string& text) { return "\"" + replaced(text, "\"", "\"\"") + "\""; }

std::string lens_table(const Trace& trace, const ExportOptions& options) {
  const Lens lens = lens_for(trace, options);
  std::string table = "block,position,after,token,probability,probability_of_final\n";
  for (std::size_t block = 0; block < lens.cells.size(); ++block) {
    for (std::size_t at = 0; at < lens.words.size(); ++at) {
      const LensCell& cell = lens.cells[block][at];
      table += std::to_string(lens.first_block + block) + "," + std::to_string(lens.first_position + at) + "," +
               quoted(lens.words[at]) + "," + quoted(cell.likely.text) +
               formatted(",%.9g,%.9g\n", cell.likely.probability, cell.probability_of);
    }
  }
  return table;
}

std::string parts_table(const Trace& trace, const ExportOptions& options) {
  const AskedParts parts = parts_for(trace, options);
  std::string table = "layer,what,head,value\n";
  for (const LogitPart& part : parts.made.parts) {
    table += parts.layer(part) + "," + std::string(name(part.what)) + "," +
             (part.head ? std::to_string(*part.head) : "") + formatted(",%.9g\n", part.value);
  }
  return table;
}

}  // namespace

bool is_of_prediction(PictureKind kind) {
  return kind == PictureKind::lens || kind == PictureKind::why || kind == PictureKind::patch;
}

FigureSpec prediction_figure(const Trace& trace, const ExportOptions& options) {
  if (options.style.kind == PictureKind::lens) return lens_figure(trace, options);
  return options.style.kind == PictureKind::why ? why_figure(trace, options) : patch_figure(trace, options);
}

NamedArray patch_array(const Trace& trace, const ExportOptions& options) {
  const Grid changes = changes_of(patched_for(trace, options), options.what == "heads");
  return {"patch_effects", chosen_part(changes, options).tensor(), false};
}

std::string prediction_csv(const Trace& trace, const ExportOptions& options) {
  switch (options.style.kind) {
    case PictureKind::lens: return lens_table(trace, options);
    case PictureKind::why: return parts_table(trace, options);
    default: return csv_text(patch_array(trace, options).values.matrix());
  }
}

}  // namespace headlight
