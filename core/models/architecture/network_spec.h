// The description of a network, as plain data: the role of each array of its checkpoint, and the rules of computation.
// A builder of the table of architectures (core/models/architecture/architectures.h) fills it from a config.json;
// core/compute/network/forward computes it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/image/picture_input.h"
#include "core/base/tensor/message.h"
#include "core/base/tensor/tensor.h"
#include "core/models/architecture/linear_spec.h"
#include "core/rules/mask/expression.h"
#include "core/rules/position/rope_waves.h"

namespace headlight {

enum class NormKind : std::uint8_t { none, layer, rms };
/// LayerNorm (Ba et al. 2016) or RMSNorm (Zhang & Sennrich 2019).
struct NormSpec {
  NormKind kind = NormKind::none;
  std::string weight, bias;  ///< "": one, zero
  double epsilon = 1e-5;
  bool plus_one = false;  ///< the gain is weight + 1 (Gemma)
};

/// RoPE: the rotation of the first channels of each head, and how they pair.
struct RopeSpec : RopeWaves {
  Rope pairing = Rope::none;
  double theta = 10000;     ///< the base before anything is scaled
  std::string scaled_by{};  ///< `rope_scaling "yarn"`, the field that scales it; "": none
  Index channels() const { return 2 * static_cast<Index>(frequencies.size()); }
};

/// T5's learned bias by distance: [buckets, H] under this name.
struct RelativeSpec {
  std::string table;
  Index furthest = 128;
  bool bidirectional = true;
};

/// Multi-head latent attention (DeepSeek-V2 2024): queries, keys and values are computed from narrow latents of x,
///   c_q = q_norm(q_down x), or x without q_down;  [c; r] = kv_down x, c ← kv_norm(c).
/// A head's queries are q c_q; its keys are kv_up's rows on c, and r, which all heads share; its values are kv_up's
/// other rows on c. `rotated` channels of each query, and r, are rotated; here they come before the others.
struct LatentSpec {
  LinearSpec q_down, kv_down, kv_up;  ///< kv_up: of each head `plain` rows of keys, then `value` rows
  std::string key_up{}, value_up{};   ///< or in separate arrays, [heads, rank, plain] and [heads, value, rank] (GGUF)
  NormSpec q_norm, kv_norm;
  Index rank = 1, rotated = 0, plain = 1, value = 1;
  /// Numbers stored per token: c and r.
  Index kept() const { return rank + rotated; }
};

/// Disentangled attention (He et al. 2021): to word-word scores are added word-position (c2p) and position-word (p2c).
/// A position is a row of a table that all layers share, by the bucket of query − key: small distances have a bucket
/// each, larger ones share logarithmic buckets up to `furthest`.
struct PlacesSpec {
  std::string table;  ///< [2 · span, width]
  NormSpec norm;      ///< of its rows
  LinearSpec query, key;
  Index span = 1, buckets = 0, furthest = 1;  ///< buckets 0: each distance has a row
  bool to_place = true, from_place = true;
};

struct AttentionSpec : Projections {
  std::string name;  ///< prefix of its arrays: "transformer.h.3.attn"
  Index heads = 1, kv_heads = 1, d_head = 1;
  std::optional<LatentSpec> latent{};  ///< instead of k and v
  double scale = 1;
  std::optional<double> softcap;
  bool causal = false;
  Index window = 0;                      ///< a query attends to keys less than this away, including itself; 0: all
  std::optional<MaskExpression> mask{};  ///< where causal, window and chunk cannot say it
  std::string dead_row{};  ///< "zero", "uniform": the weights of a query without keys; "": what the fill gives
  Index chunk = 0;         ///< a query attends only within its block of this many positions; 0: all
  RopeSpec rope;
  NormSpec q_norm, k_norm;  ///< over each head, or over all heads at once where `norm_whole`
  bool norm_whole = false;
  std::vector<std::string> q_gains{}, k_gains{};  ///< of these norms, if each head has its own array
  bool alibi = false;
  std::vector<double> slopes{};      ///< of an ALiBi with its own slopes; [heads]
  bool scaled_alibi = false;         ///< ALiBi is scaled with the scores (Falcon)
  std::vector<std::string> masks{};  ///< for nn.Transformer: arrays in the file, attn_mask or key_padding_mask
  std::optional<RelativeSpec> relative;
  std::optional<PlacesSpec> places{};
  bool other_relative = false;  ///< it adds relative positions, which are not supported (MPNet, Swin)
  std::string sinks;            ///< [H], logits that take their share of the softmax
};

/// The mask that the layer's rules give, without those of its input; unset: all may attend to all. `from_corner`: the
/// queries of a causal layer are the last of its keys, since the keys before them come from a cache.
std::optional<MaskExpression> layer_mask(const AttentionSpec& spec, bool from_corner = false);

enum class Activation : std::uint8_t { gelu, gelu_tanh, quick_gelu, relu, silu, tanh, identity, squared_relu };
/// down(act(up x)), or with a gate down(act(gate x) · up x).
struct MlpSpec {
  LinearSpec gate, up, down;
  Activation activation = Activation::gelu;
  /// gpt-oss: g and u are the alternating channels of up x (or gate x and up x); down gets (u + 1) · g ·
  /// sigmoid(1.702 g), with g at most this and u within ± this; 0: as above.
  double limit = 0;
};

enum class Scoring : std::uint8_t { softmax, sigmoid };
/// A mixture of experts (Shazeer et al. 2017): each token goes through the few MLPs with the largest shares,
/// softmax(router x); the result is their sum weighted by these shares.
struct MixtureSpec {
  LinearSpec router;  ///< [experts, d]
  std::vector<MlpSpec> experts;
  Index chosen = 2;          ///< experts for each token
  bool renormalised = true;  ///< the chosen shares are divided by their sum,
  double factor = 1;         ///< then multiplied by this
  Scoring scoring = Scoring::softmax;
  std::string correction{};  ///< [experts], added to the shares only to choose experts
  /// Experts are chosen only from the `chosen_groups` best groups (DeepSeek); a group's score is the sum of its
  /// `best_of_group` best experts.
  Index groups = 1, chosen_groups = 1, best_of_group = 1;
  bool share_before = false;      ///< the share multiplies an expert's input, not its output (Llama 4)
  std::optional<MlpSpec> shared;  ///< an expert for every token, in addition,
  LinearSpec shared_gate;         ///< times sigmoid(shared_gate x), [1, d]; none: times 1
};

/// One block of the residual stream x:
///   x ← sum_norm(x + m · after(attention(before(x)))), likewise cross-attention and the MLP; norms may be none.
///   parallel:  x ← x + attention(before(x)) + mlp(before_mlp(x))
struct BlockSpec {
  NormSpec before_attention, after_attention, attention_sum;
  AttentionSpec attention;
  NormSpec before_cross, cross_sum;
  std::optional<AttentionSpec> cross;
  NormSpec before_mlp, after_mlp, mlp_sum;
  std::optional<MlpSpec> mlp;
  std::optional<MixtureSpec> mixture;  ///< instead of the MLP
  bool parallel = false;
  double multiplier = 1;  ///< m
};

/// A token before the patches of a picture: cls, dist, a register.
struct ExtraToken {
  std::string name, array;   ///< "cls", [d] under this name
  Index row = 0;             ///< of that array, if it holds several
  bool has_position = true;  ///< the table of positions has a row for it
};

enum class PositionKind : std::uint8_t { none, learned, sinusoidal };
struct EmbeddingSpec {
  std::string tokens;  ///< [vocabulary, width]
  /// For pictures (Dosovitskiy et al. 2020): each patch [channels, p, p] goes through this, [d, …].
  LinearSpec patches{};
  std::vector<ExtraToken> extra{};  ///< before the patches
  double scale = 1;
  PositionKind position_kind = PositionKind::none;
  std::string positions;      ///< [n, d]; sinusoids may be computed instead
  Index position_offset = 0;  ///< row of the first position
  Index most_positions = 0;   ///< 0: any number
  std::string segments;       ///< its row 0 is added
  NormSpec norm;
  LinearSpec projection;        ///< to the blocks' width, if the embedding is narrower; before the positions are added,
  bool projected_last = false;  ///< or after the norm
};

struct StackSpec {
  EmbeddingSpec embedding;
  std::vector<BlockSpec> blocks;
  NormSpec final_norm;
  LinearSpec projection;  ///< back to the embedding's width
};

/// One learned query that attends to all tokens (SigLIP): y = attention(probe, x); the result is y + mlp(norm(y)).
struct PoolingSpec : Projections {
  std::string probe;  ///< [1, 1, d]
  Index heads = 1;
  NormSpec norm;
  MlpSpec mlp;
};

/// The tokens of a picture that the output layer reads, after the last norm.
enum class HeadReads : std::uint8_t {
  first,              ///< the first: cls
  first_and_patches,  ///< the first, and the mean of the patches (DINOv2)
  first_two,          ///< the first through `output` and the second through `second`; logits are their mean (DeiT)
  pooled,             ///< the output of `pooling`
};

/// logits = cap(scale · output(norm(act(transform x)))).
struct HeadSpec {
  LinearSpec transform;
  Activation activation = Activation::identity;
  NormSpec norm;
  LinearSpec output;  ///< [vocabulary, d]; none: the network ends with its last block
  double scale = 1;
  std::optional<double> softcap;
  HeadReads reads = HeadReads::first;
  LinearSpec second{};
  std::optional<PoolingSpec> pooling{};
};

/// The patches that a picture is cut into, row by row.
struct PictureSpec {
  PictureSteps steps;
  Index channels = 3, patch = 16, rows = 1, columns = 1;
  Index table_rows = 0, table_columns = 0;  ///< of the table of positions; 0: equal to the patches
};

struct NetworkSpec;
/// Texts that a picture is compared with (CLIP: Radford et al. 2021, SigLIP: Zhai et al. 2023). The logit of a text t
/// and a picture i is e^scale · t/|t| · i/|i| + bias.
struct ContrastSpec {
  std::shared_ptr<const NetworkSpec>
      texts;                ///< the tower that reads them; its head.transform computes t from one token,
  bool at_last = false;     ///< the last one; otherwise the end token
  std::string scale, bias;  ///< bias "": 0
};

struct NetworkSpec {
  std::string family;             ///< "GPT-2"
  std::vector<StackSpec> stacks;  ///< one, or an encoder and a decoder
  HeadSpec head;
  Index width = 0;  ///< of the residual stream
  Index vocabulary = 0;
  bool takes_tensors = false;          ///< no embedding: the input is x (src, tgt, memory) in the file
  bool masked = false;                 ///< predicts the masked word, not the next
  std::optional<PictureSpec> picture;  ///< it reads pictures, and predicts one of `labels` at the first token
  std::vector<std::string> labels;
  std::optional<ContrastSpec> contrast{};  ///< its labels are texts from the user
  bool each_alone = false;                 ///< a label's probability is a sigmoid of its logit, not a softmax over all
  std::optional<Index>
      filled_with{};  ///< a text is padded with this token up to the last position, and all tokens are attended to
  std::optional<Index> forced_first{};  ///< the first token that a decoder writes, if it is given
  /// Whether it predicts the next word of a text.
  bool writes() const { return !masked && !takes_tensors && !picture && stacks.size() == 1; }
  std::optional<Index> start_token, end_token, mask_token;
  std::string task{};          ///< what it learned (core/compute/training/task.h), "text" for sentences; "": not known
  std::string example{};       ///< a text that it was made for, where none is given; "": none
  std::vector<Message> notes;  ///< notes for the user on how it was read
};

}  // namespace headlight
