// Playback stage by stage, for the sentence and operation levels.
#pragma once

#include <vector>

#include "ui/base/frame/frame.h"

namespace headlight {

/// The chapters that playback shows, as indices. The splits of Q, K and V are alike, so only one is shown.
std::vector<std::size_t> pass_of(const Timeline& timeline);
/// The current chapter: the player's, else that of the chosen stage.
std::size_t chapter_at(const View& view, const Timeline& timeline);
/// The stage of the step that is shown: the player's; else among the cards the selected cell's; else the chosen one.
Stage stage_shown(const Frame& frame);
/// On the pipeline, the whole stage after or before the current one; before the first, everything.
View with_stage_beside(View view, const Trace& trace, const Timeline& timeline, bool after);
/// Shows a stage, completely computed; the followed words are kept.
View with_stage(View view, const Timeline& timeline, std::size_t chapter);
/// Whether the trace's network predicts the next word, which is then the last step of playback.
bool says_next(const Trace& trace);
/// Whether its network reads pictures: tokens are patches, and it predicts a label.
bool reads_pictures(const Trace& trace);
/// Shows the next word, completely computed.
View with_next_word(View view, const Timeline& timeline);
/// Shows the following stage: the first one after the sentence, the next word after the last one.
View with_next_stage(View view, const Trace& trace, const Timeline& timeline);
/// Shows the previous stage: the sentence before the first one.
View with_last_stage(View view, const Timeline& timeline);
/// Begins to play at the current stage, or at the first one if the last one is complete.
View with_played_stage(View view, const Trace& trace, const Timeline& timeline);
/// Starts or stops playing: what the play button and Space do.
View with_play_toggled(View view, const Trace& trace, const Timeline& timeline);
/// From the sentence to the weights, from the pipeline to the operation of the current cell.
View one_level_in(View view, const Trace& trace, const Timeline& timeline);

/// Seconds at speed 1: for the computation of a stage, for that of the next word, and for the pause after each.
double stage_seconds(Stage stage);
inline constexpr double next_word_seconds = 7;
inline constexpr double standing_seconds = 0.5;

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
