#include "core/figures/export/stage_figure.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>

#include "core/base/tensor/error.h"
#include "core/base/text/unicode.h"
#include "core/compute/network/network.h"
#include "core/figures/figure/figure_layout.h"
#include "core/figures/figure/typesetter.h"
#include "core/scenario/inputs/inputs.h"

namespace headlight {
namespace {

Index heads_of(const StageCut& cut) { return has_head_axis(cut.stage) ? cut.tensor().size(1) : 1; }

std::string label(Axis axis) {
  if (axis == Axis::query) return "query";
  if (axis == Axis::key) return "key";
  return std::string(symbol(axis));
}

/// A word. If it is longer than any figure is wide, its beginning and its end.
std::string cut_word(const std::string& word) {
  constexpr std::size_t most = 2000;  // bytes
  if (word.size() <= most) return word;
  std::size_t tail = word.size() - most / 2;
  while (tail + 1 < word.size() && continues_character(word[tail])) ++tail;
  return word.substr(0, character_start(word, most / 2)) + "…" + word.substr(tail);
}

std::vector<std::string> ticks(const StageCut& cut, Axis axis, Index first, Index count) {
  const Inputs& inputs = cut.trace.inputs;
  const auto& tokens = axis == Axis::query ? inputs.query_tokens : inputs.key_tokens;
  if ((axis != Axis::query && axis != Axis::key) || tokens.empty()) return {};
  const std::vector<std::string>& all = tokens[static_cast<std::size_t>(cut.batch)];
  const auto at = [&](Index i) { return all.begin() + std::min<std::ptrdiff_t>(i, std::ssize(all)); };
  std::vector<std::string> words;
  std::transform(at(first), at(first + count), std::back_inserter(words), cut_word);
  return words;
}

/// The tokens as they are spelled, if that is known and differs.
std::vector<std::string> spelled(const StageCut& cut, Axis axis, Index first, Index count) {
  std::vector<std::string> out;
  bool any = false;
  for (Index i = first; i < first + count; ++i) {
    out.push_back(cut.trace.inputs.spelled_along(axis, cut.batch, i));
    any = any || !out.back().empty();
  }
  return any ? out : std::vector<std::string>();
}

/// The pieces of the picture for these tokens; null for a token that is no patch.
std::vector<std::shared_ptr<const Image>> pieces(const StageCut& cut, Axis axis, Index first, Index count) {
  const auto run = network_of(cut.trace.inputs);
  const bool of_tokens = axis == Axis::query || axis == Axis::key;
  if (!of_tokens || !run || !run->network->spec().picture || cut.batch >= std::ssize(run->text.pictures)) return {};
  const PictureSpec& spec = *run->network->spec().picture;
  const Image& whole = run->text.pictures[static_cast<std::size_t>(cut.batch)]->image;
  const Index extra = std::ssize(run->network->spec().stacks.front().embedding.extra);
  std::vector<std::shared_ptr<const Image>> all(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) {
    const Index patch = first + i - extra;
    if (patch < 0 || patch >= spec.rows * spec.columns) continue;
    const auto side = static_cast<int>(spec.patch), left = static_cast<int>(patch % spec.columns) * side,
               top = static_cast<int>(patch / spec.columns) * side;
    const auto piece = std::make_shared<Image>(side, side);
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) piece->set(x, y, whole.at(left + x, top + y));
    }
    all[static_cast<std::size_t>(i)] = piece;
  }
  return all;
}

/// "[n_q 5 × d_head 16]"
std::string shape_text(const StageCut& cut) {
  const StageInfo& about = info(cut.stage);
  const MatrixView matrix = cut.matrix(0);
  const auto part = [](Axis axis, Index size) {
    const std::string letters(symbol(axis));
    return letters + (letters.empty() ? "" : " ") + std::to_string(size);
  };
  if (about.rows == Axis::none) return "[" + part(about.cols, matrix.cols) + "]";
  return "[" + part(about.rows, matrix.rows) + " × " + part(about.cols, matrix.cols) + "]";
}

/// The range over all batch entries and heads of the stage.
ValueRange whole_range(const StageCut& cut, ColormapKind kind) {
  Extent extent;
  const Index batches = is_parameter(cut.stage) ? 1 : cut.trace.dims().batch;
  for (Index b = 0; b < batches; ++b) {
    for (Index h = 0; h < heads_of(cut); ++h) {
      const MatrixView matrix = cut.tensor().matrix(b, h);
      const CellMasks masks = masks_over(cut.trace, cut.stage, b, h);
      if (matrix.rows * matrix.cols <= most_read_twice) extent.add_every_cell(matrix, masks);
      else extent.add(matrix, masks);
    }
  }
  return extent.range(kind);
}

