// Tensors that come from the scenario's seed: inputs from text or at random, and nn.Linear-like parameters.
#pragma once

#include "core/scenario/inputs.h"
#include "core/scenario/scenario.h"

namespace headlight {

/// The scenario being resolved and the one resolved before it, whose tensors are taken over where they would come out
/// the same. `last` is unedited; both are null where there is none.
struct Resolving {
  const Scenario& scenario;
  const Scenario* last_scenario = nullptr;
  const Inputs* last = nullptr;
};

/// What a scenario adds to the inputs of any source: valid lengths, a mask file, a bias, and tensors of `last` where they
/// are equal; then the edits. Throws FileError, SettingError.
void add_settings(const Resolving& resolving, Inputs& inputs);

/// query, key and value at random, normal numbers: one tensor in self-attention (n_k = n_q, equal widths), else the
/// value is the key's tensor where widths allow. Reads inputs.dims.
void draw_inputs(const Scenario& scenario, Inputs& inputs);

/// W_q … b_o as nn.Linear draws them, U(−g/√in, g/√in) with g the weight gain. Reads inputs.dims.
void draw_parameters(const Resolving& resolving, Inputs& inputs);

/// Self-attention on scenario.text: sets the tokens, query = key = value, dims.batch, n_q and n_k, and valid_lens where
/// lines differ in length. Equal tokens get equal vectors. Throws SettingError for text without tokens.
void embed_text(const Scenario& scenario, Inputs& inputs);

/// Adds sinusoidal positions (Vaswani et al. 2017, §3.5) to query, key and value, where the scenario asks for them.
void add_positions(const Scenario& scenario, Inputs& inputs);

/// `made`, or `last` where both hold the same bits, so that what is computed from it is recognised as unchanged.
Tensor keep_if_equal(Tensor made, const Tensor& last);

}  // namespace headlight
