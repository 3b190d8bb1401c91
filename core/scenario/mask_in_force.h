// The mask of a scenario with its inputs.
#pragma once

#include <string>

#include "core/mask/mask_rule.h"
#include "core/scenario/inputs.h"

namespace headlight {

/// Whether there is a mask: an expression, one in the file, valid lengths, or painted cells.
bool has_mask(const Scenario& scenario, const Inputs& inputs);

/// The expression without painted cells: the scenario's, else the source's rule, "file()" and "padding()" joined by &&;
/// "full()" if there is none.
std::string expression_in_force(const Scenario& scenario, const Inputs& inputs);

/// That expression with its inputs and the painted cells. Throws ExpressionError.
MaskRule mask_rule(const Scenario& scenario, const Inputs& inputs);

}  // namespace headlight
