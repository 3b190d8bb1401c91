#include "ui/export/export_preview.h"

#include <algorithm>

#include "core/export/figure_kinds.h"
#include "core/export/layers_figure.h"
#include "core/export/prediction_figures.h"
#include "core/export/reproduce_script.h"
#include "core/figure/arranged_figure.h"
#include "core/files/array_write.h"
#include "core/scenario/tensor_file.h"
#include "core/tensor/error.h"
#include "core/text/texts.h"

namespace headlight {
namespace {

constexpr Index shown_lines = 24, shown_columns = 12;

/// The top left corner of a matrix, as it will stand in the file.
void add_numbers(MatrixView matrix, std::vector<std::string>& lines) {
  const bool wide = matrix.cols > shown_columns, high = matrix.rows > shown_lines;
  matrix.cols = std::min(matrix.cols, shown_columns);
  matrix.rows = std::min(matrix.rows, shown_lines);
  const std::string text = csv_text(matrix);
  for (const std::string_view line : Parts(text, '\n')) lines.push_back(std::string(line) + (wide ? ",…" : ""));
  if (high) lines.emplace_back("…");
}

std::string array_line(const NamedArray& array) {
  std::string line = array.name + "  " + (array.boolean ? "bool" : "float32") + "  [";
  for (std::size_t i = 0; i < array.values.shape().size(); ++i) {
    line += (i > 0 ? ", " : "") + std::to_string(array.values.shape()[i]);
  }
  return line + "]";
}

void show(const Document& document, int width, int height, ExportPreview& preview) {
  const ExportChoice& choice = document.view.exporting;
  const Trace& trace = *document.trace;
  if (shows_stage(choice.kind)) {
    const StageCut cut = cut_of(choice.options, trace);
    const FigureSpec usual = stage_figure(cut, {});
    preview.usual_title = as_plain_text(usual.title);
    preview.usual_rows = as_plain_text(usual.row_label);
    preview.usual_cols = as_plain_text(usual.col_label);
    if (shows_figure(choice.kind)) {
      const FigureSpec spec = figure_for(trace, choice.options);
      ArrangedFigure arranged(spec);
      FigurePreview figure = arranged.preview(width, height);
      if (spec.size || spec.values) preview.left_out = arranged.left_out();  // as the file says it
      preview.image = std::make_shared<const Image>(std::move(figure.image));
      preview.size = std::to_string(figure.width) + " × " + std::to_string(figure.height) + " px";
    } else {
      const PictureKind kind = choice.options.style.kind;
      const bool overlay = kind == PictureKind::overlay, patch = kind == PictureKind::patch,
                 layers = !choice.options.layers.empty() || overlay || patch;
      const NamedArray array = overlay  ? overlay_array(figure_for(trace, choice.options), choice.options)
                               : patch  ? patch_array(trace, choice.options)
                               : layers ? layers_array(trace, choice.options)
                                        : stage_array(cut);
      preview.lines = {array_line(array), ""};
      const MatrixView shown =
          !layers && cut.pool == HeadPool::none ? cut.matrix(cut.heads.front()) : array.values.matrix();
      add_numbers(shown, preview.lines);
    }
  } else if (choice.kind == ExportKind::stages) {
    for (const NamedArray& array : trace_arrays(trace, false)) preview.lines.push_back(array_line(array));
  }
}

/// With a picture of at most `width` × `height` pixels. The document must have a trace.
ExportPreview make_export_preview(const Document& document, const WindowSize& window, int width, int height) {
  ExportPreview preview;
  try {
    preview.path = export_path(document);
    std::error_code ignored;
    preview.exists = std::filesystem::exists(path_from(preview.path), ignored);
    preview.command = export_command(document, preview.path, window);
    show(document, width, height, preview);
  } catch (const InputError& error) { preview.problem = error.message(); }
  return preview;
}

}  // namespace

const ExportPreview& export_preview(const Frame& frame, ImVec2 room) {
  const int width = std::max(1, static_cast<int>(room.x)), height = std::max(1, static_cast<int>(room.y));
  const Document& document = frame.document;
  return frame.pictures.get<ExportPreview>(
      [&] { return make_export_preview(document, window_size(frame.fonts), width, height); }, document.trace,
      document.view.exporting, document.origin.lesson.file, width, height);
}

}  // namespace headlight
