// What a person is asked before a file opens: which of its attentions is meant, and into how many heads it is cut.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace headlight {

/// One attention of a file, from the headers alone.
struct LayerCandidate {
  std::string layer;           ///< as for --layer
  std::string kind;            ///< "q_proj, k_proj, v_proj", "c_attn [in, out]"
  Index d_model = 0;           ///< of all query heads together; 0 where it takes the number of heads to know
  std::optional<Index> heads;  ///< unset where the file does not say
  bool operator==(const LayerCandidate&) const = default;
};

/// Every attention in the file, in its order. Throws FileError where it does not open.
std::vector<LayerCandidate> list_layers(const std::string& file);

struct LayerQuestion {
  Scenario scenario;                       ///< which waits for the answer
  std::vector<LayerCandidate> candidates;  ///< those that scenario.layer may mean
  bool operator==(const LayerQuestion&) const = default;
};
/// Why `scenario` does not resolve, where it is only that the layer, or the heads of the one there is, must be chosen.
std::optional<LayerQuestion> open_question(const Scenario& scenario);

}  // namespace headlight
