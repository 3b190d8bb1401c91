#include <algorithm>
#include <cassert>
#include <filesystem>

#include "core/base/arrays/array_file.h"
#include "core/base/files/error_place.h"
#include "core/base/tensor/each_matrix.h"
#include "core/base/tensor/error.h"
#include "core/base/text/utf8_path.h"
#include "core/compute/network/network_trace.h"
#include "core/figures/export/layers_figure.h"
#include "core/rules/mask/evaluate.h"
#include "core/rules/mask/expression.h"
#include "core/rules/mask/statistics.h"
#include "core/scenario/documents/lesson.h"
#include "core/scenario/documents/open_source.h"
#include "core/teaching/diagnosis/own_stages.h"

namespace headlight {
namespace {

/// The name of a file or folder without its path; slashes at the end are ignored.
std::string file_in_title(std::string_view file) {
  while (file.size() > 1 && file.ends_with('/')) file.remove_suffix(1);
  return std::string(file_name_of(file));
}

/// The mask that applies to the cut, 1 = may attend; all 1 without a mask.
Tensor mask_of(const StageCut& cut, Index head) {
  const StageCut scores{cut.trace, Stage::weights, cut.batch, {head}, false, cut.rows, cut.cols};
  if (!cut.trace.has(Stage::weights)) throw SettingError("--kind", "this computation has no mask", "expected heatmap");
  const MatrixView like = scores.matrix(head);
  const CellMasks masks = scores.masks(head);
  return from_cells(like.rows, like.cols, [&](Index row, Index col) {
    return !masks.allowed || (*masks.allowed)(row, col) != 0 ? 1.0f : 0.0f;
  });
}

/// A figure with one panel that owns its matrix, with the words of queries and keys.
FigureSpec figure_of_tensor(const StageCut& cut, const StageFigureStyle& style, Tensor cells,
                            const std::string& title) {
  StageFigureStyle own = style;
  own.range = {};
  own.own_norm = true;  // none is chosen for the weights
  StageCut weights{cut.trace, Stage::weights, cut.batch, {cut.heads.front()}, false, cut.rows, cut.cols};
  FigureSpec spec = stage_figure(weights, own);
  if (!style.title) spec.title = title, spec.keep_title = true;
  spec.subtitle.clear();
  spec.kept.push_back(std::move(cells));
  spec.panels = {{spec.kept.back().matrix(), {}, "", {}}};
  return spec;
}

Tensor less(const MatrixView& b, const MatrixView& a) {
  return from_cells(a.rows, a.cols, [&](Index row, Index col) { return b(row, col) - a(row, col); });
}

/// The stage from another file: an array with its name, else computed from the file with the same settings.
Tensor stage_of(const std::string& file, const StageCut& cut) {
  const Tensor& mine = cut.tensor();
  const auto fit = [&](const Tensor& other_values) {
    if (other_values.shape() == mine.shape()) return other_values;
    throw FileError(file,
                    Message("its {0} has shape {1}", std::string(name(cut.stage)), to_string(other_values.shape())),
                    Message("expected {0}, as the first file's", to_string(mine.shape())));
  };
  const bool is_scenario = file.ends_with(".json");
  if (!is_scenario && !std::filesystem::is_directory(path_from(file)) &&
      open_arrays(path_from(file))->find(name(cut.stage))) {
    const OwnStages own = read_own_stages(file, cut.trace);
    const OwnStage* found = own.find(cut.stage);
    if (found && !found->fits)
      throw FileError(file,
                      found->reading.plain() ? Message("its {0} has another shape", std::string(name(cut.stage)))
                                             : Message(translated_error(found->reading)),
                      Message("expected {0}", to_string(mine.shape())));
    if (found) return fit(found->values);
  }
  Scenario scenario = cut.trace.scenario;
  if (is_scenario) {
    scenario = open_source(file).scenario;
  } else {
    scenario.source = Source::file;
    scenario.file = file;
  }
  const auto other_values = compute_any(scenario);
  if (!other_values->has(cut.stage))
    throw FileError(file, Message("gives no {0}", std::string(name(cut.stage))), "expected the stage that is drawn");
  return fit((*other_values)[cut.stage]);
}

/// The title and colours of a difference. Unless the user gave a range, it is that of the differences.
void style_difference(FigureSpec& spec, const StageFigureStyle& style, RangeMode mode, const std::string& title) {
  if (!style.title) spec.title = title, spec.keep_title = true;
  spec.subtitle.clear();
  spec.palette = Palette::diverging;
  if (style.colormap.empty()) spec.colormap = style.print ? "coolwarm" : "";
  if (!style.own_norm) spec.norm = Norm::linear;
  ExportOptions of_range;
  of_range.style = style;
  span_numbers(spec, of_range, mode);
}

/// The second file (B) minus the first (A), a panel for each head.
FigureSpec difference_of_files(const StageCut& cut, const StageFigureStyle& style) {
  FigureSpec spec = stage_figure(cut, style);
  const Tensor other_values = stage_of(style.other_file, cut);
  if (cut.pool != HeadPool::none)
    throw SettingError("--kind", "a difference of files is of heads as they are", "expected --head all, or numbers");
  for (std::size_t i = 0; i < cut.heads.size(); ++i) {
    const MatrixView part = part_of(other_values.matrix(cut.batch, cut.heads[i]), cut.rows, cut.cols);
    spec.kept.push_back(less(part, cut.matrix(cut.heads[i])));
    spec.panels[i].matrix = spec.kept.back().matrix();
  }
  const std::string& file = cut.trace.scenario.file;
  style_difference(spec, style, RangeMode::stage,
                   title_without_head(cut) + " · " + file_in_title(style.other_file) + " − " +
                       (file.empty() ? "this" : file_in_title(file)));
  return spec;
}

FigureSpec difference(const StageCut& cut, const StageFigureStyle& style) {
  if (!style.other_file.empty()) return difference_of_files(cut, style);
  if (cut.heads.size() != 2)
    throw SettingError("--kind", "a difference is of two heads or of two files",
                       "expected --head I,J or --other-file FILE with it");
  const Index a = cut.heads[0], b = cut.heads[1];
  StageCut first = cut;
  first.grid = false;
  first.heads = {a};
  FigureSpec spec = stage_figure(first, style);
  spec.kept.push_back(less(cut.matrix(b), cut.matrix(a)));
  spec.panels = {{spec.kept.back().matrix(), cut.masks(a), "", {}}};
  style_difference(spec, style, RangeMode::head,
                   title_without_head(cut) + " · head " + std::to_string(b) + " − head " + std::to_string(a));
  return spec;
}

FigureSpec reach_figure(const StageCut& cut, const StageFigureStyle& style) {
  const Tensor mask = mask_of(cut, cut.heads.front());
  // Without self-attention, information moves only once, however many layers there are.
  const bool layered = mask.size(0) == mask.size(1);
  const Index layers = std::min<Index>(64, std::max<Index>(1, mask.size(0) - 1));
  const Tensor first = layered ? first_reach(mask.matrix(), {layers, true}) : mask;
  FigureSpec spec = figure_of_tensor(cut, style, first, "reach: layers until a query hears of a key");
  // Not reached within this number of layers: masked.
  spec.kept.push_back(each_number(first, [](float v) { return v > 0 ? 1.0f : 0.0f; }));
  spec.panels.front().masks.allowed = spec.kept.back().matrix();
  spec.words.masked = "never";
  ExportOptions of_range;
  of_range.style = style;
  span_numbers(spec, of_range, RangeMode::head);
  return spec;
}

FigureSpec blocks_figure(const StageCut& cut, const StageFigureStyle& style) {
  const Tensor mask = mask_of(cut, cut.heads.front());
  const Index block = style.block.value_or(usual_block(mask.size(0)));
  const BlockCounts counts = block_counts(mask, block);
  FigureSpec spec = figure_of_tensor(cut, style, block_cells(mask.matrix(), block),
                                     "blocks of " + std::to_string(block) + ": " + std::to_string(counts.empty) +
                                         " of " + std::to_string(counts.blocks()) + " skipped");
  spec.bar = false;
  spec.panels.front().masks.allowed = spec.panels.front().matrix;
  spec.words.masked = "skipped";
  spec.colormap = "mask blocks";
  spec.range_mode = RangeMode::fixed;
  spec.range = ValueRange{1, 3};
  spec.subtitle.clear();
  spec.categories = {{0.0f, "computed, but masked"}, {0.5f, "computed"}};
  if (counts.full > 0) spec.categories.emplace_back(1.0f, "in a full block");
  return spec;
}

FigureSpec sides(const StageCut& cut, const StageFigureStyle& style) {
  if (style.other_mask.empty())
    throw SettingError("--kind", "side-by-side needs a second mask", "expected --other-mask EXPR with it");
  const Tensor a = mask_of(cut, cut.heads.front());
  const MatrixView whole = cut.trace[Stage::weights].matrix(cut.batch, 0);
  MaskContext context;
  context.n_q = whole.rows, context.n_k = whole.cols;
  context.grid = cut.trace.inputs.grid;
  const Tensor b = evaluate(MaskExpression::parse(style.other_mask), context);
  const MatrixView in_a = a.matrix(), in_b = part_of(b.matrix(), cut.rows, cut.cols);
  Index only_a = 0, only_b = 0;
  const Tensor in_either = from_cells(in_a.rows, in_a.cols, [&](Index row, Index col) {
    only_a += in_a(row, col) > in_b(row, col), only_b += in_b(row, col) > in_a(row, col);
    return std::max(in_a(row, col), in_b(row, col));
  });
  const std::string mask = cut.trace.scenario.mask.empty() ? "the mask in force" : cut.trace.scenario.mask;
  FigureSpec spec = figure_of_tensor(cut, style, less(in_b, in_a),  // −1: only A, 0: both, 1: only B
                                     "masks A: " + mask + " and B: " + style.other_mask);
  spec.kept.insert(spec.kept.end(), {a, b, in_either});
  const auto panel = [&](const MatrixView& allowed, const std::string& title) {
    return FigurePanel{spec.kept.front().matrix(), {allowed, {}}, title, {}};
  };
  spec.panels = {
      panel(in_a, "A"), panel(in_b, "B"),
      panel(in_either.matrix(), "B − A: " + std::to_string(only_a) + " only A, " + std::to_string(only_b) + " only B")};
  spec.palette = Palette::diverging;
  spec.colormap = "mask pair";
  spec.range_mode = RangeMode::fixed;
  spec.range = ValueRange{-1, 1};
  spec.bar = false;
  spec.categories = {{0.0f, "only A"}, {0.5f, "A and B"}, {1.0f, "only B"}};
  return spec;
}

}  // namespace

FigureSpec figure_of(const StageCut& cut, const StageFigureStyle& style) {
  switch (style.kind) {
    case PictureKind::heatmap: break;
    case PictureKind::arcs: {
      if (info(cut.stage).rows != Axis::query || info(cut.stage).cols != Axis::key) {
        throw SettingError("--kind",
                           Message("arcs join queries and keys, which {0} has not", std::string(name(cut.stage))),
                           "expected weights");
      }
      FigureSpec spec = stage_figure(cut, style);
      spec.kind = FigureKind::arcs;
      return spec;
    }
    case PictureKind::difference: return difference(cut, style);
    case PictureKind::reach: return reach_figure(cut, style);
    case PictureKind::blocks: return blocks_figure(cut, style);
    case PictureKind::side_by_side: return sides(cut, style);
    case PictureKind::overlay:  // figure_for() draws it over its picture
      return stage_figure(cut, style);
    case PictureKind::lens:
    case PictureKind::why:
    case PictureKind::patch: assert(false && "figure_for() draws it"); break;
  }
  return stage_figure(cut, style);
}

}  // namespace headlight
