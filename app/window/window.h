// The program's three ways to draw a document: in a window, into a picture, and repeatedly as fast as possible.
//
// All throw InputError if the machine has no display (for a window) or no OpenGL 3.3.
#pragma once

#include <optional>
#include <string>

#include "core/image/png_image.h"
#include "ui/document/document.h"

namespace headlight {

struct WindowOptions {
  Document start;
  /// In pixels. 0 means 1600 × 900; in a window, times the monitor's scale and at most the monitor's size.
  int width = 0, height = 0;
  /// Off screen: pixels per point, like a monitor's scale.
  float scale = 1;
  bool theme_said = false,
       language_said = false;  ///< given on the command line; otherwise the window uses the last ones
  bool unnamed = false;        ///< no file is named: what opens depends on the window's language
  bool step_said = false;      ///< a lesson's step is given, so that the lesson is not resumed
  std::string answers;         ///< a file of lesson answers to import; "" for none
  bool welcome = false;        ///< in a window: suggest things to try, on a user's first start
};

/// Runs until the window is closed. Draws after events and sleeps otherwise. Returns the program's exit status.
int run_window(const WindowOptions& options);

/// The picture that the window would show once everything is computed and nothing moves. Needs no display. Also throws
/// InputError if the document's numbers cannot be computed.
Image screenshot(const WindowOptions& options);

/// The same as vectors, into a file that ends in .pdf or .svg.
void draw_view(const WindowOptions& options, const std::string& path);

/// Records the step player from the first moment to the last, in an operation stage by stage, in the format that
/// film_to() chooses for `path`. Throws as screenshot().
void record_animation(const WindowOptions& options, const std::string& path, std::optional<double> seconds_per_step);

struct FrameTimes {
  int frames = 0;
  double median_ms = 0, p99_ms = 0;
};
/// Draws `frames` > 0 frames off screen, waiting for the GPU after each.
FrameTimes measure_frames(const WindowOptions& options, int frames);

}  // namespace headlight
