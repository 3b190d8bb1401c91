// A stage of every layer as one figure: layers as rows, heads as columns, one scale; or what the layers give together.
#pragma once

#include <memory>
#include <string>

#include "core/export/export_options.h"
#include "core/export/stage_figure.h"

namespace headlight {

struct NetworkRun;
struct RunOptions;

/// The figure that the options ask for: of one layer (figure_of()), or with ExportOptions::layers of
/// all. The trace must live until it is drawn. Throws SettingError, FileError.
FigureSpec figure_for(const Trace& trace, const ExportOptions& options);

/// One layer of what is drawn.
struct DrawnLayer {
  std::string name;                    ///< "3", "cross.0"
  Tensor values;                       ///< [B, H, rows, cols]
  std::shared_ptr<const Trace> trace;  ///< whose masks are drawn; null: none are known
  bool cross = false;
};
/// All layers of the stage, or those of the stack that the options name. Throws SettingError where there are none.
std::vector<DrawnLayer> layers_drawn(const Trace& trace, const ExportOptions& options);

/// The figure of one head as the options say it, to be drawn over with other numbers.
FigureSpec figure_of_one(const Trace& trace, ExportOptions options);
/// The colours span the numbers of all panels, or with RangeMode::head those of each, unless a person said a range.
void span_numbers(FigureSpec& spec, const ExportOptions& options, RangeMode mode = RangeMode::stage);

/// Whether the options take what the layers give together, in place of each.
bool takes_layers_together(const ExportOptions& options);
struct JoinedLayers {
  Tensor matrix;  ///< [n, n]
  std::string title, formula;
  std::vector<std::string> layers;
  std::vector<Tensor> means;  ///< a layer each: [n, n], over its heads
};
/// Rollout or flow. Throws SettingError where there is none.
JoinedLayers join_layers(const Trace& trace, const ExportOptions& options);

/// Throws SettingError for a batch entry that is not there.
void check_batch(Index batch, Index count);
/// A pass with the heads that the trace leaves out and its change of the layer looked at.
RunOptions as_asked(const Trace& trace);
/// The trace's pass where it went to its end, else another that does, with the same change of the layer looked at.
std::shared_ptr<const NetworkRun> whole_pass(const Trace& trace, bool summaries, bool logits = false);

/// Whether the options take what is no attention: "experts", the shares that each word gave to the experts of each
/// layer; "kept", what the step for the next word reads of each layer and position (core/network/key_cache.h).
bool takes_network(const ExportOptions& options);
/// Throws SettingError where the network has none.
FigureSpec network_figure(const Trace& trace, const ExportOptions& options);
/// [layers, n, experts] of shares, or [layers, n] of bytes.
NamedArray network_array(const Trace& trace, const ExportOptions& options);

/// The numbers of the same: [L, H, rows, cols] for all layers, [n, n] of what they give together.
NamedArray layers_array(const Trace& trace, const ExportOptions& options);

// The pictures besides a stage's own heatmap: arcs between words, the difference of two heads, and what a mask does.

/// The picture of style.kind. Throws SettingError if the cut has no such picture (no mask, not two heads), and
/// whatever stage_figure() throws.
FigureSpec figure_of(const StageCut& cut, const StageFigureStyle& style);

/// Throws SettingError where the options ask for what is no row over a picture.
void check_overlay(const Trace& trace, const ExportOptions& options);

/// Makes overlays of `spec`, the same options' heatmaps of queries by keys: each panel's row of options.query, over the
/// picture, which stands before them where they are of one layer. Throws SettingError.
void lay_over_picture(FigureSpec& spec, const Trace& trace, const ExportOptions& options);

/// The numbers of an overlay's panels: [panels, rows, cols] of patches, or [rows, cols] of one.
NamedArray overlay_array(const FigureSpec& spec, const ExportOptions& options);

// Figures of what a network predicts: what it would say after each block (lens), what a word's logit is the sum of
// (why), and how it changes with another text's states (patch). The numbers are those of core/network/logit_parts.h.

/// lens, why or patch.
bool is_of_prediction(PictureKind kind);
/// Throws SettingError where the network predicts nothing, and for words and texts that do not fit.
FigureSpec prediction_figure(const Trace& trace, const ExportOptions& options);

/// As CSV: of a lens block, position, the word there, the most probable next one, its probability and that of the word
/// that the network ends with; of why layer, what, head, value of each part; of patch patch_array().
std::string prediction_csv(const Trace& trace, const ExportOptions& options);
/// What each patch changes: [layers, positions], or [layers, heads], NaN where a layer has fewer.
NamedArray patch_array(const Trace& trace, const ExportOptions& options);

/// The numbers of what the options choose; not of lens and why, which are tables of words. Throws SettingError.
NamedArray chosen_numbers(const Trace& trace, const ExportOptions& options);

}  // namespace headlight
