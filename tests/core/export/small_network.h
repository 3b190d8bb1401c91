// The network of sentences with a text, which figures of layers are tested on.
#pragma once

#include "core/scenario/settings/scenario.h"
#include "tests/places.h"

inline headlight::Scenario small_network() {
  headlight::Scenario s;
  s.source = headlight::Source::file;
  s.file = places::sentences();
  s.text = "the cat that chases the dogs sleeps";
  return s;
}
