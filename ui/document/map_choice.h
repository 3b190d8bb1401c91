// What the map shows of a matrix.
#pragma once

#include <optional>

#include "core/stage/stage.h"

namespace headlight {

/// Queries [q0, q1) × keys [k0, k1): what is to be in sight, parts of cells too.
struct MapRegion {
  double q0 = 0, q1 = 0, k0 = 0, k1 = 0;
  bool operator==(const MapRegion&) const = default;
};

struct MapChoice {
  Stage stage = Stage::weights;     ///< one with queries and keys
  std::optional<MapRegion> region;  ///< unset: the whole
  bool typing = false;              ///< the field for a place is to have the keyboard
  bool operator==(const MapChoice&) const = default;
};

}  // namespace headlight
