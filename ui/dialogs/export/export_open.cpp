// What the export dialog opens on: each view's own picture.
#include "ui/dialogs/export/export_open.h"

#include <algorithm>

#include "core/base/files/whole_file.h"
#include "core/base/text/utf8_path.h"
#include "core/compute/network/head_overview.h"
#include "core/compute/network/logit_parts.h"
#include "core/rules/stage/stage.h"
#include "core/scenario/inputs/inputs.h"
#include "ui/base/document/view.h"
#include "ui/base/document/wanted.h"
#include "ui/dialogs/export/export_file.h"
#include "ui/views/sentence/sentence.h"

namespace headlight {
namespace {

Index head_of(Stage stage, const View& view, const Trace& trace) {
  return has_head_axis(stage) ? view.head / heads_per(trace, stage) : 0;
}

}  // namespace

void begin_export(ExportChoice& choice, Stage stage, const View& view, const Trace& trace) {
  ExportOptions& options = choice.options;
  if (stage != options.stage) options.style.title.reset();
  options.stage = stage;
  options.batch = is_parameter(stage) ? 0 : view.batch;
  options.heads = {head_of(stage, view, trace)};
  options.all_heads = options.said_heads = false;
  options.pool = HeadPool::none;
  options.rows = options.cols = {};
  options.layers.clear();
  options.style.kind = PictureKind::heatmap;
  options.query.clear();
  options.style.other_file.clear();
  options.style.other_mask.clear();
  options.gradient = trace.gradients_of != nullptr;
  options.loss = options.gradient ? view.loss.value_or(std::string()) : std::string();
  if (choice.kind == ExportKind::window) choice.kind = ExportKind::figure;
}

void begin_export(ExportChoice& choice, const View& view, const Trace& trace) {
  const Stage first = trace.has(Stage::weights) ? Stage::weights : trace.stages().front();
  begin_export(choice, view.selected && trace.has(*view.selected) ? view.selected->stage : first, view, trace);
}

void offer_heads(ExportChoice& choice, const View& view, const Trace& trace, const OwnSource*) {
  const HeadsChoice& heads = view.heads;
  begin_export(choice, heads.stage, view, trace);
  if (heads.isolated) choice.options.heads = {*heads.isolated};
  else if (!heads.heads.empty()) choice.options.heads = heads.heads;
  else choice.options.all_heads = true;
}

/// The picture of each sheet of the mask view: for the patterns the mask, for the conventions the view.
void offer_masks(ExportChoice& choice, const View& view, const Trace& trace, const OwnSource*) {
  begin_export(choice, view, trace);
  StageFigureStyle& style = choice.options.style;
  const MaskLab& lab = view.mask_lab;
  const bool can = trace.has(Stage::weights);
  if (lab.tab == MaskTab::patterns && trace.has(Stage::mask)) begin_export(choice, Stage::mask, view, trace);
  if (lab.tab == MaskTab::reach && can && trace.dims().n_q == trace.dims().n_k) style.kind = PictureKind::reach;
  if (lab.tab == MaskTab::cost && can) {
    style.kind = PictureKind::blocks;
    style.block = lab.block ? std::optional<Index>(*lab.block) : std::nullopt;
  }
  if (lab.tab == MaskTab::side_by_side && can) {
    style.kind = PictureKind::side_by_side;
    style.other_mask = second_mask(lab, trace.scenario);
  }
  if (lab.tab == MaskTab::conventions) choice.kind = ExportKind::window;
}

void offer_network(ExportChoice& choice, const View& view, const Trace& trace, const OwnSource*) {
  if (!trace.overview || trace.overview->layers.size() < 2) return begin_export(choice, view, trace);
  const HeadOverview& overview = *trace.overview;
  begin_export(choice, trace.has(Stage::weights) ? Stage::weights : trace.stages().front(), view, trace);
  ExportOptions& options = choice.options;
  const NetworkChoice& shown = view.network;
  options.batch = view.batch;
  switch (shown.together) {
    case LayersTogether::lens: options.style.kind = PictureKind::lens; return;
    case LayersTogether::patch:
      if (shown.patch_from.empty()) break;
      options.style.kind = PictureKind::patch;
      options.from = shown.patch_from;
      options.word = shown.patch_word;
      options.what = name(static_cast<Patch::What>(shown.patched));
      return;
    case LayersTogether::study: choice.kind = ExportKind::window; return;
    case LayersTogether::experts: options.layers = "experts"; return;
    case LayersTogether::writing: options.layers = "kept"; return;
    default: break;
  }
  const bool rollout = shown.together == LayersTogether::rollout, flow = shown.together == LayersTogether::flow;
  const Index last = std::ssize(overview.layers) - 1;
  options.layers = rollout ? "rollout:" : flow ? "flow:" : "all";
  if (options.layers.ends_with(':'))
    options.layers +=
        overview
            .layers[static_cast<std::size_t>(std::clamp<Index>(view.network.layer.value_or(overview.chosen), 0, last))]
            .layer;
  options.pool = view.network.together == LayersTogether::mean ? HeadPool::mean : HeadPool::none;
  options.all_heads = options.pool == HeadPool::none;
}

void offer_level(ExportChoice& choice, const View& view, const Trace& trace, const OwnSource*) {
  begin_export(choice, view, trace);
  const Level level = level_shown(view);
  if (level == Level::sentence && trace.has(Stage::weights) && !trace.inputs.key_tokens.empty()) {
    begin_export(choice, Stage::weights, view, trace);
    const auto run = network_of(trace.inputs);
    const bool picture = run && run->network->spec().picture;
    choice.options.style.kind = picture ? PictureKind::overlay : PictureKind::arcs;
    const auto& tokens = trace.inputs.query_tokens[static_cast<std::size_t>(view.batch)];
    if (picture) choice.options.query = tokens[static_cast<std::size_t>(asking_word(trace, view))];
  }
  if (level != Level::operation) return;
  if (view.levels.facet != Facet::step) choice.kind = ExportKind::window;
  else if (trace.has(view.levels.stage)) begin_export(choice, view.levels.stage, view, trace);
}

void offer_map(ExportChoice& choice, const View& view, const Trace& trace, const OwnSource*) {
  if (trace.has(view.map.stage)) begin_export(choice, view.map.stage, view, trace);
  else begin_export(choice, view, trace);
  const std::optional<MapRegion> region = view.kind == ViewKind::map ? whole_region(view) : std::nullopt;
  if (!region) return;
  choice.options.rows = {static_cast<Index>(region->q0), static_cast<Index>(region->q1)};
  choice.options.cols = {static_cast<Index>(region->k0), static_cast<Index>(region->k1)};
}

void offer_comparison(ExportChoice& choice, const View& view, const Trace& trace, const OwnSource* own) {
  if (!own || own->path.empty()) return offer_window(choice, view, trace, own);
  if (view.beside) begin_export(choice, *view.beside, view, trace);
  else begin_export(choice, view, trace);
  choice.options.style.kind = PictureKind::difference;
  choice.options.style.other_file = own->path;
}

void offer_window(ExportChoice& choice, const View& view, const Trace& trace, const OwnSource*) {
  begin_export(choice, view, trace);
  choice.kind = ExportKind::window;
}

void show_export_dialog(View& view) {
  ExportChoice& choice = view.exporting;
  view.dialog = Dialog::exporting;
  choice.path.reset();
  choice.problem.clear();
  choice.saved.clear();
  choice.folder = utf8_from(writable_folder("Pictures"));
}

void open_export_dialog_on(const Cell& cell, View& view, const Trace& trace) {
  begin_export(view.exporting, cell.stage, view, trace);
  view.exporting.options.batch = cell.batch;
  view.exporting.options.heads = {has_head_axis(cell.stage) ? cell.head : 0};
  show_export_dialog(view);
}

}  // namespace headlight
