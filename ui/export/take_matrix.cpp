#include "ui/export/take_matrix.h"

#include <imgui.h>

#include "core/export/matrix_export.h"
#include "core/files/whole_file.h"
#include "core/tensor/error.h"
#include "ui/export/export_file.h"
#include "ui/frame/colormaps.h"

namespace headlight {
namespace {

void copy(Document& document, const TakeMatrix& take, const Words& words) {
  const Cell& cell = take.cell;
  MatrixView part = (*document.trace)[cell.stage].matrix(cell.batch, cell.head);
  if (take.what != MatrixTake::matrix) part = part.part(cell.row, 1, 0, part.cols);
  if (take.what == MatrixTake::value) part = part.part(0, 1, cell.col, 1);
  std::string text = csv_text(part);
  if (part.rows == 1) text.pop_back();  // the end of the line
  ImGui::SetClipboardText(text.c_str());
  const std::string size = std::to_string(part.rows) + " × " + std::to_string(part.cols);
  document.notice = words.fill("matrix_menu.copied", {name(cell.stage), take.what == MatrixTake::value ? text : size});
}

MatrixFormat format_of(MatrixTake what) {
  switch (what) {
    case MatrixTake::svg: return MatrixFormat::svg;
    case MatrixTake::csv: return MatrixFormat::csv;
    case MatrixTake::npy: return MatrixFormat::npy;
    default: return MatrixFormat::png;
  }
}

void save(Document& document, const TakeMatrix& take, const Words& words) {
  const Cell& cell = take.cell;
  StageFigureStyle style;
  style.theme = document.view.theme;
  style.colormap = window_colormap(document.view, cell.stage).name();
  style.range = document.view.range;
  const bool figure = take.what == MatrixTake::png || take.what == MatrixTake::svg;
  const StageCut cut{*document.trace, cell.stage, cell.batch, {cell.head}};
  const std::u8string path =
      export_matrix(cut, format_of(take.what), style, writable_folder(figure ? "Pictures" : "Downloads")).u8string();
  document.notice = words.fill("matrix_menu.saved", {std::string(path.begin(), path.end())});
}

}  // namespace

void take_matrix(Document& document, const TakeMatrix& take, const Words& words) {
  document.error.clear();
  document.notice.clear();
  if (!document.trace || !document.trace->has(take.cell)) return;  // it is gone since the key or the click
  try {
    if (take.what <= MatrixTake::matrix) {
      copy(document, take, words);
    } else if (take.what == MatrixTake::figure) {
      open_export_dialog_on(take.cell, document.view, *document.trace);
    } else {
      save(document, take, words);
    }
  } catch (const InputError& error) { document.error = error.message(); }
}

void take_mask(Document& document, MaskFormat format, const Words& words) {
  if (!document.trace) return;
  document.error.clear();
  document.notice.clear();
  try {
    if (is_code(format)) {
      const std::string code = mask_code(*document.trace, format);
      ImGui::SetClipboardText(code.c_str());
      const bool reads_file = code.find("file_mask.npy") != std::string::npos;
      document.notice = words(reads_file ? "mask_take.copied_reading" : "mask_take.copied");
    } else {
      const View& view = document.view;
      const std::u8string path =
          export_mask(*document.trace, view.batch, view.head, format, writable_folder("Downloads")).u8string();
      document.notice = words.fill("mask_take.saved", {std::string(path.begin(), path.end())});
    }
  } catch (const InputError& error) { document.error = error.message(); }
}

}  // namespace headlight
