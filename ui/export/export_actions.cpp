#include "ui/export/export_actions.h"

#include <imgui.h>

#include "ui/export/export_file.h"
#include "ui/export/link.h"

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

/// What no settings say is saved beside the figure first.
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

}  // namespace headlight
