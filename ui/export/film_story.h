// What a film of the window shows, frame by frame, as plain data.
//
// Near to a sentence or a step it tells the whole way from the sentence to its next word: every stage as it is made,
// the way from each to the next, and the word that drops into the sentence. On the pipeline it goes moment by moment.
#pragma once

#include <optional>
#include <vector>

#include "core/run/trace.h"
#include "ui/document/view.h"
#include "ui/timeline/timeline.h"

namespace headlight {

struct FilmFrame {
  View view;
  double seconds = 0;
};

/// `seconds_per_step`: of every stage or moment alike; unset, a stage takes as long as there is to see, and all of it
/// 40 to 60 seconds.
std::vector<FilmFrame> film_story(const View& before, const Trace& trace, const Timeline& timeline,
                                  std::optional<double> seconds_per_step);
/// How long most of its frames stand.
double film_tick(const View& before, std::optional<double> seconds_per_step);

}  // namespace headlight
