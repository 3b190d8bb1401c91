// Network: a whole trained model, from embedding to prediction; its attention is computed by the same pipeline.
//
//   const auto network = open_network("gpt2/");             // or "model:english", or one of its files
//   network->title();                                        // "GPT-2, 12 layers of 12 heads, 50,257 tokens"
//   const NetworkRun run = network->run(network->read("the cat sat"), {});
//   run.layers[3].residual;                                  // [B, n, width] that enters block 3
//   run.layers[3].weights;                                   // [B, H, n_q, n_k]
//   most_likely(run, 0, -1, 5);                              // what it says next
//
// Scenarios that name a network are computed by core/compute/network/network_trace.h.
#pragma once

#include <filesystem>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/base/arrays/file_watch.h"
#include "core/base/image/png_image.h"
#include "core/base/tensor/message.h"
#include "core/compute/network/head_overview.h"
#include "core/models/architecture/network_spec.h"
#include "core/models/tokenizer/tokenizer.h"
#include "core/scenario/inputs/inputs.h"

namespace headlight {

class Checkpoint;
class Config;
class KeyCache;
struct LogitParts;
struct BlockParts;
struct NeuronsOfRow;

/// One attention of a network, with its names.
struct NetworkLayer {
  std::string layer;  ///< "3"; with two stacks "encoder.3", "decoder.3", "cross.3"
  std::string name;   ///< prefix of its arrays: "transformer.h.3.attn"
  bool cross = false;
  Index heads = 1, kv_heads = 1, d_head = 1;
  Index stack = 0, block = 0;  ///< of the network
};

/// A picture after the network's preprocessing.
struct InputImage {
  std::string file;           ///< "": a drawn picture, because no file was named
  FileStamp stamp{};          ///< of the file when it was read
  Image image{};              ///< resized and cropped
  int width = 0, height = 0;  ///< before resizing
};

/// The input of a network. The decoder's part is empty if the network is to generate it.
struct NetworkText {
  TokenBatch tokens;   ///< for the only stack, or for the encoder
  TokenBatch decoder;  ///< for the decoder, from its start token on; empty with one stack
  Tensor x,
      decoder_x;  ///< [B, n, width] instead of words, if NetworkSpec::takes_tensors; the tokens are then positions
  /// [B, channels, height, width] for networks of pictures; the tokens are the patches.
  Tensor pixels{};
  std::vector<std::shared_ptr<const InputImage>> pictures{};  ///< the sources of `pixels`
  /// The tokens that the last stack reads.
  const TokenBatch& last_stack() const { return decoder.count() > 0 ? decoder : tokens; }
  bool operator==(const NetworkText& other) const {
    return tokens == other.tokens && decoder == other.decoder && identical(x, other.x) &&
           identical(pixels, other.pixels) && identical(decoder_x, other.decoder_x);
  }
};

/// A change of one layer's attention; later layers are recomputed.
struct LayerChange {
  Index layer = 0;    ///< of network.layers()
  Scenario settings;  ///< its text, layer and silent heads must have their defaults: they are not part of the change
  bool operator==(const LayerChange&) const = default;
};

/// The heads that are knocked out: {layer of network->layers(), head}.
using KnockOut = std::set<std::pair<Index, Index>>;

/// For each of network.layers(), the means over many tokens of the heads' outputs before the output projection: [H, d].
using MeanHeads = std::vector<Tensor>;

/// Knocks out heads of one layer, each in its own copy of the batch: entry i · B + b is entry b of `from` without head
/// first + i.
struct HeadsApart {
  Index layer = 0, first = 0, count = 0;
};

struct NetworkRun;

/// Replaces a state of this pass by that of another pass, in every batch entry.
struct Patch {
  enum class What : std::uint8_t {
    residual,  ///< the block's input, at a position
    heads,     ///< a head's output, at all positions
    mlp,       ///< the output of the block's MLP, at a position
  } what = What::residual;
  Index layer = 0;  ///< of network->layers(), self-attention
  Index at = 0;     ///< the position or the head
};

struct RunOptions {
  KnockOut knock_out{};
  std::optional<LayerChange> change{};
  std::vector<Patch> patches{};
  const NetworkRun* patched_with =
      nullptr;         ///< required for patches: a pass with `parts` over a text with the same number of tokens
  bool parts = false;  ///< keep the outputs of every head and MLP, up to most_weights numbers in total
  const NetworkRun* from =
      nullptr;  ///< a pass over the same text with the same options: unchanged first layers are taken from it
  /// Requires `from`, a pass with `parts`, whose text is repeated.
  std::optional<HeadsApart> apart{};
  std::shared_ptr<const MeanHeads> means{};  ///< replace the outputs of knocked-out heads; null: zero
  /// Keys and values from passes over the beginning of the text (core/compute/network/key_cache.h): their positions are
  /// not recomputed, and this pass adds its own. Not used with `change`, `patches` or `from`, or if positions attend to
  /// later ones.
  KeyCache* cache = nullptr;
  std::optional<Index> until{};  ///< a layer of network->layers(): the pass ends with its input
  bool weights = true;           ///< keep every layer's attention weights,
  Index most_weights = std::numeric_limits<Index>::max();  ///< unless all layers together have more numbers than this
  bool summaries = false;                                  ///< keep the overview's data for every layer
  enum class Logits { none, last, all } logits = Logits::all;
  int threads = 0;         ///< 0: as many as the machine has
  std::stop_token stop{};  ///< throws Cancelled
};

/// The results of one layer. All empty from RunOptions::until on, except that layer's own residual.
struct LayerRun {
  Tensor residual;  ///< [B, n, width], the block's input (for cross-attention: the input of its part of the block)
  Tensor weights;   ///< [B, H, n_q, n_k]
  Tensor added;     ///< [B, n, width], what the attention adds to the residual
  Tensor heads;     ///< [B, H, n_q, d], each head's output before the output projection; with RunOptions::parts
  Tensor values;    ///< [B, H_kv, n_k, d], the values of the heads; with RunOptions::parts
  Tensor experts;   ///< [B, n, experts], the share of each expert for each token, 0 of those not chosen
  Tensor mlp;  ///< [B, n, width], the output of the block's MLP; with RunOptions::parts; undefined if there is none
  LayerSummary summary;  ///< with RunOptions::summaries
};

class Network;

struct NetworkRun {
  std::shared_ptr<const Network> network;
  NetworkText text;
  KnockOut knock_out;
  std::optional<LayerChange> change;
  std::vector<LayerRun> layers;  ///< one for each of network->layers()
  Tensor encoded;                ///< [B, n, width], the encoder's output; undefined if there is none
  Tensor final;                  ///< [B, n, width] after the last block, before the last norm
  Tensor
      logits;  ///< [B, n, vocabulary], or [B, 1, vocabulary] for the last position; undefined without an output layer
  std::string asked{};  ///< the text as the user wrote it; "" if only its tokens were given
  /// The position of the first row of the last stack's tensors and logits: earlier ones were in RunOptions::cache.
  /// 0 without a cache.
  Index first = 0;
  std::shared_ptr<const MeanHeads> means{};  ///< as RunOptions::means
  /// The cache of this text, for a pass over a longer one (grown_pass()); null unless requested.
  std::shared_ptr<const KeyCache> kept{};

