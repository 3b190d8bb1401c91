// From the export dialog's choice to a file.
#pragma once

#include <string>

#include "ui/document/document.h"
#include "ui/look/fonts.h"
#include "ui/look/words.h"

namespace headlight {

/// Opens the dialog on what is looked at, light also from a dark window: the picture that the view shows where a figure
/// can be that (heads, arcs, layers, reach, blocks, two masks, a difference), else the view itself; in the pipeline the
/// stage, batch entry and head. `own`: the stages that lie beside.
void open_export_dialog(View& view, const Trace& trace, const std::optional<OwnSource>& own = {});
/// On this matrix, whatever the view.
void open_export_dialog_on(const Cell& cell, View& view, const Trace& trace);
/// Where the file will go: what was typed, else a name that is free.
std::string export_path(const Document& document);
/// Of the window that the view stands in; a scale of 0: not said.
struct WindowSize {
  int width = 0, height = 0;
  float scale = 0;
};
/// ImGui's display at the fonts' scale.
WindowSize window_size(const Fonts& fonts);

/// "headlight render … -o PATH"; "" where no words say the scenario, which then has to be saved first.
std::string export_command(const Document& document, const std::string& path, const WindowSize& window = {});

/// Writes everything but pictures of the window. `expected` is the path that the person saw; something that appeared
/// there since is not written over unless they saw it. The outcome is a notice or an error. Returns whether it is
/// written.
bool write_export_file(Document& document, const std::string& expected, bool replace, const Words& words);

/// Into a scenario file at `path`, which is the document's from then on. Returns whether it is written.
bool save_scenario(Document& document, const std::string& path, const Words& words);
/// A free name in a folder that can be written to.
std::string save_path(const Document& document);
/// There are changes that no file holds.
bool has_unsaved_changes(const Document& document);

}  // namespace headlight
