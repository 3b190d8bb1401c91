// Matrices given by hand, in place of what the source says.
#pragma once

#include "core/scenario/inputs.h"
#include "core/scenario/scenario.h"

namespace headlight {

/// The scenario with the sizes that its given input fixes. Throws SettingError where they are set besides.
Scenario sized_by_input(const Scenario& scenario);
/// query, key and value from scenario.x, and batch, n_q and n_k with them. Needs the widths in inputs.dims; `widths` says
/// where they come from. Throws SettingError where they differ.
void take_typed_input(const Scenario& scenario, const std::string& widths, Inputs& inputs);
/// inputs.bias from scenario.attn_bias. Throws SettingError where it is not [n_q, n_k] of numbers and -inf.
void take_typed_bias(const Scenario& scenario, Inputs& inputs);

}  // namespace headlight
