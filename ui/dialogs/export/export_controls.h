// The export dialog: a control for each option of `headlight render`, and the preview as plain data.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/image/png_image.h"
#include "core/base/tensor/message.h"
#include "core/figures/export/export_options.h"
#include "ui/base/frame/frame.h"
#include "ui/dialogs/export/export_file.h"

namespace headlight {

/// The figure itself or the first numbers, the path, and the equivalent command line.
struct ExportPreview {
  std::string path;     ///< where the file goes
  bool exists = false;  ///< the path exists already
  std::string command;  ///< writes the same file; "" if the scenario must be saved first
  std::shared_ptr<const Image> image;
  std::string size;               ///< of the file: "1240 × 980 px"
  int width = 0, height = 0;      ///< of the figure, in pixels; 0: unknown
  std::vector<Message> left_out;  ///< parts of the figure that have no room
  std::vector<std::string> lines;
  std::string usual_title, usual_rows, usual_cols;  ///< default labels of the figure
  Message problem;                                  ///< why nothing can be written
};

/// The view or the window as it was drawn before the dialog opened, for the preview of its picture.
struct ViewShot {
  std::shared_ptr<const Image> image;  ///< none until it is drawn
  std::optional<View> of;              ///< the view that it shows, without the dialog
  bool alone = false;
};
ViewShot& view_shot(Pictures& pictures);

/// The same, cached, at most `room` large.
const ExportPreview& export_preview(const Frame& frame, ImVec2 room);

/// Draws into the current ImGui window; returns the changed choice.
ExportChoice draw_export_controls(const Frame& frame, const ExportPreview& preview, ExportChoice choice);

/// A problem in the reader's language, with the dialog's name of a field in place of the option of `headlight render`.
std::string with_field_names(const Words& words, const Message& problem);

/// Draws nothing for a single layer.
void draw_export_layers(const Frame& frame, ExportOptions& options);

void draw_export_size(const Frame& frame, const ExportPreview& preview, ExportChoice& choice);

/// What the figure is for: sets its size, its type and how its heads are arranged.
void draw_export_presets(const Frame& frame, ExportOptions& options);

}  // namespace headlight
