#include "core/figures/export/needs.h"

#include <algorithm>

#include "core/base/tensor/error.h"
#include "core/base/tensor/memory.h"
#include "core/base/text/number_text.h"
#include "core/figures/export/layers_figure.h"
#include "core/figures/figure/figure.h"

namespace headlight {
namespace {

// Measured on one processor: a page, arcs, a difference and the reach of a mask look at each cell, 4 million a second;
// a heatmap computes cells that are not stored, a billion a second, and shows what is extreme among them.
constexpr double most_cells_of_page = 30e6, most_cells_of_picture = 20e9;
constexpr double most_bytes = 1.5e9;
constexpr Index most_words_of_handout = 600;

std::string gigabytes(double bytes) { return formatted("%.1f GB", bytes / 1e9); }

std::string count_of(double cells) {
  return cells < 1e9 ? formatted("%.0f million", cells / 1e6) : formatted("%.0f billion", cells / 1e9);
}

double room_for_files() { return std::min(most_bytes, memory_budget()); }

/// Of a file of numbers: the array, and what is made of it before it is written.
void check_numbers(const StageCut& cut, double cells, const std::string& extension) {
  const bool text = extension == ".csv" || extension == ".json";
  const double bytes = cells * (text ? 28 : cut.tensor().source() ? 8 : 4);
  if (bytes <= room_for_files() || (!text && !cut.tensor().source())) return;
  throw SettingError(
      "--stage",
      Message("{0} of so many tokens would be {1} of numbers", std::string(name(cut.stage)), gigabytes(bytes)),
      "expected a picture (.png), explain for single cells, or fewer tokens");
}

}  // namespace

void check_needs(const Trace& trace, const ExportOptions& options, const std::string& extension) {
  if (!options.layers.empty() || is_of_prediction(options.style.kind) || options.style.kind == PictureKind::overlay)
    return;                         // of a network, whose own limits come before
  ExportOptions counted = options;  // contributions, which are computed for the file, have the shape of weights
  if (options.stage == Stage::contribution_norms && !trace.has(options.stage)) counted.stage = Stage::weights;
  const StageCut cut = cut_of(counted, trace);
  const MatrixView first = cut.matrix(cut.heads.front());
  const double heads = static_cast<double>(cut.pool == HeadPool::none ? std::ssize(cut.heads) : trace.dims().heads);
  const double cells = heads * static_cast<double>(first.rows) * static_cast<double>(first.cols);
  const PictureKind kind = options.style.kind;
  const bool figure = is_figure_file(extension), arcs = figure && kind == PictureKind::arcs;
  const bool heatmap = kind == PictureKind::heatmap || kind == PictureKind::blocks || kind == PictureKind::arcs;
  if ((!heatmap || arcs || extension == ".html") && cells > most_cells_of_page)
    throw SettingError(!heatmap || arcs ? "--kind" : "-o",
                       Message("{0} cells are too many to draw one by one", count_of(cells)),
                       "expected at most 30 million: a part (--rows, --cols), fewer heads, or a heatmap as .png");
  if (!figure) return check_numbers(cut, cells, extension);
  if (cut.tensor().source() && cells > most_cells_of_picture)
    throw SettingError("--stage", Message("{0} cells would be computed for one picture", count_of(cells)),
                       "expected at most 20 billion: a part (--rows, --cols) or fewer heads");
}

void check_bundle_needs(const Trace& trace) {
  double bytes = 0;
  for (const Stage stage : trace.stages())
    bytes += trace[stage].source() ? 4 * static_cast<double>(trace[stage].count()) : 0;
  if (bytes <= room_for_files()) return;
  throw SettingError("-o", Message("all stages of so many tokens would be {0} of numbers", gigabytes(bytes)),
                     "expected fewer tokens, or render, which looks at a part");
}

void check_handout_needs(const Trace& trace) {
  const Index words = std::max(trace.dims().n_q, trace.dims().n_k);
  if (words <= most_words_of_handout) return;
  throw SettingError("-o", Message("{0} tokens are too many for a page", words),
                     Message("expected at most {0}", most_words_of_handout));
}

}  // namespace headlight
