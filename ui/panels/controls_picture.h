// What the left panel shows beside the scenario's values, as plain data, computed once for a trace and a view.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ui/frame/frame.h"

namespace headlight {

struct ControlsPicture {
  std::vector<Index> widths;               ///< widths of the model that are multiples of the heads
  std::vector<Index> heads, kv_heads;      ///< divisors of the width; divisors of the heads
  std::vector<std::string> length_labels;  ///< slider labels for the first batch entries
  std::string masked;                      ///< "15 of 36 masked, 42 %", for the current head; "" without a mask
  std::vector<std::string> colormaps;      ///< to choose from, besides the automatic choice
  std::string fixed_range;                 ///< "-1:1"
};

ControlsPicture make_controls_picture(const Frame& frame);

/// The same, cached.
const ControlsPicture& controls_picture(const Frame& frame);

}  // namespace headlight
