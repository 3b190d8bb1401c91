// Stage by stage: how the levels near to a step go through it.
#pragma once

#include <optional>
#include <vector>

#include "ui/frame/frame.h"

namespace headlight {

/// The chapters of a whole pass: Q, K and V are split alike, which is shown once.
std::vector<std::size_t> pass_of(const Timeline& timeline);
/// Those after and before a chapter; none where there is none.
std::optional<std::size_t> next_in_pass(const Timeline& timeline, std::size_t chapter);
std::optional<std::size_t> last_in_pass(const Timeline& timeline, std::size_t chapter);
/// The chapter of the timeline that is looked at: the player's, else the chosen stage's.
std::size_t chapter_at(const View& view, const Timeline& timeline);
/// At a stage, all of it there; what is followed stays what it was.
View with_stage(View view, const Timeline& timeline, std::size_t chapter);
/// One on; from the sentence to the first.
View with_next_stage(View view, const Timeline& timeline);
/// One back; from the first to the sentence.
View with_last_stage(View view, const Timeline& timeline);
/// Begins to play at the stage that is looked at, or from the first where that was the last.
View with_played_stage(View view, const Timeline& timeline);
/// From the sentence to the step that made its shares, from the pipeline to the step of the cell that is looked at.
View one_level_in(View view, const Trace& trace, const Timeline& timeline);

/// How long a stage takes at speed 1, so that all of them take less than half a minute, and then stands.
double stage_seconds(const Timeline& timeline);
inline constexpr double standing_seconds = 0.25;
/// The same for a film of them all that has `besides` seconds more, standing included.
double film_stage_seconds(const Timeline& timeline, double besides);

}  // namespace headlight
