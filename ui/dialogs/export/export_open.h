// What the export dialog offers for each view. A row of ui/views/registry.cpp names the view's function.
#pragma once

#include "ui/base/document/document.h"

namespace headlight {

/// A stage as a figure, in the view's batch entry and head.
void begin_export(ExportChoice& choice, Stage stage, const View& view, const Trace& trace);
/// The selected stage; if nothing is selected, the weights, or the first stage of a trace without weights.
void begin_export(ExportChoice& choice, const View& view, const Trace& trace);
void show_export_dialog(View& view);

void offer_level(ExportChoice& choice, const View& view, const Trace& trace, const OwnSource* own);
void offer_heads(ExportChoice& choice, const View& view, const Trace& trace, const OwnSource* own);
void offer_network(ExportChoice& choice, const View& view, const Trace& trace, const OwnSource* own);
/// The visible part of the map, in whole cells.
void offer_map(ExportChoice& choice, const View& view, const Trace& trace, const OwnSource* own);
/// The picture of each sheet of the mask view: for the patterns the mask, for the conventions the view.
void offer_masks(ExportChoice& choice, const View& view, const Trace& trace, const OwnSource* own);
void offer_comparison(ExportChoice& choice, const View& view, const Trace& trace, const OwnSource* own);
/// A picture of the window.
void offer_window(ExportChoice& choice, const View& view, const Trace& trace, const OwnSource* own);

}  // namespace headlight
