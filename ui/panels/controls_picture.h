// What the left panel shows beyond the scenario itself, computed once for a trace and a view. Plain data.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ui/frame/frame.h"

namespace headlight {

struct ControlsPicture {
  std::vector<Index> widths;               ///< of the model, that the heads divide
  std::vector<Index> heads, kv_heads;      ///< that divide the width, and the heads
  std::vector<std::string> length_labels;  ///< a slider's, for each of the first batch entries
  std::string masked;                  ///< "15 of 36 masked, 42 %", of the matrix that is looked at; "" without a mask
  std::vector<std::string> colormaps;  ///< to choose from, beside the automatic choice
  std::string fixed_range;             ///< "-1:1"
};

ControlsPicture make_controls_picture(const Frame& frame);

/// The same, kept.
const ControlsPicture& controls_picture(const Frame& frame);

}  // namespace headlight
