// The dialogs that open something: a file, a layer of it, a pasted matrix.
#pragma once

#include <string>
#include <vector>

#include "ui/base/document/document.h"
#include "ui/base/frame/frame.h"
#include "ui/base/geometry/rect.h"
#include "ui/dialogs/open/folder_listing.h"

namespace headlight {

/// The content of the open dialog, cached: models, recent files and lessons on the left, a path and its folder on the
/// right.
struct OpenPicture {
  std::string folder;
  FolderListing listing;
  std::string part;                ///< beginning of the names in `shown`
  std::vector<std::size_t> shown;  ///< indices of listed entries, in order
};
const OpenPicture& open_picture(Pictures& pictures, const OpenChoice& choice);

/// Opens the dialog in the folder of the current file, else of the newest recent one. `masks`: it asks for a mask for
/// the current document.
void open_dialog(const Frame& frame, bool masks = false);
/// All characters of the dialog besides translations, for loading fonts; "" while it is closed.
std::string open_dialog_text(const View& view, const RecentFiles& recent, Pictures& pictures);

void draw_open_dialog(const Frame& frame, Rect place);

/// Possible numbers of heads for a width, ascending; only those with usual head sizes if there are many.
std::vector<Index> possible_heads(Index d_model);

std::string layer_dialog_text(const View& view);
/// Asks which attention layer of a file to open, and with how many heads.
void draw_layer_dialog(const Frame& frame, Rect place);
/// Asks what true means in a boolean mask, both ways as pictures: a LayerQuestion without candidates.
void draw_polarity_dialog(const Frame& frame, Rect place);

/// The file that a path or a file:// URI on the clipboard names; "" where it names none that is there.
std::string pasted_file(const std::string& text);
/// Uses pasted text as a matrix of the document if there is only one way to, asks if there are several, and shows an
/// error if there is none.
void paste_into(Document& document, const std::string& text, const Words& words);
/// Applies the answer of the dialog.
void use_pasted(Document& document, PasteUse use, const Words& words);

void draw_paste_dialog(const Frame& frame, Rect place);

}  // namespace headlight
