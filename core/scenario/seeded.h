// Tensors that come from the scenario's seed: inputs from text or at random, and nn.Linear-like parameters.
#pragma once

#include <stop_token>

#include "core/scenario/inputs.h"
#include "core/scenario/scenario.h"
#include "core/tensor/message.h"

namespace headlight {

/// The scenario being resolved and the one resolved before it, whose tensors are taken over where they would come out
/// the same. `last` is unedited; both are null where there is none.
struct Resolving {
  const Scenario& scenario;
  const Scenario* last_scenario = nullptr;
  const Inputs* last = nullptr;
  std::stop_token stop{};  ///< asked between tensors, and within those that are drawn; throws Cancelled
};

/// What a scenario adds to the inputs of any source: valid lengths, a mask file, a bias, and tensors of `last` where
/// they are equal; then the edits. Throws FileError, SettingError.
void add_settings(const Resolving& resolving, Inputs& inputs);

/// query, key and value at random, normal numbers: one tensor in self-attention (n_k = n_q, equal widths), else the
/// value is the key's tensor where widths allow.
Sequence drawn_sequence(const Resolving& resolving, const Dims& dims);

/// Whether a drawn matrix of so many numbers is never held as a whole.
inline bool drawn_as_read(Index numbers) { return numbers > Index{1} << 25; }

/// W_q … b_o as nn.Linear draws them, U(−g/√in, g/√in) with g the weight gain.
Parameters drawn_parameters(const Resolving& resolving, const Dims& dims);

/// A text's tokens as query = key = value.
struct TextSequence {
  Sequence sequence;
  Tensor valid_lens;  ///< [B], where lines differ in length; else undefined
};
/// Equal tokens get equal vectors of dims.d_query numbers. Throws SettingError for text without tokens.
/// Throws SettingError for more lines of text than one run takes.
void check_lines(std::size_t lines);
TextSequence embedded_text(const Scenario& scenario, const Dims& dims);

/// The sizes with those that the sequence has: batch, n_q and n_k.
Dims sized(Dims dims, const Sequence& sequence);

/// Adds sinusoidal positions (Vaswani et al. 2017, §3.5) to query, key and value, where the scenario asks for them.
void add_positions(const Scenario& scenario, Sequence& sequence);

/// `made`, or `last` where both hold the same bits, so that what is computed from it is recognised as unchanged.
Tensor keep_if_equal(Tensor made, const Tensor& last);

/// The scenario with the sizes that its given input fixes. Throws SettingError where they are set besides.
Scenario sized_by_input(const Scenario& scenario);
/// query, key and value from scenario.x. Throws SettingError where its width is not that of `dims`; `widths` says where
/// those come from.
Sequence typed_sequence(const Scenario& scenario, const Dims& dims, const Message& widths = {});
/// scenario.attn_bias as [1, 1, n_q, n_k]. Throws SettingError where it is not of that many numbers and -inf.
Tensor typed_bias(const Scenario& scenario, const Dims& dims);

}  // namespace headlight