void set_range(const StageFigureStyle& style, const StageCut& cut, FigureSpec& spec) {
  const RangeSetting& setting = style.range;
  spec.range_mode = setting.mode;
  if (!style.own_range && setting.mode == RangeMode::head && spec.panels.size() > 1 && style.on_paper)
    spec.range_mode = RangeMode::stage;
  if (setting.mode == RangeMode::fixed) spec.range = setting.percent ? percentiles(spec, setting.fixed) : setting.fixed;
  if (setting.mode != RangeMode::stage || spec.palette == Palette::boolean || cut.pool != HeadPool::none) return;
  const std::string map = spec.colormap.empty() ? std::string(default_colormap(spec.palette)) : spec.colormap;
  spec.range = whole_range(cut, colormap(map, spec.theme).kind());
}

/// Whether a linear scale would hide most of the weights: a cell below a twentieth of the largest looks empty there. So
/// it is if fewer than one cell in 200 is above, or if the cells below have more than half of all weight. It is
/// estimated from some rows, always with the first one.
bool hides_most_if_linear(const FigureSpec& spec) {
  constexpr Index most_sampled_rows = 64;
  const auto panels = static_cast<Index>(spec.panels.size());
  const Index each = std::max<Index>(1, most_sampled_rows / panels);
  std::vector<float> values;
  for (Index i = 0; i < std::min(panels, most_sampled_rows); ++i) {
    const FigurePanel& panel = spec.panels[static_cast<std::size_t>(i)];
    for (Index k = 0; k < std::min(each, panel.matrix.rows); ++k) {
      const Index row = k * panel.matrix.rows / std::min(each, panel.matrix.rows);
      for (Index col = 0; col < panel.matrix.cols; ++col) {
        if (classify(panel.matrix, panel.masks, row, col) == CellKind::value) values.push_back(panel.matrix(row, col));
      }
    }
  }
  if (values.empty()) return false;
  const float most = *std::ranges::max_element(values);
  Index large = 0;
  double shown = 0, all = 0;
  for (const float value : values) {
    all += static_cast<double>(value);
    if (!(value > most / 20)) continue;
    ++large;
    shown += static_cast<double>(value);
  }
  return most > 0 && (200 * large < std::ssize(values) || 2 * shown < all);
}

/// Weights with few large values are spread by magnitude, as in the window, unless the user chose a norm.
Norm usual_norm(const StageFigureStyle& style, const StageCut& cut, const FigureSpec& spec) {
  const bool weights = cut.stage == Stage::weights || cut.stage == Stage::dropped_weights;
  if (style.own_norm || style.norm != Norm::linear || style.own_range || spec.bare || !weights) return style.norm;
  const MatrixView& first = spec.panels.front().matrix;
  const bool readable = first.rows * first.cols <= Index{1} << 24;  // spreading makes a second matrix
  return spec.range_mode != RangeMode::row && readable && hides_most_if_linear(spec) ? Norm::log : Norm::linear;
}

/// The heads' mean or largest value in each cell. A cell is masked if it is masked in every head.
void add_pooled(const StageCut& cut, FigureSpec& spec) {
  const Index heads = heads_of(cut);
  const MatrixView first = cut.matrix(0);
  Buffer values, allowed;
  bool masked = false;
  for (Index row = 0; row < first.rows; ++row) {
    for (Index col = 0; col < first.cols; ++col) {
      double sum = 0;
      float most = -std::numeric_limits<float>::infinity();
      bool any = false;
      for (Index h = 0; h < heads; ++h) {
        const float value = cut.matrix(h)(row, col);
        const CellMasks masks = cut.masks(h);
        any = any || !masks.allowed || (*masks.allowed)(row, col) != 0;
        sum += static_cast<double>(value);
        most = std::isnan(value) ? value : value > most ? value : most;
      }
      values.push_back(cut.pool == HeadPool::mean ? static_cast<float>(sum / static_cast<double>(heads)) : most);
      allowed.push_back(any ? 1.0f : 0.0f);
      masked = masked || !any;
    }
  }
  spec.kept.emplace_back(Shape{first.rows, first.cols}, std::move(values));
  spec.kept.emplace_back(Shape{first.rows, first.cols}, std::move(allowed));
  FigurePanel panel{spec.kept[0].matrix(), {}, "", {}};
  if (masked) panel.masks.allowed = spec.kept[1].matrix();
  panel.masks.show_leaks = cut.masks(0).show_leaks;
  spec.panels.push_back(std::move(panel));
}

