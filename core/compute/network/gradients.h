// Gradients of a loss through a network: dL/d(stage) of every stage of every layer, for networks whose blocks the
// backward pass of core/compute/training knows: GPT-2's shape, and what `headlight train` makes.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/compute/network/network.h"
#include "core/compute/run/trace.h"
#include "core/compute/training/stage_book.h"

namespace headlight {

/// What of the network's blocks the backward pass does not know; "" if it knows all, so that there are gradients.
Message unknown_to_gradients(const Network& network);
/// The word for gradients_of() that is usual for this run: "" where the network has learned a task, else the word that
/// it expects after the first text.
std::string usual_loss(const NetworkRun& run);

struct NetworkGradients {
  double loss = 0;
  Message about;                       ///< "−log p(sat) at the last position"
  std::vector<LayerStages> of_stages;  ///< of each layer, also W_q … b_o
};

/// The loss is −log p(`word`) at the last position, summed over batch entries; with an empty word it is the loss that
/// a trained network learned by: the mean of −log p over the positions that its task asks. Throws FileError for a
/// network with other blocks, naming them; SettingError for an unknown word, for lines of different lengths, and for
/// an empty word where no task is known.
NetworkGradients gradients_of(const NetworkRun& run, const std::string& word);

/// The trace of a layer's gradients: its records and parameters are dL/d(stage), and Trace::gradients_of is `trace`, a
/// layer's trace of a network without changes. Throws like gradients_of(), and SettingError for a trace that is of no
/// network, has knocked-out heads, or changed settings.
std::shared_ptr<const Trace> gradient_trace(const std::shared_ptr<const Trace>& trace, const std::string& word);

}  // namespace headlight
