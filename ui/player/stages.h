// Playback stage by stage, for the sentence and operation levels.
#pragma once

#include <vector>

#include "ui/frame/frame.h"

namespace headlight {

/// The chapters of a whole pass. The splits of Q, K and V are alike, so only one is shown.
std::vector<std::size_t> pass_of(const Timeline& timeline);
/// The current chapter: the player's, else that of the chosen stage.
std::size_t chapter_at(const View& view, const Timeline& timeline);
/// Shows a stage, completely computed; the followed words stay.
View with_stage(View view, const Timeline& timeline, std::size_t chapter);
/// Whether the trace's network says what comes next: the pass then ends with the next word.
bool says_next(const Trace& trace);
/// Whether its network reads pictures: tokens are patches instead of words, and it says a label instead of a next word.
bool reads_pictures(const Trace& trace);
/// At the next word, all of it there.
View with_next_word(View view, const Timeline& timeline);
/// One on; from the sentence to the first, from the last to the next word.
View with_next_stage(View view, const Trace& trace, const Timeline& timeline);
/// One back; from the first to the sentence.
View with_last_stage(View view, const Timeline& timeline);
/// Begins to play at the stage that is looked at, or from the first where all were gone through.
View with_played_stage(View view, const Trace& trace, const Timeline& timeline);
/// Plays, or stops: what the play button and Space do.
View with_play_toggled(View view, const Trace& trace, const Timeline& timeline);
/// From the sentence to the step that made its shares, from the pipeline to the step of the cell that is looked at.
View one_level_in(View view, const Trace& trace, const Timeline& timeline);

/// How long a stage takes at speed 1, all of it being made before one's eyes, and then stands.
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
