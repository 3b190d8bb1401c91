// A person's settings in the place of the model's, in one layer of a network.
#pragma once

#include <optional>
#include <string>

#include "core/scenario/inputs.h"
#include "core/scenario/model_layer.h"
#include "core/scenario/scenario.h"

namespace headlight {

class Network;

/// What is changed of one layer's attention; the layers after it go on from what it gives.
struct LayerChange {
  Index layer = 0;    ///< of network.layers()
  Scenario settings;  ///< its text, layer and silent heads left at their defaults: they are no change
  bool operator==(const LayerChange&) const = default;
};

/// The names of the settings that change the layer looked at, e.g. "scale, mask"; "" for none.
std::string changed_settings(const Scenario& scenario);
/// Nothing where the scenario changes nothing of its layer.
std::optional<LayerChange> change_of(const Network& network, const Scenario& scenario);
/// The person's own rotation and QK-norm take the model's place.
OwnRules rules_under(const Scenario& scenario, OwnRules own);

}  // namespace headlight