  /// The number of a layer's heads in this pass: its own, or as many as the change cuts it into.
  Index heads_of(Index layer) const;
  /// Whether a pass takes only a few milliseconds, so that it can be repeated while the user waits.
  bool is_small() const;
  /// The tokens of the layer's queries and keys.
  const TokenBatch& queries_of(Index layer) const;
  const TokenBatch& keys_of(Index layer) const;
};

class Network : public std::enable_shared_from_this<Network> {
 public:
  Network(const std::string& file, const std::filesystem::path& folder, NetworkSpec spec,
          std::shared_ptr<const Checkpoint> checkpoint, std::string asked_texts = {},
          std::shared_ptr<const TokenSplitter> tokenizer = nullptr);
  ~Network();

  /// As the user named it.
  const std::string& file() const { return file_; }
  const std::filesystem::path& folder() const { return folder_; }
  /// "GPT-2, 12 layers of 12 heads, 50,257 tokens"
  Message title() const;
  const NetworkSpec& spec() const { return spec_; }
  const Checkpoint& checkpoint() const { return *checkpoint_; }
  std::span<const NetworkLayer> layers() const { return layers_; }
  const NetworkLayer& layer(Index index) const { return layers_[static_cast<std::size_t>(index)]; }
  /// The block that a layer is part of, and the layer's attention in it.
  const BlockSpec& block_of(Index layer) const;
  const AttentionSpec& attention_of(Index layer) const;
  /// Whether it is in the stack that predicts.
  bool is_in_last_stack(Index layer) const { return this->layer(layer).stack + 1 == std::ssize(spec_.stacks); }
  /// The layer with this stack and block; unset if there is none.
  std::optional<Index> layer_at(Index stack, Index block, bool cross = false) const;
  /// The layer named "3", "decoder.3" or by the prefix of its arrays; unset if there is none.
  std::optional<Index> find_layer(const std::string& layer) const;
  /// The same; the first layer if there is none.
  Index layer_or_first(const std::string& layer) const { return find_layer(layer).value_or(0); }
  /// The same; "" is the first. Throws SettingError with a list of the layers.
  Index layer_named(const std::string& layer) const;
  /// "0.3": head 3 of layer 0; "0": all of its heads; "decoder.0.3". Throws SettingError.
  KnockOut knock_out_of(const std::vector<HeadAddress>& heads) const;
  bool is_unchanged() const;

