#include <imgui.h>

#include "core/base/files/whole_file.h"
#include "core/base/tensor/error.h"
#include "core/base/text/utf8_path.h"
#include "core/figures/export/matrix_export.h"
#include "ui/base/frame/colormaps.h"
#include "ui/dialogs/export/export_file.h"
#include "ui/dialogs/export/recorder.h"

namespace headlight {
namespace {

void write(Document& document, Recorder& recorder, const Words& words, const Export& wanted) {
  const ExportChoice& choice = document.view.exporting;
  if (!document.trace) return;
  if (wanted.path.empty()) {  // for the dialog's preview
    recorder.start_preview(document, choice.alone);
  } else if (choice.kind < ExportKind::window) {
    write_export_file(document, wanted.path, wanted.replace, words);
  } else if (choice.kind == ExportKind::window) {
    recorder.start_picture(document, wanted.path, choice.alone);
  } else {
    recorder.start_film(document, wanted.path, static_cast<double>(choice.seconds));
  }
}

/// Settings that have no option are first saved next to the figure.
void copy_command(Document& document, const Words& words, const Fonts& fonts) {
  if (!document.trace) return;
  const std::string path = export_path(document);
  std::string saved;
  if (export_command(document, path).empty()) {
    saved = save_path(document);
    if (!save_scenario(document, saved, words)) return;
  }
  const std::string command = export_command(document, path, window_size(fonts));
  ImGui::SetClipboardText(command.c_str());
  document.notice = saved.empty() ? std::string(words("export.copied")) : words.fill("export.copied_saved", {saved});
}

void copy_link(Document& document, const Words& words) {
  document.error.clear();
  document.notice.clear();
  if (const auto link = link_to(document)) {
    ImGui::SetClipboardText(link->c_str());
    document.notice = words("link.copied");
  } else {
    document.error = words("link.own_file");
  }
}

void ask_to_save(Document& document, Next next) {
  document.view.saving.path = save_path(document);
  document.view.saving.next = next;
  document.view.dialog = Dialog::save;
}

Next save(Document& document, const std::string& path, const Words& words) {
  if (!save_scenario(document, path, words)) return Next::stay;
  document.view.dialog = Dialog::none;
  return document.view.saving.next;
}

void copy(Document& document, const TakeMatrix& take, const Words& words) {
  const Cell& cell = take.cell;
  MatrixView part = (*document.trace)[cell.stage].matrix(cell.batch, cell.head);
  if (take.what != MatrixTake::matrix) part = part.part(cell.row, 1, 0, part.cols);
  if (take.what == MatrixTake::value) part = part.part(0, 1, cell.col, 1);
  std::string text = csv_text(part);
  if (part.rows == 1) text.pop_back();  // the final newline
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
  const auto path = export_matrix(cut, format_of(take.what), style, writable_folder(figure ? "Pictures" : "Downloads"));
  document.notice = words.fill("matrix_menu.saved", {utf8_from(path)});
}

}  // namespace

Next perform_export(Document& document, Recorder& recorder, const Words& words, const Fonts& fonts,
                    const Action& action) {
  if (const auto* wanted = std::get_if<Export>(&action)) write(document, recorder, words, *wanted);
  if (std::holds_alternative<CopyCommand>(action)) copy_command(document, words, fonts);
  if (std::holds_alternative<CopyLink>(action)) copy_link(document, words);
  if (const auto* ask = std::get_if<AskToSave>(&action)) {
    const bool known = !document.origin.lesson.file.empty() && !ask->elsewhere;
    if (!known) {
      ask_to_save(document, ask->next);
      return Next::stay;
    }
    document.view.saving.next = ask->next;
    return save(document, document.origin.lesson.file, words);
  }
  if (const auto* wanted = std::get_if<Save>(&action)) return save(document, wanted->path, words);
  return Next::stay;
}

void take_matrix(Document& document, const TakeMatrix& take, const Words& words) {
  document.error.clear();
  document.notice.clear();
  if (!document.trace || !document.trace->has(take.cell)) return;  // it no longer exists
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
      const auto path = export_mask(*document.trace, view.batch, view.head, format, writable_folder("Downloads"));
      document.notice = words.fill("mask_take.saved", {utf8_from(path)});
    }
  } catch (const InputError& error) { document.error = error.message(); }
}

}  // namespace headlight
