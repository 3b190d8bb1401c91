// Scenario: everything that determines the numbers, and nothing else. Plain, comparable, serialisable, undoable.
//
// An unset optional means "whatever the source says, else the default"; `resolve` (core/scenario/inputs.h) settles it.
// A field is one setting: a key in JSON, a word on the command line, a control in the window, by its row in
// core/scenario/settings_rows.h, without which it does not compile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/mask/painting.h"
#include "core/position/rope_waves.h"
#include "core/stage/stage.h"
#include "core/tensor/tensor.h"

namespace headlight {

enum class Source : std::uint8_t { text, random, file };
enum class Tokenizer : std::uint8_t { words, characters };
enum class Positions : std::uint8_t { none, sinusoidal };
enum class DeadRow : std::uint8_t { from_fill, nan, uniform, zero };
enum class QkNorm : std::uint8_t { none, rms, l2, layer };
/// What a mask does with a score: `fill` in its place, as masked_fill, or `fill` added to it, as nn.MultiheadAttention:
/// a NaN stays.
enum class MaskMode : std::uint8_t { fill, add };
enum class MaskPolarity : std::uint8_t { by_name, attend, ignore };

/// How a file's weights are stored: as their names say, as in nn.Linear, or as in Conv1D and x @ W.
enum class WeightOrder : std::uint8_t { by_name, out_in, in_out };

/// A matrix given by hand, [rows, cols]. Equal where its bits are: a NaN equals itself.
struct GivenMatrix {
  Tensor numbers;
  bool operator==(const GivenMatrix& other) const;
};

/// One number of an input or a parameter, set by hand. For parameters `batch` is 0; for a bias `row` is 0.
struct CellEdit {
  Stage stage{};  ///< query, key, value, W_q … b_o
  Index batch = 0, row = 0, col = 0;
  float value = 0;
  bool operator==(const CellEdit&) const = default;
};

/// One head of a network: "3.1" is head 1 of layer 3, "decoder.3.1" where there are two stacks; "3" is all of its
/// heads.
struct HeadAddress {
  std::string layer;
  Index head = -1;  ///< −1: all
  bool operator==(const HeadAddress&) const = default;
};

/// Names of an axis's positions: [B][n], or [1][n] for every batch entry alike.
using TokenNames = std::vector<std::vector<std::string>>;

struct Scenario {
  // Where the inputs come from.
  Source source = Source::text;
  std::string text = "the cat sat on the mat";  ///< one batch entry a line
  Tokenizer tokenizer = Tokenizer::words;
  Positions positions = Positions::none;
  std::string file;   ///< path of a tensor file, as the person wrote it
  std::string layer;  ///< prefix of the keys within it, "" = find the only candidate
  std::string image;  ///< path of a picture that a network of pictures reads; one batch entry a line
  bool text_as_input =
      false;  ///< file source: `text` through the file's own token embedding (core/scenario/file_source.h)
  WeightOrder weight_order = WeightOrder::by_name;
  std::optional<GivenMatrix> x;  ///< random and file sources: query, key and value at once, one batch entry
  TokenNames tokens;      ///< of the queries, and of the keys where there are as many; empty: what the source says
  TokenNames key_tokens;  ///< of the keys
  std::uint64_t seed = 0;

  // Shape: for text and random sources. A file fixes its own shape except for the heads.
  std::optional<Index> batch_size, queries, keys;
  std::optional<Index> d_model, d_query, d_key, d_value, d_out;
  std::optional<Index> heads, kv_heads;
  std::optional<bool> bias, output_projection;
  bool packed = false;    ///< text and random sources: W_q, W_k, W_v are drawn as one [3·d_model, d_query] matrix
  float weight_gain = 1;  ///< times the bound 1/√in that nn.Linear draws its weights within

  // Scores.
  std::optional<float> scale;  ///< unset: 1/√d_head
  bool scale_first =
      false;  ///< queries are scaled before the product, as nn.MultiheadAttention does, not scores after it
  std::optional<float> softcap;
  QkNorm qk_norm = QkNorm::none;
  Rope rope = Rope::none;
  float rope_base = 10000;
  std::optional<Index> rotary_dim;    ///< RoPE turns only the first so many numbers of a head; unset: all
  std::optional<Index> query_offset;  ///< the first query's position; unset: 0, or n_k − n_q under causal_bottom_right
  bool alibi = false;
  bool t5_bias = false;
  bool t5_bidirectional = true;
  std::optional<GivenMatrix> attn_bias;  ///< [n_q, n_k], added to all scores in place of the file's
  bool sink_logit = false;               ///< a learned (here seeded) logit a head that takes its share of the softmax

  // Mask.
  std::string mask;  ///< expression (core/mask/expression.h), "" = the file's own mask, or none
  std::vector<std::vector<Index>> valid_lens;  ///< [B][1] or [B][n_q]; empty: the file's, or none
  std::vector<std::vector<Index>>
      doc_ids;                        ///< of doc(q) and doc(k): [n][1], [1][n] or [B][n]; empty: the file's, or none
  std::string grid;                   ///< of row(q) and col(q): "14x14" patches (core/mask/evaluate.h)
  std::vector<PaintedCells> painted;  ///< kept as `painted_over` (core/mask/painting.h) makes it
  std::string mask_file;  ///< path of a file that holds a mask (core/files/array_file.h): file(), over the source's
  MaskPolarity mask_polarity = MaskPolarity::by_name;
  std::optional<float> fill;  ///< unset: the file's mask_fill, else −inf
  MaskMode mask_mode = MaskMode::fill;
  DeadRow dead_row = DeadRow::from_fill;

  // Dropout.
  float dropout = 0;
  bool training = false;
  std::uint64_t dropout_seed = 0;

  std::vector<CellEdit> edits;
  std::vector<HeadAddress> knock_out;  ///< heads of a network whose outputs are zero

  std::optional<Index> threads;  ///< unset: as many as the machine has. Changes no number

  bool operator==(const Scenario&) const = default;
};

}  // namespace headlight
