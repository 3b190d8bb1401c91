// Tensors that are drawn from the scenario's seed: inputs from text or at random, and parameters initialised as in
// nn.Linear.
#pragma once

#include <stop_token>

#include "core/base/tensor/message.h"
#include "core/scenario/inputs/inputs.h"
#include "core/scenario/settings/scenario.h"

namespace headlight {

/// The scenario to resolve, and the previously resolved one, whose tensors are reused if they would be equal. `last` is
/// unedited; both are null if there is none.
struct Resolving {
  const Scenario& scenario;
  const Scenario* last_scenario = nullptr;
  const Inputs* last = nullptr;
  std::stop_token stop{};  ///< checked between tensors, and while one is drawn; throws Cancelled
};

/// Adds the scenario's settings to the inputs of any source: valid lengths, a mask file, a bias. Reuses equal tensors
/// of `last`, then applies the edits. Throws FileError, SettingError.
void add_settings(const Resolving& resolving, Inputs& inputs);

/// Random query, key and value, normally distributed: one tensor in self-attention (n_k = n_q, equal widths), otherwise
/// the value is the key's tensor if the widths are equal.
Sequence drawn_sequence(const Resolving& resolving, const Dims& dims);

/// Whether a drawn matrix of this many numbers is computed when it is read, instead of being stored.
inline bool drawn_as_read(Index numbers) { return numbers > Index{1} << 25; }

/// W_q … b_o initialised as in nn.Linear: U(−g/√in, g/√in), with g the weight gain.
Parameters drawn_parameters(const Resolving& resolving, const Dims& dims);

/// The embedded tokens of a text as query = key = value.
struct TextSequence {
  Sequence sequence;
  Tensor valid_lens;  ///< [B] if lines have different lengths; otherwise undefined
};
/// Equal tokens get equal vectors of dims.d_query numbers. Throws SettingError for text without tokens.
/// Throws SettingError for more lines of text than one run takes.
void check_lines(std::size_t lines);
TextSequence embedded_text(const Scenario& scenario, const Dims& dims);

/// `dims` with the sizes of the sequence: batch, n_q and n_k.
Dims sized(Dims dims, const Sequence& sequence);

/// x [B, n, d] with sinusoidal positions added (Vaswani et al. 2017, §3.5).
Tensor with_positions(const Tensor& x);
/// Adds them to query, key and value, if the scenario has them.
void add_positions(const Scenario& scenario, Sequence& sequence);

/// `made`, or `last` if both have the same bits, so that later stages count as unchanged.
Tensor keep_if_equal(Tensor made, const Tensor& last);

/// The scenario with the sizes that its typed input fixes. Throws SettingError if they are also set.
Scenario sized_by_input(const Scenario& scenario);
/// query, key and value from scenario.x. Throws SettingError if its width differs from that of `dims`; `widths` says
/// where that comes from.
Sequence typed_sequence(const Scenario& scenario, const Dims& dims, const Message& widths = {});
/// scenario.attn_bias as [1, 1, n_q, n_k]. Throws SettingError if its shape is different, or if a value is neither
/// finite nor -inf.
Tensor typed_bias(const Scenario& scenario, const Dims& dims);

}  // namespace headlight
