// Matrices given by hand, in place of what the source says.
#pragma once

#include "core/scenario/inputs.h"
#include "core/scenario/scenario.h"
#include "core/tensor/message.h"

namespace headlight {

/// The scenario with the sizes that its given input fixes. Throws SettingError where they are set besides.
Scenario sized_by_input(const Scenario& scenario);
/// query, key and value from scenario.x. Throws SettingError where its width is not that of `dims`; `widths` says where
/// those come from.
Sequence typed_sequence(const Scenario& scenario, const Dims& dims, const Message& widths = {});
/// scenario.attn_bias as [1, 1, n_q, n_k]. Throws SettingError where it is not of that many numbers and -inf.
Tensor typed_bias(const Scenario& scenario, const Dims& dims);

}  // namespace headlight
