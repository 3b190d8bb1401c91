// The open dialog: recent files and lessons on the left; a path and its folder on the right.
#pragma once

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"
#include "ui/open/folder_listing.h"

namespace headlight {

/// The dialog's content, cached in Pictures.
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

}  // namespace headlight
