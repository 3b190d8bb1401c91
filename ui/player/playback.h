// Playback: advances the step player in time.
#pragma once

#include "ui/frame/frame.h"

namespace headlight {

class Playback {
 public:
  /// Advances when the next moment is due; waits while the pointer is on a number.
  void advance(const Frame& frame, double seconds);
  /// Seconds until the next frame is due; infinite while nothing plays.
  static double next_frame_in(const View& view);

 private:
  /// On the operation level, a stage's numbers share the duration of the stage.
  void advance_by_stage(const Frame& frame, double seconds);

  double since_moment_ = 0;  // time since the current moment began
};

}  // namespace headlight
