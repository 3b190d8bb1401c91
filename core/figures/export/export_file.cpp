// Which part of a trace is exported, and to which files.

#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/files/whole_file.h"
#include "core/base/tensor/error.h"
#include "core/base/tensor/memory.h"
#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"
#include "core/base/text/utf8_path.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/run/contributions.h"
#include "core/figures/export/export_options.h"
#include "core/figures/export/layers_figure.h"
#include "core/figures/export/needs.h"
#include "core/figures/figure/figure.h"
#include "core/scenario/inputs/inputs.h"
#include "core/scenario/inputs/tensor_file.h"
#include "core/scenario/settings/settings_table.h"

namespace headlight {
namespace {

/// The parts with " · " between them; empty parts are left out.
std::string dotted(std::initializer_list<std::string> parts) {
  std::string all;
  for (const std::string& part : parts) {
    if (!part.empty()) (all += all.empty() ? "" : " · ") += part;
  }
  return all;
}

std::string heads_text(const Trace& trace, const ExportOptions& options) {
  if (!has_head_axis(options.stage) || is_of_prediction(options.style.kind)) return "";
  if (takes_layers_together(options)) return options.layers;
  const bool layers = !options.layers.empty();
  const std::string of = layers ? "layers " + options.layers + " · " : std::string();
  if (options.pool != HeadPool::none)
    return of + (options.pool == HeadPool::mean ? "mean of the heads" : "largest of the heads");
  const bool all = options.all_heads || (layers && !options.said_heads);
  if (all) return of + (layers ? "all heads" : "heads 0 to " + std::to_string(trace[options.stage].size(1) - 1));
  return of + (options.heads.size() > 1 ? "heads " : "head ") +
         comma_list(options.heads, [](Index head) { return std::to_string(head); });
}

/// The words of the batch entry, or the name of their source.
std::string input_text(const Trace& trace, Index batch) {
  const Scenario& scenario = trace.scenario;
  const bool weights = trace.inputs.random_parameters, input = trace.inputs.random_inputs;
  const bool reads = scenario.source == Source::text || scenario.text_as_input || network_of(trace.inputs);
  std::string text = reads ? scenario.text : std::string();
  for (Index line = 0; line < batch && !text.empty(); ++line)
    text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);
  text = text.substr(0, text.find('\n'));
  return dotted({weights ? "random weights" : "", input ? "random input" : "",
                 weights || input ? "seed " + std::to_string(scenario.seed) : "",
                 scenario.image.empty() ? "" : "picture: " + std::string(file_name_of(scenario.image)),
                 text.empty() || input ? "" : "text: " + text});
}

}  // namespace

std::string about_figure(const Trace& trace, const ExportOptions& options) {
  const bool one = options.layers.empty() && !is_of_prediction(options.style.kind);
  const std::string layer = one ? layer_shown(trace) : "";
  const Index batch = trace.dims().batch;
  const bool one_of_several = batch > 1 && !is_parameter(options.stage);
  return dotted({std::string(file_name_of(trace.scenario.file)), layer.empty() ? "" : "layer " + layer,
                 heads_text(trace, options),
                 one_of_several ? "batch entry " + std::to_string(options.batch) + " of " + std::to_string(batch) : "",
                 input_text(trace, options.batch)});
}

