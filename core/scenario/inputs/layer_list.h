// Questions to ask before a file can be opened: which attention to use, and its number of heads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/scenario/settings/scenario.h"

namespace headlight {

/// An attention of a file, as far as it is known from its headers.
struct LayerCandidate {
  std::string layer;           ///< as for --layer
  std::string kind;            ///< e.g. "q_proj, k_proj, v_proj", "c_attn [in, out]"
  Index d_model = 0;           ///< width of all query heads; 0 if it depends on the number of heads
  std::optional<Index> heads;  ///< unset if the file does not say
  bool operator==(const LayerCandidate&) const = default;
};

/// All attentions of the file, in order. Throws FileError if it cannot be opened.
std::vector<LayerCandidate> list_layers(const std::string& file, const std::string& names = {});

struct LayerQuestion {
  Scenario scenario;                       ///< waits for the answer
  std::vector<LayerCandidate> candidates;  ///< the attentions that scenario.layer could mean
  std::vector<std::string> axes{};         ///< what the axes of saved attention could be, as for --axes
  std::vector<std::string> arrays{};       ///< "ask [8, 8]": arrays of unknown names, for --names
  bool operator==(const LayerQuestion&) const = default;
};
/// The question, if `scenario` fails only because the layer or the number of heads must be chosen; else unset.
std::optional<LayerQuestion> open_question(const Scenario& scenario);

}  // namespace headlight
