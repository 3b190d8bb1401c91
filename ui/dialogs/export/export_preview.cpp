#include <algorithm>

#include "core/base/arrays/array_write.h"
#include "core/base/image/picture_input.h"
#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"
#include "core/figures/export/layers_figure.h"
#include "core/figures/export/reproduce_script.h"
#include "core/figures/figure/figure.h"
#include "core/scenario/inputs/tensor_file.h"
#include "ui/dialogs/export/export_controls.h"

namespace headlight {
namespace {

constexpr Index shown_lines = 24, shown_columns = 12;

/// The top left corner of a matrix, as the file has it.
void add_numbers(MatrixView matrix, std::vector<std::string>& lines) {
  const bool wide = matrix.cols > shown_columns, high = matrix.rows > shown_lines;
  matrix.cols = std::min(matrix.cols, shown_columns);
  matrix.rows = std::min(matrix.rows, shown_lines);
  const std::string text = csv_text(matrix);
  for (const std::string_view line : Split(text, '\n')) lines.push_back(std::string(line) + (wide ? ",…" : ""));
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
      if (spec.size || spec.values) preview.left_out = arranged.left_out();
      preview.image = std::make_shared<const Image>(std::move(figure.image));
      preview.width = figure.width;
      preview.height = figure.height;
      const auto& wanted = choice.options.size;
      const bool in_its_unit = wanted && wanted->height > 0 && ending(choice) != std::string_view(".png");
      preview.size =
          in_its_unit ? to_text(*wanted) : std::to_string(figure.width) + " × " + std::to_string(figure.height) + " px";
    } else {
      const NamedArray array = chosen_numbers(trace, choice.options);
      preview.lines = {array_line(array), ""};
      add_numbers(array.values.matrix(), preview.lines);
    }
  } else if (choice.kind == ExportKind::stages) {
    for (const NamedArray& array : trace_arrays(trace, false)) preview.lines.push_back(array_line(array));
  } else if (choice.kind == ExportKind::page) {
    const PageDocument page = page_of(document);
    preview.lines = {"Headlight", page.name};
    for (const PageFile& file : page.files) preview.lines.push_back(file.name);
    page_template();  // throws where there is none
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

/// The picture of the view; if the last one shows something else, asks for a new one and returns null.
std::shared_ptr<const Image> shot_of_view(const Frame& frame) {
  const ExportChoice& choice = frame.view().exporting;
  if (choice.kind != ExportKind::window) return nullptr;
  ViewShot& shot = view_shot(frame.pictures);
  View looked = frame.view();
  looked.dialog = Dialog::none;
  looked.exporting = {};
  looked.pointed = {};
  if (shot.of && *shot.of == looked && shot.alone == choice.alone) return shot.image;
  shot = {nullptr, std::move(looked), choice.alone};
  frame.actions.push_back(Export{});
  return nullptr;
}

/// Shows the picture, reduced if there is no room for all of it.
void show_shot(const Image& shot, int width, int height, ExportPreview& preview) {
  preview.size = std::to_string(shot.width) + " × " + std::to_string(shot.height) + " px";
  const double scale =
      std::min({1.0, static_cast<double>(width) / shot.width, static_cast<double>(height) / shot.height});
  const auto scaled = [&](int length) { return std::max(1, static_cast<int>(length * scale)); };
  preview.image =
      std::make_shared<const Image>(resized(shot, scaled(shot.width), scaled(shot.height), Resampling::bilinear));
}

}  // namespace

ViewShot& view_shot(Pictures& pictures) {
  return pictures.get<ViewShot>([] { return ViewShot{}; });
}

const ExportPreview& export_preview(const Frame& frame, ImVec2 room) {
  const int width = std::max(1, static_cast<int>(room.x)), height = std::max(1, static_cast<int>(room.y));
  const Document& document = frame.document;
  const std::shared_ptr<const Image> shot = shot_of_view(frame);
  const auto make = [&] {
    ExportPreview preview = make_export_preview(document, window_size(frame.fonts), width, height);
    if (shot) show_shot(*shot, width, height, preview);
    return preview;
  };
  return frame.pictures.get<ExportPreview>(make, document.trace, document.view.exporting, document.origin.lesson.file,
                                           width, height, shot);
}

}  // namespace headlight