void add_panels(const StageCut& cut, FigureSpec& spec) {
  if (cut.pool != HeadPool::none) return add_pooled(cut, spec);
  const auto& hues = colours(spec.theme).heads;
  for (const Index h : cut.heads) {
    FigurePanel panel{cut.matrix(h), cut.masks(h), "", {}};
    if (cut.grid) panel.title = "head " + std::to_string(h);
    if (has_head_axis(cut.stage) && !spec.bare) panel.hue = hues[static_cast<std::size_t>(h) % hues.size()];
    spec.panels.push_back(std::move(panel));
  }
}

std::string title_of(const StageCut& cut) {
  const std::string title = title_without_head(cut);
  if (!has_head_axis(cut.stage)) return title;
  if (cut.pool == HeadPool::mean) return title + " · mean of " + std::to_string(heads_of(cut)) + " heads";
  if (cut.pool == HeadPool::max) return title + " · largest of " + std::to_string(heads_of(cut)) + " heads";
  return cut.grid ? title : title + " · head " + std::to_string(cut.heads.front());
}

}  // namespace

std::string title_without_head(const StageCut& cut) {
  std::string title = cut.trace.name_of(cut.stage);
  if (const std::string layer = layer_shown(cut.trace); !layer.empty()) title += " · layer " + layer;
  if (!is_parameter(cut.stage) && cut.trace.dims().batch > 1) title += " · batch " + std::to_string(cut.batch);
  return title;
}

ValueRange percentiles(const FigureSpec& spec, ValueRange percent) {
  std::vector<float> values;
  for (const FigurePanel& panel : spec.panels) {
    for (Index row = 0; row < panel.matrix.rows; ++row) {
      for (Index col = 0; col < panel.matrix.cols; ++col) {
        if (classify(panel.matrix, panel.masks, row, col) == CellKind::value) values.push_back(panel.matrix(row, col));
      }
    }
  }
  if (values.empty()) return {0, 1};
  std::sort(values.begin(), values.end());
  const auto at = [&](float share) {
    const double position = static_cast<double>(share) / 100 * static_cast<double>(values.size() - 1);
    const auto low = static_cast<std::size_t>(position), high = std::min(low + 1, values.size() - 1);
    return static_cast<float>(values[low] + (position - std::floor(position)) *
                                                (static_cast<double>(values[high]) - static_cast<double>(values[low])));
  };
  const ValueRange range{at(percent.lo), at(percent.hi)};
  if (range.lo < range.hi) return range;
  throw SettingError("--range", Message("these percentiles are one value, {0}", std::to_string(range.lo)),
                     "expected two that differ");
}

std::string python_slice(const IndexSlice& slice) {
  return (slice.first ? std::to_string(*slice.first) : "") + ":" + (slice.last ? std::to_string(*slice.last) : "");
}

std::pair<Index, Index> slice_within(const IndexSlice& slice, Index count, const char* option) {
  const auto from_end = [&](Index i) { return i < 0 ? i + count : i; };
  const Index first = from_end(slice.first.value_or(0)), last = slice.last ? from_end(*slice.last) : count;
  if (0 <= first && first < last && last <= count) return {first, last};
  const auto text = [](std::optional<Index> end) { return end ? std::to_string(*end) : std::string(); };
  throw SettingError(option, Message("{0}:{1} is not a part of {2}", text(slice.first), text(slice.last), count),
                     Message("expected A:B with 0 <= A < B <= {0}", count));
}

MatrixView part_of(const MatrixView& whole, const IndexSlice& rows, const IndexSlice& cols) {
  const auto [r0, r1] = slice_within(rows, whole.rows, "--rows");
  const auto [c0, c1] = slice_within(cols, whole.cols, "--cols");
  return whole.part(r0, r1 - r0, c0, c1 - c0);
}

MatrixView StageCut::matrix(Index head) const { return part_of(tensor().matrix(batch, head), rows, cols); }

CellMasks StageCut::masks(Index head) const {
  return masks_over(trace, stage, batch, head).with_each([&](const MatrixView& mask) {
    return part_of(mask, rows, cols);
  });
}

Index StageCut::first_row() const { return slice_within(rows, tensor().matrix(batch, 0).rows, "--rows").first; }
Index StageCut::first_col() const { return slice_within(cols, tensor().matrix(batch, 0).cols, "--cols").first; }

