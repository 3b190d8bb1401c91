// Checks tensors that a caller put into Inputs.
#pragma once

#include "core/scenario/inputs.h"

namespace headlight {

/// Throws InputError, named after the first tensor that does not fit `inputs.dims`, with the expected shape;
/// SettingError if a setting does not fit these sizes.
void check_inputs(const Scenario& scenario, const Inputs& inputs);

}  // namespace headlight
