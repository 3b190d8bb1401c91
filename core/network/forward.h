// One pass through a network, block by block.
#pragma once

#include "core/network/layers.h"
#include "core/network/network.h"
#include "core/run/pipeline.h"

namespace headlight {

class Checkpoint;
class KeyCache;

/// The settings and inputs of one attention: what the pipeline takes.
struct AttentionCall {
  Scenario scenario;
  Inputs inputs;
};

class Forward {
 public:
  Forward(const Network& network, const Checkpoint& checkpoint, const RunOptions& options);

  /// Everything of `run` from its text and knock_out, up to options.until.
  void fill(NetworkRun& run) const;
  /// [B, n, width] of the encoder's last norm.
  Tensor encode(NetworkRun& run) const;
  /// What is added up before the embedding's norm: [B, n, width] of words (or patches), and of places and segments,
  /// undefined where there are none. Of the positions from `first` on.
  struct EmbeddingParts {
    Tensor words, places;
  };
  EmbeddingParts embedding_parts(const StackSpec& stack, const NetworkText& text, Index first = 0) const;
  /// What the last stack's blocks gave, after the last norm and all that stands before the table of words.
  Tensor before_words(const Tensor& last) const;
  /// [B, n or 1, vocabulary] for what the last stack's blocks gave.
  Tensor logits(const Tensor& last) const;
  /// The attention of one layer on the residual stream that enters it, before any norm, at the positions from run.first
  /// on.
  AttentionCall call(const NetworkRun& run, Index layer, const Tensor& residual) const;
  Tensor normed(const Tensor& x, const NormSpec& norm) const;
  /// An MLP's numbers before its last projection, [B, n, inner].
  Tensor hidden(const MlpSpec& spec, const Tensor& x) const;
  Index layer_of(Index stack, Index block, bool cross) const;

 private:
  struct Stop {};  ///< nothing more is wanted
  /// A block of a stack; blocks are run in this order.
  struct Place {
    Index stack = 0, block = 0;
    auto operator<=>(const Place&) const = default;
  };

  /// Where the run begins: at the first block that may differ from those of options.from.
  Place begin(const NetworkRun& run) const;
  Place place_of(Index layer) const;
  /// What options.from has that does not change.
  void take_over(NetworkRun& run) const;

  Tensor embed(const StackSpec& stack, const NetworkText& text, Index first) const;
  EmbeddingParts picture_parts(const EmbeddingSpec& spec, const Tensor& pixels) const;
  EmbeddingParts sound_parts(const EmbeddingSpec& spec, const Tensor& bands) const;
  Tensor run_stack(Index stack, NetworkRun& run) const;
  Tensor run_block(Index stack, Index block, Tensor x, NetworkRun& run) const;
  Tensor attend(Index layer, const Tensor& residual, NetworkRun& run) const;
  /// What decides which keys a query sees and what is added to their scores: keys from `first_key` on, and queries that
  /// begin `offset` keys further.
  void add_rules(const NetworkRun& run, Index layer, Index offset, Index first_key, Inputs& inputs) const;
  /// The attention with the keys and values of earlier positions, which the cache holds, before its own.
  AttentionCall with_earlier(const NetworkRun& run, Index layer, AttentionCall own, const Run& how) const;
  /// What the heads of RunOptions::apart's layer give, [count · B, H, n, d].
  Tensor heads_apart() const;
  /// x [B, H, n, d] with the means in the place of heads that are left out.
  Tensor with_means(Tensor x, Index layer, const KnockOut& out) const;
  /// x with what RunOptions::patches put into it.
  Tensor patched(Tensor x, Patch::What what, Index layer) const;
  /// Whether the heads' and the MLP's outputs are kept, of so many rows in each layer.
  bool keeps_parts(Index rows) const;
  Tensor feed_forward(const MlpSpec& spec, const Tensor& x) const;
  /// The sum of the chosen experts, each read once for all tokens that chose it; `shares` becomes LayerRun::experts.
  Tensor mix(const MixtureSpec& spec, const Tensor& x, Tensor& shares) const;
  /// What the block's MLP gives for x; kept where it is asked for.
  Tensor fed_by(const BlockSpec& block, Index layer, const Tensor& x, NetworkRun& run) const;
  Tensor through(const Tensor& x, const LinearSpec& linear) const;
  /// Query, key and value of latent attention are its latents; queries and W_k, W_v go on from them.
  void add_latents(const AttentionSpec& spec, Inputs& in) const;
  /// in.bias of disentangled attention, from the queries and keys that `in` makes.
  void add_places(const AttentionSpec& spec, Inputs& in) const;

  const Network& network_;
  const Checkpoint& checkpoint_;
  const RunOptions& options_;
  KeyCache* cache_ = nullptr;  ///< null where the pass is computed whole
  Workers workers_;
};

}  // namespace headlight
