// Whether tensors that somebody put together by hand make an attention.
#pragma once

#include "core/scenario/inputs.h"

namespace headlight {

/// Throws InputError, named after the first tensor that does not fit `inputs.dims`, with the shape that was expected;
/// and SettingError where a setting asks of these sizes what they cannot give.
void check_inputs(const Scenario& scenario, const Inputs& inputs);

}  // namespace headlight
