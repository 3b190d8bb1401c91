#include "ui/export/take_matrix.h"

#include <imgui.h>

#include "core/export/matrix_export.h"
#include "core/files/free_path.h"
#include "core/tensor/error.h"
#include "ui/export/export_file.h"
#include "ui/frame/colormaps.h"

namespace headlight {
namespace {

void copy(Document& document, const TakeMatrix& take, const Words& words) {
  const Cell& cell = take.cell;
  MatrixView part = (*document.trace)[cell.stage].matrix(cell.batch, cell.head);
  if (take.what != MatrixTake::matrix) {
    part.data += cell.row * part.row_stride;
    part.rows = 1;
  }
  if (take.what == MatrixTake::value) {
    part.data += cell.col * part.col_stride;
    part.cols = 1;
  }
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
  try {
    if (take.what <= MatrixTake::matrix) {
      copy(document, take, words);
    } else if (take.what == MatrixTake::figure) {
      open_export_dialog_on(take.cell, document.view, *document.trace);
    } else {
      save(document, take, words);
    }
  } catch (const InputError& error) { document.error = error.what(); }
}

}  // namespace headlight
