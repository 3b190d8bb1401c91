// What the network view shows: heads, their order, or one picture of all layers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/network/head_patterns.h"
#include "core/tensor/tensor.h"

namespace headlight {

/// What heads are ordered and marked by.
enum class HeadOrder : std::uint8_t { layer, habit, entropy, effect };
/// Shown in place of the heads: one matrix made of all layers up to one (core/network/attention_flow.h), the
/// predictions after each layer, the effect of another sentence's states (core/network/logit_parts.h), what each head
/// does over many sentences (core/network/head_study.h), the experts that words chose, or what is read and what is new
/// as the text is written word by word (core/network/key_cache.h).
enum class LayersTogether : std::uint8_t { none, mean, rollout, flow, lens, patch, study, experts, writing };
/// The same choices as Patch::What.
enum class PatchedState : std::uint8_t { residual, heads, mlp };
/// Which heads the table of a study lists: all, those of the current layer, those with at least half of the largest
/// value.
enum class StudyFilter : std::uint8_t { all, layer, strong };

struct NetworkChoice {
  std::optional<Index> layer, head;  ///< the current head; unset: the document's
  HeadOrder order = HeadOrder::layer;
  std::optional<HeadPattern> habit;  ///< the pattern that heads are marked by; unset: each by its strongest
  LayersTogether together = LayersTogether::none;
  std::string patch_from;  ///< the sentence whose states are patched in
  std::string patch_word;  ///< the word whose logit is measured; "": the most probable
  PatchedState patched = PatchedState::residual;
  std::string texts;      ///< file of sentences for the study; "": the model's own
  Index study_sort = 5;   ///< index into study_columns(); 5 is the effect
  bool study_up = false;  ///< ascending order
  StudyFilter study_of = StudyFilter::all;
  bool study_mean = false;       ///< the effect also with each head's mean in its place
  Index study_from = 0;          ///< rows of the table above the first that is seen
  std::optional<Index> pointed;  ///< the word under the pointer, in what the residual and the prediction are told of
  bool operator==(const NetworkChoice&) const = default;
};

}  // namespace headlight
