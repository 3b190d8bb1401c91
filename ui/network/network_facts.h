// What the view of a network tells besides the overview: computed a part a frame, and kept while the trace stays.
#pragma once

#include "ui/frame/frame.h"
#include "ui/network/network_scene.h"

namespace headlight {

/// The facts so far and how often they changed: a picture of them is made anew when they do.
struct FactsSoFar {
  NetworkFacts facts;
  int version = 0;
};
const FactsSoFar& network_facts(const Frame& frame, const HeadOverview& overview);

}  // namespace headlight
