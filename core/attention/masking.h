// The mask stage: who may attend to whom, and what the scores become where nobody may.
#pragma once

#include "core/attention/workers.h"
#include "core/scenario/inputs.h"

namespace headlight {

struct MaskRule;

/// Whether there is a mask at all: an expression, one in the file, valid lengths, or painted cells.
bool has_mask(const Scenario& scenario, const Inputs& inputs);

/// What gives that mask before anything is painted: the expression, or for the file's own "file() && padding()";
/// "full()" where there is none.
std::string expression_in_force(const Scenario& scenario, const Inputs& inputs);

/// The mask of a scenario that has one, [B, H, n_q, n_k] of 0 and 1, 1 = may attend.
/// It is the scenario's expression, or else the file's mask and the valid lengths together; then the painted cells,
/// each over what is there (those outside the sizes of this run are passed over). An expression that names painted()
/// says itself what becomes of them: there it is true where a cell was painted as "may attend", false everywhere else.
/// Axes on which nothing depends are broadcast (stride 0). Throws ExpressionError, Cancelled.
Tensor build_mask(const Scenario& scenario, const Inputs& inputs, std::stop_token stop = {}, int threads = 1);

/// The same as a rule that can be asked for any part of it; null where cells were painted over it, which only cells can
/// show. Throws ExpressionError.
std::shared_ptr<const MaskRule> mask_rule(const Scenario& scenario, const Inputs& inputs);

/// valid_lens [B] or [B, n_q] → [B, 1, 1 or n_q, n_k]: 1 where k < the length.
Tensor padding_mask(const Tensor& valid_lens, Index n_k);

/// scores where mask, else `fill`: [B, H, n_q, n_k]. As torch.where, so that a NaN under the mask is gone; with
/// MaskMode::add scores + `fill`, where it stays.
Tensor apply_mask(const Tensor& scores, const Tensor& mask, float fill, const Workers& workers = {},
                  MaskMode mode = MaskMode::fill);

}  // namespace headlight
