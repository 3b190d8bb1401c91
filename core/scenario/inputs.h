// Inputs: what a scenario resolves to: every tensor that the pipeline starts from, and what was assumed on the way.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "core/stage/stage.h"
#include "core/tensor/tensor.h"

namespace headlight {

class TensorFile;

/// The sizes of one multi-head attention. d_head = d_model / H.
struct Dims {
  Index batch = 1, heads = 1, kv_heads = 1, n_q = 1, n_k = 1;
  Index d_query = 1, d_key = 1, d_value = 1;
  Index d_model = 1, d_head = 1, d_out = 1;
  Index groups() const { return heads / kv_heads; }  ///< query heads that share one key/value head
  Index size(Axis axis) const;
  bool operator==(const Dims&) const = default;
};

/// One thing that was taken for granted about a file, said to the person: {"mask", "attention_mask: true = may
/// attend"}.
struct Assumption {
  std::string what;
  std::string taken_for;
  bool operator==(const Assumption&) const = default;
};

struct Inputs {
  Dims dims;
  Tensor query, key, value;   ///< [B, n_q, d_query] [B, n_k, d_key] [B, n_k, d_value]; identical() in self-attention
  Tensor W_q, W_k, W_v, W_o;  ///< nn.Linear's [out, in]; W_o undefined: no output projection
  Tensor b_q, b_k, b_v, b_o;  ///< [out], undefined: no bias
  bool packed = false;        ///< W_q, W_k, W_v are slices of one [.., in] matrix in the source

  Tensor file_mask;           ///< 0/1, 1 = may attend, broadcastable to [B, H, n_q, n_k]; undefined: none
  Tensor valid_lens;          ///< [B] or [B, n_q]; undefined: none
  Tensor bias;                ///< additive, broadcastable to [B, H, n_q, n_k]; undefined: none
  std::optional<float> fill;  ///< the source's own fill value

  std::shared_ptr<const TensorFile> file;  ///< where the source is a file; kept so that the next resolve can share it
  std::shared_ptr<const TensorFile> mask_file;  ///< the same for Scenario::mask_file
  std::shared_ptr<const Inputs> unedited;  ///< the same before CellEdits; null where there are none

  /// Names of the queries and keys of each batch entry; empty where there are none. All entries have n_q / n_k names.
  std::vector<std::vector<std::string>> query_tokens, key_tokens;
  std::vector<Assumption> assumptions;

  bool self_attention() const { return identical(query, key) && identical(key, value); }
  /// The parameter or input of that name; undefined if absent. Asserts that `stage` is one of those.
  const Tensor& matrix(Stage stage) const;
};

/// The scenario's tensors: opened, sampled or made from text, edits applied. Asks `last` for tensors whose
/// determining settings did not change, so that they stay identical(). Throws FileError or SettingError.
/// Thread-safe. A file is read again when its size or time of change differs from when it was last read.
Inputs resolve(const Scenario& scenario, const Scenario* last_scenario = nullptr, const Inputs* last = nullptr);

}  // namespace headlight
