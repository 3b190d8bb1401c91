#include "ui/sentence/story.h"

namespace headlight {

SentenceStory story_of(const Frame& frame) {
  const Trace& trace = *frame.trace();
  const View& view = frame.view();
  SentenceStory story;
  const Scenario& scenario = trace.scenario;
  story.random_weights = scenario.source != Source::file && trace.has(Stage::Q);
  story.takes_words = scenario.source == Source::text;
  RailLayer layer;
  const Index heads = trace[Stage::weights].rank() >= 4 ? trace[Stage::weights].size(1) : 1;
  for (Index h = 0; h < heads && heads > 1; ++h) layer.heads.push_back({0, h, trace[Stage::weights], trace[Stage::mask], {}, h == view.head, false});
  if (!layer.heads.empty()) story.rail.push_back(std::move(layer));
  return story;
}

void choose_head(const Frame& frame, Index, Index head) {
  View view = frame.view();
  view.head = head;
  frame.change(std::move(view));
}

void knock_out(const Frame&) {}

}  // namespace headlight
