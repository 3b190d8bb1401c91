// A stage of all layers as one figure, with layers as rows, heads as columns and one colour range; or a matrix computed
// from all layers.
#pragma once

#include <memory>
#include <string>

#include "core/figures/export/export_options.h"
#include "core/figures/export/stage_figure.h"

namespace headlight {

struct NetworkRun;
struct RunOptions;

/// The figure that the options ask for: of one layer (figure_of()), or of all layers with ExportOptions::layers. The
/// trace must live until it is drawn. Throws SettingError, FileError.
FigureSpec figure_for(const Trace& trace, const ExportOptions& options);

/// One layer of the figure.
struct DrawnLayer {
  std::string name;                    ///< "3", "cross.0"
  Tensor values;                       ///< [B, H, rows, cols]
  std::shared_ptr<const Trace> trace;  ///< for its masks; null: unknown
  bool cross = false;
  Tensor mask{};  ///< of a layer of a file, 1 = may attend; undefined: none
};
/// Whether --layers names a stack: encoder, decoder, cross.
bool is_stack(const std::string& word);
/// Throws the SettingError of --layers where there are none.
[[noreturn]] void no_layers(const ExportOptions& options);
/// All layers of the stage, or those of the stack that the options name. Throws SettingError if there are none.
std::vector<DrawnLayer> layers_drawn(const Trace& trace, const ExportOptions& options);

/// The figure of one head with these options, to be drawn again with other numbers.
FigureSpec figure_of_one(const Trace& trace, ExportOptions options);
/// Makes the colours span the numbers of all panels, or with RangeMode::head those of each panel. A range that the user
/// gave stays.
void span_numbers(FigureSpec& spec, const ExportOptions& options, RangeMode mode = RangeMode::stage);

/// Whether the options ask for a matrix computed from all layers, instead of each layer.
bool takes_layers_together(const ExportOptions& options);
struct JoinedLayers {
  Tensor matrix;  ///< [n, n]
  std::string title, formula;
  std::vector<std::string> layers;
  std::vector<Tensor> means;  ///< for each layer, the mean over its heads: [n, n]
};
/// Rollout or flow. Throws SettingError if it cannot be computed.
JoinedLayers join_layers(const Trace& trace, const ExportOptions& options);

/// Throws SettingError for a batch entry that does not exist.
void check_batch(Index batch, Index count);
/// The options of a pass with the trace's knocked-out heads and its change of the selected layer.
RunOptions as_asked(const Trace& trace);
/// The trace's pass if it was complete, otherwise a complete pass with the same change of the selected layer.
std::shared_ptr<const NetworkRun> whole_pass(const Trace& trace, bool summaries, bool logits = false);

/// Whether the options ask for something other than attention: "experts", the shares of each layer's experts for each
/// word; "kept", what the step for the next word reads of each layer and position (core/compute/network/key_cache.h).
bool takes_network(const ExportOptions& options);
/// Throws SettingError if the network has none.
FigureSpec network_figure(const Trace& trace, const ExportOptions& options);
/// [layers, n, experts] with shares, or [layers, n] with bytes.
NamedArray network_array(const Trace& trace, const ExportOptions& options);

/// The axes that are left, as --axes says them, and their sizes.
struct NamedAxes {
  std::string letters;
  Shape sizes;
};
/// Takes the axes of options.over together; `spec` is the figure without it. Returns the shape of the numbers that are
/// left. Throws SettingError.
NamedAxes take_together(FigureSpec& spec, const ExportOptions& options);
/// The numbers of the figure's panels as they are drawn: [panels, rows, cols] or, for one panel, [rows, cols]. In reach
/// and side-by-side, NaN for a cell without a number.
NamedArray figure_numbers(const Trace& trace, const ExportOptions& options);

/// The numbers of these figures: [L, H, rows, cols] for all layers, [n, n] for a matrix computed from all layers.
NamedArray layers_array(const Trace& trace, const ExportOptions& options);

// Pictures other than a stage's own heatmap: arcs between words, the difference of two heads, and the effect of a mask.

/// The picture of style.kind. Throws SettingError if the cut has no such picture (no mask, not two heads), and
/// whatever stage_figure() throws.
FigureSpec figure_of(const StageCut& cut, const StageFigureStyle& style);

/// Throws SettingError if the options ask for something other than a row over a picture.
void check_overlay(const Trace& trace, const ExportOptions& options);

/// Turns `spec`, heatmaps of queries by keys with the same options, into overlays: the row of options.query of each
/// panel, over the picture. If the panels are of one layer, the picture itself comes first. Throws SettingError.
void lay_over_picture(FigureSpec& spec, const Trace& trace, const ExportOptions& options);

/// The numbers of an overlay's panels: [panels, rows, cols] over patches, or [rows, cols] for one panel.
NamedArray overlay_array(const FigureSpec& spec, const ExportOptions& options);

// Figures of a network's predictions: the prediction after each block (lens), the parts of a word's logit (why), and
// its change with another text's states (patch). The numbers are from core/compute/network/logit_parts.h.

/// Whether it is lens, why or patch.
bool is_of_prediction(PictureKind kind);
/// Throws SettingError if the network predicts nothing, and for unsuitable words and texts.
FigureSpec prediction_figure(const Trace& trace, const ExportOptions& options);

/// As CSV. lens: block, position, the word there, the most probable next word, its probability, and the probability of
/// the network's final prediction. why: layer, what, head and value of each part. patch: patch_array().
std::string prediction_csv(const Trace& trace, const ExportOptions& options);
/// The effect of each patch: [layers, positions], or [layers, heads] with NaN for layers with fewer heads.
NamedArray patch_array(const Trace& trace, const ExportOptions& options);

/// What a figure's file says of it: "model:english · layer 2 · head 1 · batch entry 0 of 2 · text: the girl looked at"
std::string about_figure(const Trace& trace, const ExportOptions& options);
/// The numbers that the options choose; not for lens and why, which are tables of words. Throws SettingError.
NamedArray chosen_numbers(const Trace& trace, const ExportOptions& options);

}  // namespace headlight
