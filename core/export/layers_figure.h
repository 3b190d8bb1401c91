// A stage of every layer as one figure: layers as rows, heads as columns, one scale; or what the layers give together.
#pragma once

#include <memory>

#include "core/export/export_options.h"

namespace headlight {

struct NetworkRun;
struct RunOptions;

/// The figure that the options ask for: of one layer (core/export/figure_kinds.h), or with ExportOptions::layers of
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

/// A pass with the heads that the trace leaves out and its change of the layer looked at.
RunOptions as_asked(const Trace& trace);
/// The trace's pass where it went to its end, else another that does, with the same change of the layer looked at.
std::shared_ptr<const NetworkRun> whole_pass(const Trace& trace, bool summaries, bool logits = false);

/// Whether the options take what is no attention: "experts", the shares that each word gave to the experts of each
/// layer; "kept", what the step for the next word reads of each layer and position (core/network/decode_step.h).
bool takes_network(const ExportOptions& options);
/// Throws SettingError where the network has none.
FigureSpec network_figure(const Trace& trace, const ExportOptions& options);
/// [layers, n, experts] of shares, or [layers, n] of bytes.
NamedArray network_array(const Trace& trace, const ExportOptions& options);

/// The numbers of the same: [L, H, rows, cols] for all layers, [n, n] of what they give together.
NamedArray layers_array(const Trace& trace, const ExportOptions& options);

}  // namespace headlight