namespace {

void check_within(const char* option, Index value, Index count) {
  if (value >= 0 && value < count) return;
  throw SettingError(option, Message("{0} is out of range", value),
                     count == 1 ? Message("expected 0") : Message("expected 0 to {0}", count - 1));
}

/// Throws SettingError if the array is more than such a file holds.
void check_holds(const ArrayFormat& format, const NamedArray& array, const ExportOptions& options) {
  const MatrixView first = array.values.matrix();
  if (format.capacity != Capacity::one_matrix || array.values.count() == first.rows * first.cols) return;
  if (options.style.kind == PictureKind::side_by_side)
    throw SettingError("--kind",
                       Message("three matrices cannot be written as {0}, which holds one", std::string(format.ending)),
                       "expected .npy");
  if (options.layers.empty()) {
    throw SettingError(
        "--head", Message("several heads cannot be written as {0}, which holds one matrix", std::string(format.ending)),
        "expected one head, or .npy");
  }
  throw SettingError("--layers",
                     Message("several matrices cannot be written as {0}, which holds one", std::string(format.ending)),
                     Message("expected {0}", alternatives(number_endings(Capacity::one_array))));
}

void write_numbers(const Trace& trace, const ExportOptions& options, const ArrayFormat& format,
                   const std::filesystem::path& path) {
  const PictureKind kind = options.style.kind;
  if (is_of_prediction(kind) && format.ending == std::string_view(".csv"))
    return write_whole_file(path, prediction_csv(trace, options));
  if (kind == PictureKind::lens || kind == PictureKind::why) {
    throw SettingError("--kind",
                       kind == PictureKind::lens ? "a lens is words and no array" : "parts have names and are no array",
                       "expected a figure or .csv");
  }
  const NamedArray array = chosen_numbers(trace, options);
  check_holds(format, array, options);
  format.write(path, std::array{array});
}

/// Whether a page of weights can also show contribution_norms.
bool can_add_contributions(const Trace& trace, const ExportOptions& options) {
  const bool layers = options.layers == "all" || options.layers == "encoder" || options.layers == "decoder";
  const PictureKind kind = options.style.kind;
  const bool of_weights = kind == PictureKind::heatmap || kind == PictureKind::arcs || kind == PictureKind::overlay;
  return of_weights && options.over.empty() && options.stage == Stage::weights &&
         (options.layers.empty() || (layers && network_of(trace.inputs))) && options.pool == HeadPool::none &&
         !trace[Stage::weights].source() && can_contribute(trace);
}

/// A figure for a page, without the panel of the picture alone: the page has a slider.
FigureSpec page_figure(const Trace& trace, const ExportOptions& options) {
  FigureSpec spec = figure_for(trace, options);
  std::erase_if(spec.panels, [](const FigurePanel& panel) { return panel.opacity == 0; });
  return spec;
}

std::vector<Message> write_page(const Trace& trace, const ExportOptions& options, const std::filesystem::path& path) {
  const FigureSpec spec = page_figure(trace, options);
  const bool wanted = can_add_contributions(trace, options);
  const bool small_enough = 2 * html_numbers(spec) <= most_html_numbers || options.layers.empty();
  std::optional<FigureSpec> contributions;
  if (wanted && small_enough) {
    ExportOptions other = options;
    other.stage = Stage::contribution_norms;
    contributions = page_figure(trace, other);
  }
  const bool fits = contributions && contributions->panels.size() == spec.panels.size();
  write_whole_file(path, html_figure(spec, measure_name(options), fits ? &*contributions : nullptr));
  if (small_enough || !wanted) return {};
  return {"what arrives (contribution_norms of so many heads would make the page twice as large)"};
}

std::vector<Message> write_figure(const Trace& trace, const ExportOptions& options, const std::string& extension,
                                  const std::filesystem::path& path) {
  if (extension == ".html") return write_page(trace, options, path);
  const FigureSpec spec = figure_for(trace, options);
  ArrangedFigure figure(spec);
  const std::string about = about_figure(trace, options);
  if (extension == ".svg") write_whole_file(path, figure.svg(options.svg_text, about));
  else if (extension == ".pdf") write_whole_file(path, figure.pdf(about));
  else write_whole_file(path, figure.png(about));
  return spec.size || spec.values ? figure.left_out() : std::vector<Message>{};
}

}  // namespace

std::string extension_of(const std::string& path) {
  const std::size_t dot = path.find_last_of('.');
  if (dot == std::string::npos || path.find_last_of("/\\") + 1 > dot + 1) return "";
  return lowercase(path.substr(dot));
}

