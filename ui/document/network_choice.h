// What the view of a whole network shows: which of its heads, in which order, and what the layers give together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/network/head_pattern.h"
#include "core/tensor/tensor.h"

namespace headlight {

/// What heads are ordered and marked by.
enum class HeadOrder : std::uint8_t { layer, habit, entropy, effect };
/// In place of the heads: one matrix made of all layers up to one (core/network/attention_flow.h), or what the network
/// would say if it ended after each layer, or the effect of another sentence's states (core/network/logit_parts.h), or
/// what each head does over many sentences (core/network/head_study.h).
enum class LayersTogether : std::uint8_t { none, mean, rollout, flow, lens, patch, study };
/// As Patch::What.
enum class PatchedState : std::uint8_t { residual, heads, mlp };
/// Which heads the table of a study has: all, the layer's that is looked at, those with half of the largest value.
enum class StudyFilter : std::uint8_t { all, layer, strong };

struct NetworkChoice {
  std::optional<Index> layer, head;  ///< the head that is looked at; unset: the document's own
  HeadOrder order = HeadOrder::layer;
  std::optional<HeadPattern> habit;  ///< that heads are marked by; unset: each by its strongest
  LayersTogether together = LayersTogether::none;
  std::string patch_from;  ///< the sentence whose states are put into the one that is shown
  std::string patch_word;  ///< whose logit that changes; "": the likeliest
  PatchedState patched = PatchedState::residual;
  std::string texts;      ///< the file of sentences that heads are studied over; "": the model's own
  Index study_sort = 5;   ///< of study_columns(): the effect
  bool study_up = false;  ///< the smallest first
  StudyFilter study_of = StudyFilter::all;
  bool study_mean = false;       ///< the effect also with each head's mean in its place
  Index study_from = 0;          ///< rows of the table above the first that is seen
  std::optional<Index> pointed;  ///< the word under the pointer, in what the residual and the prediction are told of
  bool operator==(const NetworkChoice&) const = default;
};

}  // namespace headlight
