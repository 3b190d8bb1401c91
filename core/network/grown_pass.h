// A pass over a text that has grown: the rows that an earlier pass has are taken from it, and only later ones are
// computed.
#pragma once

#include "core/network/network.h"

namespace headlight {

/// network.run(text, options), with NetworkRun::kept for the next text. Where `last` has read the beginning of this one
/// and holds all that the options ask for, its rows stay: residuals, weights, outputs of heads and MLPs, logits; the
/// overview is made of all of them. Else, and where positions see later ones, the pass is whole.
NetworkRun grown_pass(const Network& network, NetworkText text, RunOptions options, const NetworkRun* last);

}  // namespace headlight
