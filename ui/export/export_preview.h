// What the export dialog shows beside its options, as plain data: the very figure that will be written, the beginning
// of the numbers, where the file goes, and the command line that makes it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/image/png_image.h"
#include "ui/document/document.h"
#include "ui/export/export_file.h"
#include "ui/frame/frame.h"

namespace headlight {

struct ExportPreview {
  std::string path;     ///< where the file goes
  bool exists = false;  ///< there is something already
  std::string command;  ///< makes the same file; "" where the scenario must be saved first
  std::shared_ptr<const Image> image;
  std::string size;                   ///< "1240 × 980 px", that the file will have
  std::vector<std::string> left_out;  ///< of the figure, for want of room
  std::vector<std::string> lines;
  std::string usual_title, usual_rows, usual_cols;  ///< what a figure says unless told otherwise
  std::string problem;                              ///< why there is nothing to write
};

/// The picture in at most `width` × `height` pixels. The document's trace is there.
ExportPreview make_export_preview(const Document& document, const WindowSize& window, int width, int height);

/// The same, kept, in `room` at most.
const ExportPreview& export_preview(const Frame& frame, ImVec2 room);

}  // namespace headlight