std::string formula_of(const Trace& trace, Stage stage) {
  std::string formula(info(stage).formula);
  for (const SourceStage& source : info(stage).sources) {
    const std::size_t bias = formula.find(" + b_");
    if (source.reads == Reads::bias && !trace.has(source.stage) && bias != std::string::npos) formula.erase(bias);
  }
  return formula;
}

std::string layer_shown(const Trace& trace) {
  const bool one_of_several = network_of(trace.inputs) || trace.inputs.weights.defined();
  std::string layer = one_of_several ? trace.scenario.layer : std::string();
  if (layer.empty()) layer = trace.inputs.layer;
  while (layer.ends_with('.')) layer.pop_back();
  return layer;
}

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
  static_cast<FigureLook&>(spec) = style;
  spec.title = style.title.value_or(as_mathematics(title_of(cut)));
  const bool is_merged = cut.trace.scenario.merge == Merge::words;
  if (is_merged && !style.title) spec.title += " · pieces of words as one";
  spec.keep_title = style.title || is_merged || cut.pool != HeadPool::none;
  spec.shape = as_mathematics(shape_text(cut));
  spec.subtitle = as_mathematics(cut.trace.gradients_of ? cut.trace.loss.english() : formula_of(cut.trace, cut.stage));
  spec.row_label = style.row_label.value_or(as_mathematics(label(about.rows)));
  spec.col_label = style.col_label.value_or(as_mathematics(label(about.cols)));
  spec.first_row = cut.first_row();
  spec.first_col = cut.first_col();
  if (style.tokens) {
    const MatrixView matrix = cut.matrix(0);
    spec.row_ticks = ticks(cut, about.rows, spec.first_row, matrix.rows);
    spec.col_ticks = ticks(cut, about.cols, spec.first_col, matrix.cols);
    spec.row_spelled = spelled(cut, about.rows, spec.first_row, matrix.rows);
    spec.col_spelled = spelled(cut, about.cols, spec.first_col, matrix.cols);
    spec.row_pictures = pieces(cut, about.rows, spec.first_row, matrix.rows);
    spec.col_pictures = pieces(cut, about.cols, spec.first_col, matrix.cols);
  }
  spec.palette = cut.trace.palette_of(cut.stage);
  if (style.print && style.colormap.empty() && spec.palette == Palette::diverging) spec.colormap = "cividis";
  if (style.print && style.colormap.empty() && spec.palette == Palette::sequential) spec.colormap = "greys";
  if (cut.trace.inputs.guessed && cut.trace.scenario.mask.empty() && cut.trace.scenario.painted.empty())
    spec.words.masked = "0 in every head, perhaps masked";
  add_panels(cut, spec);
  set_range(style, cut, spec);
  spec.norm = usual_norm(style, cut, spec);
  return spec;
}

void append_numbers(Buffer& numbers, const MatrixView& matrix) {
  for (Index row = 0; row < matrix.rows; ++row) {
    for (Index col = 0; col < matrix.cols; ++col) numbers.push_back(matrix(row, col));
  }
}

std::string axes_of_cut(const StageCut& cut) {
  const StageInfo& about = info(cut.stage);
  if (about.rows != Axis::query || about.cols != Axis::key) return "";
  return cut.grid && cut.pool == HeadPool::none ? "H,q,k" : "q,k";
}

NamedArray stage_array(const StageCut& cut) {
  const bool boolean = info(cut.stage).palette == Palette::boolean;
  const std::string key = cut.trace.name_of(cut.stage);
  const Tensor& whole = cut.tensor();
  if (is_parameter(cut.stage) && cut.rows == IndexSlice{} && cut.cols == IndexSlice{}) return {key, whole, boolean};
  if (cut.pool != HeadPool::none) {
    FigureSpec pooled;
    add_pooled(cut, pooled);
    return {key, pooled.kept[0], false, axes_of_cut(cut)};
  }
  const MatrixView first = cut.matrix(cut.heads.front());
  const auto heads = static_cast<Index>(cut.heads.size());
  Shape shape{first.rows, first.cols};
  if (cut.grid) shape.insert(shape.begin(), heads);
  const std::string axes = axes_of_cut(cut);
  const bool in_order = std::ranges::adjacent_find(cut.heads, std::greater_equal()) == cut.heads.end();
  if (in_order && whole.count() == element_count(shape))
    return {key, whole.view(shape), boolean, axes};  // the whole tensor
  Buffer numbers;
  numbers.reserve(static_cast<std::size_t>(element_count(shape)));
  for (const Index h : cut.heads) append_numbers(numbers, cut.matrix(h));
  return {key, Tensor(shape, std::move(numbers)), boolean, axes};
}

}  // namespace headlight
