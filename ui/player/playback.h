// Playback: moments that pass by themselves while the timeline plays.
#pragma once

#include "ui/frame/frame.h"

namespace headlight {

class Playback {
 public:
  /// Goes on to the next moment when it is due; waits while the pointer is on a number.
  void advance(const Frame& frame, double seconds);
  /// Seconds until a frame is due; infinite while nothing plays.
  static double next_frame_in(const View& view);

 private:
  /// Near a step its numbers come at the pace of the whole stage.
  void advance_by_stage(const Frame& frame, double seconds);

  double since_moment_ = 0;  // seconds that the present moment has stood
};

}  // namespace headlight
