// The preview of the export dialog as plain data: the figure itself or the first numbers, the path, and the equivalent
// command line.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/image/png_image.h"
#include "core/tensor/message.h"
#include "ui/document/document.h"
#include "ui/export/export_file.h"
#include "ui/frame/frame.h"

namespace headlight {

struct ExportPreview {
  std::string path;     ///< where the file goes
  bool exists = false;  ///< the path exists already
  std::string command;  ///< writes the same file; "" if the scenario must be saved first
  std::shared_ptr<const Image> image;
  std::string size;               ///< "1240 × 980 px", that the file will have
  std::vector<Message> left_out;  ///< of the figure, for want of room
  std::vector<std::string> lines;
  std::string usual_title, usual_rows, usual_cols;  ///< default labels of the figure
  Message problem;                                  ///< why nothing can be written
};

/// The view or the window as it was drawn before the dialog lay over it, for the preview of a picture of it.
struct ViewShot {
  std::shared_ptr<const Image> image;  ///< none until it is drawn
  std::optional<View> of;              ///< what is looked at in it, without the dialog
  bool alone = false;
};
ViewShot& view_shot(Pictures& pictures);

/// With a picture of at most `width` × `height` pixels. The document must have a trace.
ExportPreview make_export_preview(const Document& document, const WindowSize& window, int width, int height);

/// The same, cached, at most `room` large.
const ExportPreview& export_preview(const Frame& frame, ImVec2 room);

}  // namespace headlight
