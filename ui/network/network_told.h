// What the view of a network tells besides the overview: computed a part a frame, and kept while the trace stays.
#pragma once

#include "ui/frame/frame.h"
#include "ui/network/network_scene.h"

namespace headlight {

/// The told and how often it changed, which a picture of it is made from.
struct ToldSoFar {
  NetworkTold told;
  int version = 0;
};
const ToldSoFar& network_told(const Frame& frame, const HeadOverview& overview);

}  // namespace headlight
