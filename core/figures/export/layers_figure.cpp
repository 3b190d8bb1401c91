#include "core/figures/export/layers_figure.h"

#include <algorithm>

#include "core/base/tensor/each_matrix.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/compute/attention/projection.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/run/trace.h"
#include "core/scenario/inputs/file_source.h"
#include "core/scenario/inputs/inputs.h"

namespace headlight {

void check_batch(Index batch, Index count) {
  if (batch < 0 || batch >= count)
    throw SettingError("--batch", Message("{0} is out of range", batch), Message("expected 0 to {0}", count - 1));
}

RunOptions as_asked(const Trace& trace) {
  const auto pass = network_of(trace.inputs);
  RunOptions options;
  options.knock_out = pass->knock_out;
  options.change = change_of(*pass->network, *trace.inputs.asked);
  return options;
}

std::shared_ptr<const NetworkRun> whole_pass(const Trace& trace, bool summaries, bool logits) {
  const std::shared_ptr<const NetworkRun> pass = network_of(trace.inputs);
  const bool complete = pass->final.defined() && (!summaries || pass->layers.front().summary.pictures.defined()) &&
                        (!logits || (pass->logits.defined() && pass->logits.size(1) == pass->final.size(1)));
  if (complete) return pass;
  RunOptions options = as_asked(trace);
  options.weights = false;
  options.summaries = summaries;
  options.logits = logits ? RunOptions::Logits::all : RunOptions::Logits::none;
  return std::make_shared<const NetworkRun>(pass->network->run(pass->text, options));
}

void no_layers(const ExportOptions& options) {
  throw SettingError("--layers", Message("\"{0}\" is of several layers, which are not here", options.layers),
                     "expected a network, or a file with the attention of several layers");
}

bool is_stack(const std::string& word) { return word == "encoder" || word == "decoder" || word == "cross"; }

namespace {

/// A layer as the pass computed it. A change applies to its own layer; the other layers have the model's settings.
std::shared_ptr<const Trace> layer_of_pass(const std::shared_ptr<const NetworkRun>& pass, Index layer,
                                           const Scenario& shown) {
  Scenario scenario = pass->change && pass->change->layer == layer ? pass->change->settings : Scenario();
  scenario.source = shown.source;
  scenario.file = shown.file;
  scenario.text = shown.text;
  scenario.text_as_input = shown.text_as_input;
  scenario.image = shown.image;
  scenario.knock_out = shown.knock_out;
  scenario.layer = pass->network->layer(layer).layer;
  return compute_layer(pass, layer, scenario);
}

/// The mask that is in force, if it is of matrices as these.
Tensor mask_like(const Trace& trace, const Tensor& weights) {
  const Tensor& mask = trace[Stage::mask];
  return mask.shape() == weights.shape() ? mask : Tensor();
}

/// Whether the heads are chosen, and not all or their mean.
bool are_chosen(const ExportOptions& options) {
  const bool said = options.said_heads || options.heads != std::vector<Index>{0};
  return said && !options.all_heads && options.pool == HeadPool::none;
}

Index heads_in(const DrawnLayer& layer) { return layer.values.rank() == 4 ? layer.values.size(1) : 1; }

/// Each chosen head is one of some layer.
void check_heads(const ExportOptions& options, const std::vector<DrawnLayer>& layers) {
  if (!are_chosen(options)) return;
  Index most = 1;
  for (const DrawnLayer& layer : layers) most = std::max(most, heads_in(layer));
  for (const Index head : options.heads) {
    if (head < 0 || head >= most)
      throw SettingError("--head", Message("{0} is out of range", head), Message("expected 0 to {0}", most - 1));
  }
}

}  // namespace

std::vector<DrawnLayer> layers_drawn(const Trace& trace, const ExportOptions& options) {
  std::vector<DrawnLayer> all;
  const auto wanted = [&](const std::string& name) {
    return !is_stack(options.layers) || name.starts_with(options.layers);
  };
  if (network_of(trace.inputs)) {
    const auto pass = whole_pass(trace, false);
    const auto layers = pass->network->layers();
    for (std::size_t i = 0; i < layers.size(); ++i) {
      if (!wanted(layers[i].layer)) continue;
      auto layer_trace = layer_of_pass(pass, static_cast<Index>(i), trace.scenario);
      if (const std::optional<Trace> own = with_contribution_norms(*layer_trace, options))
        layer_trace = std::make_shared<const Trace>(*own);
      if (!layer_trace->has(options.stage)) no_layers(options);
      all.push_back({layers[i].layer, (*layer_trace)[options.stage], layer_trace, layers[i].cross});
    }
  } else if (trace.inputs.weights.defined() && trace.inputs.file && options.stage == Stage::weights) {
    for (const FileAttention& each : attentions_of(*trace.inputs.file, trace.scenario)) {
      if (!wanted(each.group) && !wanted(each.layer)) continue;
      all.push_back({each.layer, each.weights, {}, each.group.find("cross") != std::string::npos, each.mask});
      if (trace.has(Stage::mask) && !trace.inputs.guessed) all.back().mask = mask_like(trace, each.weights);
    }
  }
  if (all.empty()) no_layers(options);
  check_heads(options, all);
  const Tensor& first = all.front().values;
  for (const DrawnLayer& layer : all) {
    const bool fits = layer.values.rank() == first.rank() && layer.values.size(-1) == first.size(-1) &&
                      layer.values.size(-2) == first.size(-2);
    if (!fits) {
      throw SettingError("--layers",
                         Message("{0} is {1}, {2} {3}", layer.name, to_string(layer.values.shape()), all.front().name,
                                 to_string(first.shape())),
                         "expected --layers encoder, decoder or cross");
    }
  }
  return all;
}

namespace {

MatrixView part_of(const ExportOptions& options, const MatrixView& whole) {
  return part_of(whole, options.rows, options.cols);
}

/// What is drawn of a layer.
struct DrawnHeads {
  Index batch;
  std::vector<Index> heads;
};

/// [1, 1, rows, cols] of [1, H, rows, cols].
Tensor largest_over_heads(const Tensor& heads) {
  const MatrixView first = heads.matrix(0, 0);
  const Tensor most = from_cells(first.rows, first.cols, [&](Index row, Index col) {
    float largest = first(row, col);
    for (Index h = 1; h < heads.size(1); ++h) {
      const float value = heads.matrix(0, h)(row, col);
      largest = std::isnan(value) || value > largest ? value : largest;
    }
    return largest;
  });
  return most.view({1, 1, first.rows, first.cols});
}

/// Puts the mean over heads, or the largest of them, in place of a layer's heads if the options pool them. Throws
/// SettingError if the batch entry or all the heads do not exist.
DrawnHeads choose_heads(const ExportOptions& options, DrawnLayer& layer) {
  check_batch(options.batch, layer.values.size(0));
  const Index count = heads_in(layer);
  if (options.pool == HeadPool::max && layer.values.rank() == 4) {
    layer.values = largest_over_heads(layer.values.slice(0, options.batch, 1));
    return {0, {0}};
  }
  if (options.pool == HeadPool::mean && layer.values.rank() == 4) {
    layer.values = mean_over_heads(layer.values.slice(0, options.batch, 1));
    return {0, {0}};
  }
  std::vector<Index> heads;
  for (Index h = 0; h < count; ++h) {
    if (!are_chosen(options) || std::ranges::find(options.heads, h) != options.heads.end()) heads.push_back(h);
  }
  if (heads.empty())
    throw SettingError("--head", Message("names no head of layer {0}", layer.name),
                       Message("expected 0 to {0}", count - 1));
  return {options.batch, heads};
}

FigureSpec all_layers(const Trace& trace, const ExportOptions& options) {
  std::vector<DrawnLayer> layers = layers_drawn(trace, options);
  const StageFigureStyle style = style_of(options);
  // Words and sizes are those of the first drawn layer: a layer of cross-attention has other queries than the layer
  // that is shown.
  FigureSpec spec = figure_of_one(layers.front().trace ? *layers.front().trace : trace, options);
  spec.panels.clear();
  std::size_t widest = 1;
  for (DrawnLayer& layer : layers) {
    const auto [batch, heads] = choose_heads(options, layer);
    spec.kept.push_back(layer.values);
    if (layer.trace && layer.trace->has(Stage::mask)) spec.kept.push_back((*layer.trace)[Stage::mask]);
    if (layer.mask.defined()) spec.kept.push_back(layer.mask);
    widest = std::max(widest, heads.size());
    const bool numbered = layer.name.find_first_not_of("0123456789") == std::string::npos;
    spec.line_names.push_back((numbered ? "L" : "") + layer.name);
    if (widest > spec.column_names.size()) {
      spec.column_names.clear();
      for (const Index h : heads)
        spec.column_names.push_back(options.pool == HeadPool::none ? "H" + std::to_string(h) : "");
    }
    for (const Index h : heads) {
      FigurePanel panel{part_of(options, layer.values.matrix(batch, h)), {}, layer.name, {}};
      if (layer.values.rank() == 4 && options.pool == HeadPool::none) panel.title += "." + std::to_string(h);
      if (layer.trace)
        panel.masks =
            StageCut{*layer.trace, options.stage, options.batch, {h}, false, options.rows, options.cols}.masks(h);
      if (layer.mask.defined())
        panel.masks.allowed = part_of(options, layer.mask.matrix(options.batch, std::min(h, layer.mask.size(1) - 1)));
      spec.panels.push_back(std::move(panel));
    }
  }
  if (!style.columns && options.pool == HeadPool::none) spec.columns = static_cast<Index>(widest);
  if (!style.title)
    spec.title = std::string(name(options.stage)) +
                 (trace.dims().batch > 1 ? " · batch " + std::to_string(options.batch) : "") +
                 (options.pool == HeadPool::mean  ? " · mean over heads, by layer"
                  : options.pool == HeadPool::max ? " · largest of the heads, by layer"
                                                  : " · layer.head");
  span_numbers(spec, options);
  return spec;
}

}  // namespace

FigureSpec figure_of_one(const Trace& trace, ExportOptions options) {
  options.all_heads = false;
  options.heads = {0};
  options.pool = HeadPool::none;
  return stage_figure(cut_of(options, trace), style_of(options));
}

void span_numbers(FigureSpec& spec, const ExportOptions& options, RangeMode mode) {
  const RangeSetting& setting = options.style.range;
  spec.range_mode = options.style.own_range ? setting.mode : mode;
  spec.range.reset();
  if (spec.range_mode == RangeMode::fixed)
    spec.range = setting.percent ? percentiles(spec, setting.fixed) : setting.fixed;
}

namespace {

FigureSpec together_figure(const Trace& trace, const ExportOptions& options) {
  if (options.stage != Stage::weights)
    throw SettingError("--layers",
                       Message("{0} is of weights, not of {1}", options.layers, std::string(name(options.stage))),
                       "expected --stage weights");
  JoinedLayers together = join_layers(trace, options);
  const StageFigureStyle style = style_of(options);
  FigureSpec spec = figure_of_one(trace, options);
  spec.kept.push_back(std::move(together.matrix));
  spec.panels = {{part_of(options, spec.kept.back().matrix()), {}, "", {}}};
  if (!style.title) spec.title = together.title;
  spec.subtitle = together.formula;
  span_numbers(spec, options, RangeMode::head);
  return spec;
}

FigureSpec drawn(const Trace& trace, const ExportOptions& options) {
  if (is_of_prediction(options.style.kind)) return prediction_figure(trace, options);
  const bool overlay = options.style.kind == PictureKind::overlay;
  if (options.layers.empty()) return figure_of(cut_of(options, trace), style_of(options));
  if (options.style.kind != PictureKind::heatmap && !overlay)
    throw SettingError("--layers", "several layers are drawn as heatmaps", "expected no --kind with it");
  if (takes_network(options)) return network_figure(trace, options);
  return takes_layers_together(options) ? together_figure(trace, options) : all_layers(trace, options);
}

/// Throws SettingError if a highlight is outside of the matrix.
void check_highlights(const FigureSpec& spec) {
  const MatrixView& shown = spec.panels.front().matrix;
  for (const Highlight& mark : spec.highlights) {
    const bool inside = mark.first_row >= spec.first_row && mark.last_row <= spec.first_row + shown.rows &&
                        mark.first_col >= spec.first_col && mark.last_col <= spec.first_col + shown.cols;
    if (!inside) {
      throw SettingError("--highlight", "a frame lies outside of the matrix",
                         Message("expected rows within {0}:{1} and columns within {2}:{3}", spec.first_row,
                                 spec.first_row + shown.rows, spec.first_col, spec.first_col + shown.cols));
    }
  }
}

}  // namespace

FigureSpec figure_for(const Trace& trace, const ExportOptions& options) {
  const std::optional<Trace> own = with_contribution_norms(trace, options);
  const bool overlay = options.style.kind == PictureKind::overlay;
  if (overlay) check_overlay(trace, options);
  FigureSpec spec = drawn(own ? *own : trace, options);
  if (overlay) lay_over_picture(spec, trace, options);
  if (!options.over.empty()) take_together(spec, options);
  if (!overlay && spec.kind != FigureKind::arcs) check_highlights(spec);
  if (spec.mass && !options.style.title) {
    spec.keep_title = true;
    spec.title += " · frame: " + formatted("%g", 100 * static_cast<double>(*spec.mass)) +
                  (overlay ? " % of the patches' sum" : " % of each row");
  }
  if (own) spec.kept.push_back(own->contributions);
  if (options.shares && !options.style.title) spec.title = "share of " + spec.title, spec.keep_title = true;
  return spec;
}

NamedArray layers_array(const Trace& trace, const ExportOptions& options) {
  if (const std::optional<Trace> own = with_contribution_norms(trace, options)) return layers_array(*own, options);
  if (takes_network(options)) return network_array(trace, options);
  if (takes_layers_together(options)) {
    const JoinedLayers joined = join_layers(trace, options);
    const MatrixView part = part_of(options, joined.matrix.matrix());
    Buffer cells;
    append_numbers(cells, part);
    return {options.layers.substr(0, options.layers.find(':')), Tensor({part.rows, part.cols}, std::move(cells)), false,
            "q,k"};
  }
  Buffer numbers;
  Shape shape;
  std::vector<DrawnLayer> layers = layers_drawn(trace, options);
  for (DrawnLayer& layer : layers) {
    const auto [batch, heads] = choose_heads(options, layer);
    if (shape.empty()) shape = {static_cast<Index>(layers.size()), static_cast<Index>(heads.size()), 0, 0};
    if (static_cast<Index>(heads.size()) != shape[1])
      throw SettingError("--layers", "layers have different numbers of heads", "expected a figure, or one layer");
    for (const Index h : heads) {
      const MatrixView part = part_of(options, layer.values.matrix(batch, h));
      shape[2] = part.rows, shape[3] = part.cols;
      append_numbers(numbers, part);
    }
  }
  const StageInfo& about = info(options.stage);
  const bool of_pairs = about.rows == Axis::query && about.cols == Axis::key, pooled = options.pool != HeadPool::none;
  if (pooled) shape.erase(shape.begin() + 1);
  return {std::string(name(options.stage)), Tensor(shape, std::move(numbers)), about.palette == Palette::boolean,
          !of_pairs ? ""
          : pooled  ? "L,q,k"
                    : "L,H,q,k"};
}

}  // namespace headlight
