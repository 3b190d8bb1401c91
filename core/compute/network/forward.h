// One pass through a network, block by block.
#pragma once

#include "core/compute/network/layers.h"
#include "core/compute/network/network.h"
#include "core/compute/run/pipeline.h"

namespace headlight {

class Checkpoint;
class KeyCache;

/// The settings and inputs of one attention, as the pipeline needs them.
struct AttentionCall {
  Scenario scenario;
  Inputs inputs;
};

/// Whether a pass keeps the layer's weights, and the outputs of its heads and MLP.
bool keeps_weights(const NetworkRun& run, Index layer, const RunOptions& options);
bool keeps_parts(const NetworkRun& run, Index layer, const RunOptions& options);

class Forward {
 public:
  Forward(const Network& network, const Checkpoint& checkpoint, const RunOptions& options);

  /// Everything of `run` from its text and knock_out, up to options.until.
  void fill(NetworkRun& run) const;
  /// The encoder's output after its last norm, [B, n, width].
  Tensor encode(NetworkRun& run) const;
  /// The terms of the embedding before its norm: [B, n, width] for words (or patches), positions and segments;
  /// undefined if there are none. For positions from `first` on.
  struct EmbeddingParts {
    Tensor words, places;
  };
  EmbeddingParts embedding_parts(const StackSpec& stack, const NetworkText& text, Index first = 0) const;
  /// The output of the last stack's blocks after the last norm and everything else before the output table; one row for
  /// all tokens if HeadSpec::reads says so.
  Tensor before_words(const Tensor& last) const;
  /// Logits [B, n or 1, vocabulary] from the output of the last stack's blocks.
  Tensor logits(const Tensor& last) const;
  /// The attention of one layer on the residual stream that enters the block, before any norm, at the positions from
  /// run.first on.
  AttentionCall call(const NetworkRun& run, Index layer, const Tensor& residual) const;
  Tensor normed(const Tensor& x, const NormSpec& norm) const;
  /// The numbers of an MLP before its last projection, [B, n, inner].
  Tensor hidden(const MlpSpec& spec, const Tensor& x) const;

 private:
  struct Stop {};  ///< thrown when the rest is not needed
  /// A block of a stack; blocks are run in this order.
  struct Place {
    Index stack = 0, block = 0;
    auto operator<=>(const Place&) const = default;
  };

  /// Where the run begins: the first block whose result may differ from options.from.
  Place begin(const NetworkRun& run) const;
  Place place_of(Index layer) const;
  /// Copies everything from options.from that does not change.
  void take_over(NetworkRun& run) const;

  Tensor embed(const StackSpec& stack, const NetworkText& text, Index first) const;
  EmbeddingParts picture_parts(const EmbeddingSpec& spec, const Tensor& pixels) const;
  Tensor run_stack(Index stack, NetworkRun& run) const;
  Tensor run_block(Index stack, Index block, Tensor x, NetworkRun& run) const;
  Tensor attend(Index layer, const Tensor& residual, NetworkRun& run) const;
  /// Sets which keys a query can attend to and what is added to their scores. Keys start at `first_key`; the first
  /// query is `offset` keys further.
  void add_rules(const NetworkRun& run, Index layer, Index offset, Index first_key, Inputs& inputs) const;
  /// The attention, with the cached keys and values of earlier positions in front of its own.
  AttentionCall with_earlier(const NetworkRun& run, Index layer, AttentionCall own, const Run& how) const;
  /// The outputs of the heads of RunOptions::apart's layer, [count · B, H, n, d].
  Tensor heads_apart() const;
  /// x [B, H, n, d] with the heads that are left out replaced by their means.
  Tensor with_means(Tensor x, Index layer, const KnockOut& out) const;
  /// x with RunOptions::patches applied.
  Tensor patched(Tensor x, Patch::What what, Index layer) const;
  Tensor feed_forward(const MlpSpec& spec, const Tensor& x) const;
  /// The sum of the chosen experts, each read once for all tokens that chose it; sets `shares` to LayerRun::experts.
  Tensor mix(const MixtureSpec& spec, const Tensor& x, Tensor& shares) const;
  /// The output of the block's MLP for x; stored if requested.
  Tensor fed_by(const BlockSpec& block, Index layer, const Tensor& x, NetworkRun& run) const;
  Tensor through(const Tensor& x, const LinearSpec& linear) const;
  Tensor read_by_head(const Tensor& x) const;
  /// Latent attention: sets query, key and value to the latents, and computes the queries, W_k and W_v from them.
  void add_latents(const AttentionSpec& spec, Inputs& in) const;
  /// in.attn_bias of disentangled attention and its two terms, from the queries and keys of `in`.
  void add_places(const AttentionSpec& spec, Inputs& in) const;

  const Network& network_;
  const Checkpoint& checkpoint_;
  const RunOptions& options_;
  KeyCache* cache_ = nullptr;  ///< null: no cache, everything is computed
  Workers workers_;
};

}  // namespace headlight
