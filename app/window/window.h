// The program's three ways of drawing a document: in a window, into a picture, and as often as it can.
//
// All throw InputError where the machine cannot: no display, no OpenGL 3.3.
#pragma once

#include <optional>
#include <string>

#include "core/image/png_image.h"
#include "ui/document/document.h"

namespace headlight {

struct WindowOptions {
  Document start;
  /// Pixels. 0 is 1600 × 900, in a window times the monitor's scale, and no larger than the monitor.
  int width = 0, height = 0;
  /// Off screen: pixels to a point, as a monitor's scale would be.
  float scale = 1;
  bool theme_said = false, language_said = false;  ///< by the command line; else a window is as it was the last time
  bool unnamed = false;                            ///< no file is named: what opens is in the window's language
  bool step_said = false;                          ///< of a lesson: it does not go on where it was left
  std::string answers;   ///< a file of answers to lessons that are to be remembered; "" for none
  bool welcome = false;  ///< in a window: things to try, on a person's first visit
};

/// Until it is closed. Draws when something happened, else sleeps. The program's exit status.
int run_window(const WindowOptions& options);

/// The picture the window would show once all is computed and nothing moves. Needs no display. Throws InputError, too,
/// where the document's numbers cannot be computed.
Image screenshot(const WindowOptions& options);

/// The same as vectors, into a file that ends in .pdf or .svg.
void draw_view(const WindowOptions& options, const std::string& path);

/// The step player from the first moment to the last, near to a step stage by stage, into what film_to() makes of
/// `path`. As screenshot().
void record_animation(const WindowOptions& options, const std::string& path, std::optional<double> seconds_per_step);

struct FrameTimes {
  int frames = 0;
  double median_ms = 0, p99_ms = 0;
};
/// Draws `frames` > 0 frames off screen, one after the other, each until the GPU is done with it.
FrameTimes measure_frames(const WindowOptions& options, int frames);

}  // namespace headlight
