// A stage of every layer as one figure: layers as rows, heads as columns, one scale; or rollout and flow over layers.
#pragma once

#include <memory>

#include "core/export/export_options.h"

namespace headlight {

struct NetworkRun;

/// The figure that the options ask for: for one layer (core/export/figure_kinds.h), or with ExportOptions::layers for
/// all. The trace must live until it is drawn. Throws SettingError, FileError.
FigureSpec figure_for(const Trace& trace, const ExportOptions& options);

/// One drawn layer.
struct DrawnLayer {
  std::string name;                    ///< "3", "cross.0"
  Tensor values;                       ///< [B, H, rows, cols]
  std::shared_ptr<const Trace> trace;  ///< has the masks that are drawn; null: none are known
  bool cross = false;
};
/// The stage in all layers, or in those of the stack that the options name. Throws SettingError if there are none.
std::vector<DrawnLayer> layers_drawn(const Trace& trace, const ExportOptions& options);

/// Whether the options ask for rollout or flow, not for each layer.
bool takes_layers_together(const ExportOptions& options);
struct JoinedLayers {
  Tensor matrix;  ///< [n, n]
  std::string title, formula;
  std::vector<std::string> layers;
  std::vector<Tensor> means;  ///< for each layer: [n, n], over its heads
};
/// Rollout or flow. Throws SettingError if it cannot be computed.
JoinedLayers join_layers(const Trace& trace, const ExportOptions& options);

/// The trace's pass if it is complete, else a complete one with the same change of the chosen layer.
std::shared_ptr<const NetworkRun> whole_pass(const Trace& trace, bool summaries, bool logits = false);

/// Whether the options ask for a figure that is not of attention: "experts", each word's shares of the experts of each
/// layer; "kept", what the next word reads from each layer and position (core/network/decode_step.h).
bool takes_network(const ExportOptions& options);
/// Throws SettingError where the network has none.
FigureSpec network_figure(const Trace& trace, const ExportOptions& options);
/// [layers, n, experts] for shares, or [layers, n] for bytes.
NamedArray network_array(const Trace& trace, const ExportOptions& options);

/// The contents of a lens figure as CSV: block, position, the word there, the most probable next word, its probability,
/// and the probability of the network's final prediction. Throws SettingError.
std::string lens_table(const Trace& trace, const ExportOptions& options);

/// The numbers of the figure: [L, H, rows, cols] for all layers, [n, n] for rollout and flow.
NamedArray layers_array(const Trace& trace, const ExportOptions& options);

}  // namespace headlight