std::vector<const char*> figure_endings() {
  std::vector<const char*> endings{".png", ".svg", ".pdf", ".html"};
  if (!PdfCanvas::is_available()) std::erase(endings, std::string_view(".pdf"));
  return endings;
}

std::vector<const char*> export_endings() {
  std::vector<const char*> endings = figure_endings();
  for (const char* ending : number_endings()) endings.push_back(ending);
  return endings;
}

Message expected_ending(std::span<const char* const> endings) {
  return {"expected a name that ends in {0}", alternatives(endings)};
}

void check_export_name(const std::string& path) {
  const std::string extension = extension_of(path);
  if (is_figure_file(extension) || array_format(extension)) return;
  throw FileError(path, "this kind of file cannot be written", expected_ending(export_endings()));
}

bool is_figure_file(std::string_view extension) {
  const auto endings = figure_endings();
  return std::ranges::find(endings, extension) != endings.end() || extension == ".pdf";  // refused with its reason
}

std::optional<Trace> with_contribution_norms(const Trace& trace, const ExportOptions& options) {
  if (options.stage != Stage::contribution_norms || trace.has(options.stage)) return {};
  Trace with = trace;
  with.contributions = contribution_norms(trace);
  if (options.shares) with.contributions = row_shares(with.contributions);
  return with;
}

StageCut cut_of(const ExportOptions& options, const Trace& trace) {
  const Stage stage = options.stage;
  if (!trace.has(stage)) {
    throw SettingError(
        "--stage", Message("{0} is not part of this computation", std::string(name(stage))),
        Message("expected one of {0}", comma_list(trace.stages(), [](Stage each) { return name(each); })));
  }
  check_within("--batch", options.batch, is_parameter(stage) ? 1 : trace.dims().batch);
  const MatrixView whole = trace[stage].matrix(options.batch, 0);
  slice_within(options.rows, whole.rows, "--rows");
  slice_within(options.cols, whole.cols, "--cols");
  const HeadPool pool = has_head_axis(stage) ? options.pool : HeadPool::none;
  if (options.all_heads && pool == HeadPool::none) {
    StageCut cut = all_heads(trace, stage, options.batch);
    cut.rows = options.rows, cut.cols = options.cols;
    return cut;
  }
  if (pool != HeadPool::none) return {trace, stage, options.batch, {0}, false, options.rows, options.cols, pool};
  StageCut cut{trace, stage, options.batch, options.heads, options.heads.size() > 1, options.rows, options.cols};
  for (const Index head : cut.heads) check_within("--head", head, has_head_axis(stage) ? trace[stage].size(1) : 1);
  return cut;
}

NamedArray chosen_numbers(const Trace& trace, const ExportOptions& options) {
  const PictureKind kind = options.style.kind;
  const bool of_mask = kind == PictureKind::reach || kind == PictureKind::blocks || kind == PictureKind::side_by_side;
  if (kind == PictureKind::difference || of_mask || !options.over.empty()) return figure_numbers(trace, options);
  if (kind == PictureKind::overlay) return overlay_array(figure_for(trace, options), options);
  if (kind == PictureKind::patch) return patch_array(trace, options);
  if (!options.layers.empty()) return layers_array(trace, options);
  check_needs(trace, options, ".npy");
  const StageCut cut = cut_of(options, trace);
  NamedArray array = stage_array(cut);
  array.name = measure_name(options);
  return array;
}

std::vector<Message> write_export(const Trace& trace, const ExportOptions& options, const std::string& path) {
  check_export_name(path);
  const std::string extension = extension_of(path);
  check_needs(trace, options, extension);
  if (const std::optional<Trace> own = with_contribution_norms(trace, options))
    return write_export(*own, options, path);
  if (is_figure_file(extension)) return write_figure(trace, options, extension, path_from(path));
  write_numbers(trace, options, *array_format(extension), path_from(path));
  return {};
}

}  // namespace headlight
