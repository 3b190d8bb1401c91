// The second mask of the mask view's side-by-side sheet.
#pragma once

#include <string>

#include "core/scenario/scenario.h"
#include "ui/document/mask_lab.h"

namespace headlight {

/// What stands for B: what is typed, else a causal mask, or a narrower one where the mask in force is causal itself.
const std::string& second_mask(const MaskLab& lab, const Scenario& scenario);

}  // namespace headlight
