// The mask that a scenario has over its inputs.
#pragma once

#include <string>

#include "core/mask/mask_rule.h"
#include "core/scenario/inputs.h"

namespace headlight {

/// Whether there is a mask at all: an expression, one in the file, valid lengths, or painted cells.
bool has_mask(const Scenario& scenario, const Inputs& inputs);

/// The expression before anything is painted: the scenario's, else what the source says: its rule, "file()" and
/// "padding()" joined by &&; "full()" where there is none.
std::string expression_in_force(const Scenario& scenario, const Inputs& inputs);

/// That expression with the inputs that it reads, and the painted cells. Throws ExpressionError.
MaskRule mask_rule(const Scenario& scenario, const Inputs& inputs);

}  // namespace headlight