  /// The tokenizer from the files next to the tensors; opened once. Throws FileError if there is none, or if it does
  /// not fit the vocabulary.
  const TokenSplitter& tokenizer() const;
  /// One line per batch entry. For an encoder-decoder, "source => target" gives the decoder's words; otherwise the
  /// network generates them, at most `most_written`. For a network of pictures, one file per line; "" is a drawn
  /// picture. Throws SettingError or FileError.
  NetworkText read(const std::string& text, const RunOptions& options = {}, Index most_written = 32) const;
  /// The text or, if it is the default text and the model knows none of it, words or ids that it knows.
  std::string usual_text(const std::string& text) const;
  /// The text of a token id, as shown.
  std::string word(Index id) const;
  /// A token's row of a stack's table, as it is added to the input of the first block.
  std::vector<float> token_row(Index stack, Index id) const;
  /// The last block's output, [B, n, width], after the last norm and everything else before the output table: it is
  /// multiplied by each word's row.
  Tensor before_words(const Tensor& last) const;
  /// "" for the file's network itself. For a model with two towers and requested texts: "texts", the tower that reads
  /// them, or the texts that pictures are compared with.
  const std::string& asked_texts() const { return asked_texts_; }
  /// A token's row of the output table, and its bias.
  std::pair<std::vector<float>, float> word_row(Index id) const;

