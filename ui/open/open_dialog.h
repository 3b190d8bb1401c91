// The open dialog: recent files and lessons on the left; a path to type and the folder it names on the right.
#pragma once

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"
#include "ui/open/folder_listing.h"

namespace headlight {

/// What the dialog shows, kept while it holds: in Pictures.
struct OpenPicture {
  std::string folder;
  FolderListing listing;
  std::string part;                ///< the name's beginning that `shown` is for
  std::vector<std::size_t> shown;  ///< entries of the listing, in the order they are listed
};
const OpenPicture& open_picture(Pictures& pictures, const OpenChoice& choice);

/// Brings the dialog to the front, in the folder of the open file, else of the newest recent one. `masks`: it asks for
/// a mask, which is laid over what is open.
void open_dialog(const Frame& frame, bool masks = false);
/// Every character that the dialog shows besides the words; "" while it is not open.
std::string open_dialog_text(const View& view, const RecentFiles& recent, Pictures& pictures);

void draw_open_dialog(const Frame& frame, Rect place);

}  // namespace headlight
