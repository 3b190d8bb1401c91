// Scenario: all settings that determine the numbers, and nothing else. Plain, comparable, serialisable, undoable.
//
// An unset optional means the source's value, or the default if the source has none; `resolve`
// (core/scenario/inputs/inputs.h) determines it. Each field is one setting: a key in JSON, an option on the command
// line, and a control in the window. Each needs a row in core/scenario/settings/settings_rows.h; without one the
// program does not compile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/tensor/tensor.h"
#include "core/rules/mask/painting.h"
#include "core/rules/position/rope_waves.h"
#include "core/rules/stage/stage.h"

namespace headlight {

enum class Source : std::uint8_t { text, random, file };
enum class Tokenizer : std::uint8_t { words, characters };
enum class Positions : std::uint8_t { none, sinusoidal };
enum class DeadRow : std::uint8_t { from_fill, nan, uniform, zero };
enum class QkNorm : std::uint8_t { none, rms, l2, layer };
/// How a mask changes a score: `fill` replaces it, as masked_fill does, or is added to it, as in nn.MultiheadAttention,
/// so that a NaN stays.
enum class MaskMode : std::uint8_t { fill, add };
/// What a row and a column are: a token as the model has it, or a word, with the pieces of it together.
enum class Merge : std::uint8_t { none, words };
enum class MaskPolarity : std::uint8_t { by_name, attend, ignore };

/// How a file's weights are stored: according to their names, as in nn.Linear, or as in Conv1D and x @ W.
enum class WeightOrder : std::uint8_t { by_name, out_in, in_out };

/// A matrix typed by the user, [rows, cols]. Equal if all bits are equal: a NaN equals itself.
struct GivenMatrix {
  Tensor numbers;
  bool operator==(const GivenMatrix& other) const;
};

/// One number of an input or a parameter, set by the user. `batch` is 0 for parameters, `row` is 0 for a bias.
struct CellEdit {
  Stage stage{};  ///< query, key, value, W_q … b_o
  Index batch = 0, row = 0, col = 0;
  float value = 0;
  bool operator==(const CellEdit&) const = default;
};

/// One head of a network: "3.1" is head 1 of layer 3, or "decoder.3.1" if there are two stacks; "3" is all heads of the
/// layer.
struct HeadAddress {
  std::string layer;
  Index head = -1;  ///< −1: all
  bool operator==(const HeadAddress&) const = default;
};

/// Names of an axis's positions: [B][n], or [1][n] for all batch entries.
using TokenNames = std::vector<std::vector<std::string>>;

struct Scenario {
  // Source of the inputs.
  Source source = Source::text;
  std::string text = "the cat sat on the mat";  ///< one batch entry per line
  Tokenizer tokenizer = Tokenizer::words;
  Positions positions = Positions::none;
  std::string file;   ///< path of a tensor file, as the user wrote it
  std::string layer;  ///< prefix of the attention's keys in the file; "": the only one
  std::string axes;   ///< of saved attention: "L,B,H,q,k"; "": as the evidence in the file tells (attention_axes.h)
  std::string names;  ///< which arrays are the projections: "q=ask,k=hint,v=payload,o=out"; "": by their known names
  std::string image;  ///< paths of pictures for a vision network, one batch entry per line
  bool text_as_input =
      false;  ///< file source: embed `text` with the file's token embedding (core/scenario/inputs/file_source.h)
  WeightOrder weight_order = WeightOrder::by_name;
  std::optional<GivenMatrix> x;  ///< random and file sources: query, key and value, for one batch entry
  TokenNames tokens;             ///< names of the queries, and of the keys if n_k = n_q; empty: the source's names
  TokenNames key_tokens;         ///< names of the keys
  std::uint64_t seed = 0;

  // Shape, for text and random sources. A file determines its own shape except for the heads.
  std::optional<Index> batch_size, queries, keys;
  std::optional<Index> d_model, d_query, d_key, d_value, d_out;
  std::optional<Index> heads, kv_heads;
  std::optional<bool> bias, output_projection;
  bool packed = false;  ///< text and random sources: W_q, W_k, W_v are drawn as one [3·d_model, d_query] matrix
  float weight_gain =
      1;  ///< factor of 1/√in, the bound of the uniform distribution that nn.Linear draws its weights from

  // Scores.
  std::optional<float> scale;  ///< unset: 1/√d_head
  bool scale_first =
      false;  ///< scale the queries before the product, as nn.MultiheadAttention does, not the scores after it
  std::optional<float> softcap;
  QkNorm qk_norm = QkNorm::none;
  Rope rope = Rope::none;
  float rope_base = 10000;
  std::optional<Index> rotary_dim;    ///< RoPE rotates only this many numbers of a head; unset: all
  std::optional<Index> query_offset;  ///< position of the first query; unset: 0, or n_k − n_q under causal_bottom_right
  bool alibi = false;
  bool alibi_symmetric = false;  ///< −m·|q − k| in place of m·(k − q), for attention that is not causal
  bool any_alibi() const { return alibi || alibi_symmetric; }
  bool t5_bias = false;
  std::optional<bool> t5_bidirectional;  ///< unset: true, or as the file's names say
  std::optional<GivenMatrix> attn_bias;  ///< [n_q, n_k], added to all scores; replaces the file's bias
  bool sink_logit = false;               ///< a learned (here seeded) logit per head that takes a share of the softmax

  // Mask.
  std::string mask;  ///< expression (core/rules/mask/expression.h), "" = the file's own mask, or none
  std::vector<std::vector<Index>> valid_lens;  ///< [B][1] or [B][n_q]; empty: the file's, or none
  std::vector<std::vector<Index>>
      doc_ids;                        ///< for doc(q) and doc(k): [n][1], [1][n] or [B][n]; empty: the file's, or none
  std::string grid;                   ///< for row(q) and col(q): "14x14" patches (core/rules/mask/evaluate.h)
  std::vector<PaintedCells> painted;  ///< normalised by `painted_over` (core/rules/mask/painting.h)
  std::string mask_file;  ///< path of a file that holds a mask (core/base/arrays/array_file.h), for file(); replaces
                          ///< the source's mask
  MaskPolarity mask_polarity = MaskPolarity::by_name;
  std::optional<float> fill;  ///< unset: the file's mask_fill, else −inf
  MaskMode mask_mode = MaskMode::fill;
  DeadRow dead_row = DeadRow::from_fill;

  // Dropout.
  float dropout = 0;
  bool training = false;
  std::uint64_t dropout_seed = 0;

  std::vector<CellEdit> edits;
  std::vector<HeadAddress> knock_out;  ///< heads of a network whose outputs are set to zero

  Merge merge = Merge::none;

  std::optional<Index> threads;  ///< unset: as many as the machine has. Does not change any number

  bool operator==(const Scenario&) const = default;
};

}  // namespace headlight
