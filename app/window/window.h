// Draws a document: in a window, into a picture or a film, or repeatedly to measure the speed.
//
// All functions throw InputError if the machine has no display or no OpenGL 3.3.
#pragma once

#include <optional>
#include <string>

#include "core/base/image/png_image.h"
#include "ui/base/document/document.h"

namespace headlight {

struct WindowOptions {
  Document start;
  /// In pixels. 0: 1600 × 900; for a window, times the monitor's scale and no larger than the monitor.
  int width = 0, height = 0;
  /// Off screen: pixels per point, in place of a monitor's scale.
  float scale = 1;
  bool theme_said = false, language_said = false;  ///< given on the command line; otherwise the last choice applies
  bool unnamed = false;                            ///< no file is named: a model in the window's language opens
  bool step_said = false;  ///< a lesson's step was given: the lesson does not continue where the user left it
  /// --select and --step. Off screen, a cell or step that the run does not have is an error.
  std::string selected;
  std::optional<int> step;
  std::string answers;   ///< a file of answers to lessons, which the window remembers; "" for none
  bool welcome = false;  ///< a window shows things to try at the first start on this machine
};

/// Shows the window until it is closed; it sleeps until something happens. Returns the program's exit status.
int run_window(const WindowOptions& options);

/// The picture that the window shows when everything is computed and nothing moves. Needs no display. Also throws
/// InputError if the document's numbers cannot be computed.
Image screenshot(const WindowOptions& options);

/// The same as vectors, into a file that ends in .pdf or .svg.
void draw_view(const WindowOptions& options, const std::string& path);

/// Films the step player from the first moment to the last, to film_to(path). Without `seconds_per_step`, the film has
/// its usual speed. Throws like screenshot().
void record_animation(const WindowOptions& options, const std::string& path, std::optional<double> seconds_per_step);

struct FrameTimes {
  int frames = 0;
  double median_ms = 0, p99_ms = 0;
};
/// Draws `frames` > 0 frames off screen. A frame's time ends when the GPU has finished it.
FrameTimes measure_frames(const WindowOptions& options, int frames);

}  // namespace headlight