  /// One pass. Throws SettingError if the text has more tokens than the network has positions.
  NetworkRun run(NetworkText text, const RunOptions& options) const;
  /// The inputs of that layer's stages for the pipeline: its true input, its weights and its settings.
  Inputs inputs_of(const NetworkRun& run, Index layer, int threads = 0) const;
  /// [B, n, vocabulary]: the logits if the last stack ended with x [B, n, width]. Undefined without an output layer.
  Tensor logits_of(const Tensor& x, int threads = 0) const;
  /// The logit of a word, or the difference of two, as a sum (core/compute/network/logit_parts.h), at a position, or at
  /// the prediction for −1. Needs a pass with RunOptions::parts. Throws SettingError if the logits are not a sum.
  LogitParts parts_of(const NetworkRun& run, Index batch, Index word, std::optional<Index> other = {},
                      Index position = -1) const;
  /// Whether the logits are such a sum.
  bool has_parts() const;
  /// The neurons of the block's MLP that add most to a word's row (core/compute/network/row_parts.h); none if the MLP
  /// is not a plain one.
  NeuronsOfRow neurons_of(Index layer, const BlockParts& parts, std::size_t most) const;
  /// Sets scale, soft-cap, RoPE, mask … in the scenario as in the layer's model.
  void take_rules(Index layer, Scenario& scenario) const;
  /// Sets the number of heads if the scenario cuts the layer's projections into another number than the model does:
  /// the same Q, K, V [B, n, H·d_head], split differently. Throws SettingError if a head has parameters of its own, or
  /// if heads share keys and values.
  void cut_heads(Index layer, const Scenario& scenario, Inputs& inputs) const;

 private:
  NetworkText given_tensors() const;
  /// Generates the decoder's words greedily until every line has ended.
  void write(const NetworkText& read, std::vector<std::vector<Token>>& targets, const RunOptions& options,
             Index most) const;

  std::string file_, asked_texts_;
  std::filesystem::path folder_;
  NetworkSpec spec_;
  std::shared_ptr<const Checkpoint> checkpoint_;
  std::vector<NetworkLayer> layers_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const TokenSplitter> tokenizer_;
};

/// Opens a folder, a file with its config.json next to it, "model:ID", or a step of a training run
/// (core/compute/network/trained_networks.h); returns `last` if it is the same and
/// unchanged on disk. Reads only headers. Throws FileError.
std::shared_ptr<const Network> open_network(const std::string& file,
                                            const std::shared_ptr<const Network>& last = nullptr);

/// The same for a scenario. Of two towers (CLIP, SigLIP), --text selects the one that reads texts; --text with --image
/// selects the one that reads pictures, with the texts as its labels.
std::shared_ptr<const Network> open_network(const Scenario& scenario,
                                            const std::shared_ptr<const Network>& last = nullptr);

/// The names of the settings that change the chosen layer, e.g. "scale, mask"; "" for none.
std::string changed_settings(const Scenario& scenario);
/// Unset if the scenario changes nothing in its layer.
std::optional<LayerChange> change_of(const Network& network, const Scenario& scenario);
/// The scenario's own RoPE base and QK-norm replace the model's.
Rules rules_under(const Scenario& scenario, Rules own);

/// The lines of a text that hold words, one for each batch entry.
std::vector<std::string> text_lines(std::string_view text);

struct LikelyToken {
  Index id = 0;
  std::string text;
  double probability = 0;
};
/// The most likely tokens at a position of the logits (−1: the last one of that batch entry), by a softmax over the
/// vocabulary.
std::vector<LikelyToken> most_likely(const NetworkRun& run, Index batch, Index position, Index count);
/// The row of the logits for the prediction: that of the masked word if the network predicts masked words, otherwise
/// the entry's last position. Pictures have one row.
Index place_of_prediction(const NetworkRun& run, Index batch);
/// The position of that row; the first one for pictures.
Index position_of_prediction(const NetworkRun& run, Index batch);
/// The probability of one token at a position.
double probability_of(const NetworkRun& run, Index batch, Index position, Index token);

/// A pass over a text that was extended: network.run(text, options), with NetworkRun::kept for the next text. If `last`
/// has read the beginning of this text and holds everything that the options request, its rows are reused: residuals,
/// weights, outputs of heads and MLPs, logits; the overview is made from all rows. Otherwise, and if positions attend
/// to later ones, the whole pass is computed.
NetworkRun grown_pass(const Network& network, NetworkText text, RunOptions options, const NetworkRun* last);

}  // namespace headlight
