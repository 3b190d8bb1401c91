// Writes the file that the export dialog describes; the equivalent command and link; the actions that save and copy.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/figures/export/page.h"
#include "ui/base/document/action.h"
#include "ui/base/document/document.h"
#include "ui/base/look/fonts.h"
#include "ui/base/look/words.h"

namespace headlight {

class Recorder;

/// Opens the dialog for a given matrix.
void open_export_dialog_on(const Cell& cell, View& view, const Trace& trace);
/// What the page of the document holds.
PageDocument page_of(const Document& document);

/// The path of the file: as typed, else a free name.
std::string export_path(const Document& document);
/// The size of the window; scale 0: unknown.
struct WindowSize {
  int width = 0, height = 0;
  float scale = 0;
};
/// ImGui's display size, at the fonts' scale.
WindowSize window_size(const Fonts& fonts);

/// "headlight render … -o PATH"; "" if the scenario cannot be given as options and has to be saved first.
std::string export_command(const Document& document, const std::string& path, const WindowSize& window = {});

/// Writes anything but pictures of the window. `expected` is the path that the user saw; a file that has appeared there
/// since is not overwritten. The result is shown as a notice or an error. Returns whether the file was written.
bool write_export_file(Document& document, const std::string& expected, bool replace, const Words& words);

/// Saves the scenario to `path`, which becomes the document's file. Returns whether it was written.
bool save_scenario(Document& document, const std::string& path, const Words& words);
/// A free name in a writable folder.
std::string save_path(const Document& document);
/// Whether there are unsaved changes.
bool has_unsaved_changes(const Document& document);

/// A link to the browser page that shows the same document and view: its address with a query, or with the scenario in
/// the fragment if options cannot express it. Unset if the document depends on a file, or if nothing is open.
std::optional<std::string> link_to(const Document& document);

/// {"--view", "pipeline", "--level", "sentence", …}: everything except theme, language and window size.
std::vector<std::string> view_words(const Document& document);

/// Handles Export, CopyCommand, AskToSave and Save, and ignores other actions. Returns what to do next, once everything
/// is saved.
Next perform_export(Document& document, Recorder& recorder, const Words& words, const Fonts& fonts,
                    const Action& action);

/// Copies a matrix, or saves it to a file. Numbers have as few digits as reproduce the float32; figures have the
/// window's colours. The result is shown as a notice or an error.
void take_matrix(Document& document, const TakeMatrix& take, const Words& words);

/// Saves the mask to a file, or copies it as code. The result is shown as a notice or an error.
void take_mask(Document& document, MaskFormat format, const Words& words);

}  // namespace headlight
