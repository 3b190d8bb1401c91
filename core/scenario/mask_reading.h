// The masks of a file: which arrays are masks, how their axes are meant, and all of them together: a cell is allowed if
// all masks allow it; biases are added.
#pragma once

#include <set>
#include <string>

#include "core/scenario/file_source.h"
#include "core/scenario/scenario.h"

namespace headlight {

/// Ends the error that nothing says what true means in a boolean attn_mask: the window asks.
inline constexpr const char* mask_polarity_is_open = "expected --mask-polarity attend or ignore";

struct MaskReading {
  const FileReading& file;
  const Dims& dims;
  Masking masking{};
  std::set<std::string> taken{};  ///< arrays that were read as masks

  /// 1 = may attend, [B|1, H|1, n_q|1, n_k|1].
  void restrict_to(const Tensor& attend);
  /// The same, in the mask language.
  void restrict_to(const std::string& rule);
  /// With the same axes. Throws FileError for NaN.
  void add_bias(const Tensor& bias);
};

/// Whether the array is a buffer for the module's longest sequence, not a mask of this one.
bool is_causal_buffer(const MaskReading& reading, const std::string& name);
/// GPT-2's attn.bias, minGPT's and nanoGPT's; tril and mask of teaching code, of which the head's modules have one
/// each.
void read_causal_buffer(MaskReading& reading);
/// The flag of scaled_dot_product_attention.
void read_is_causal(MaskReading& reading);
/// How many keys of each batch entry, or each query, there are.
void read_valid_lens(MaskReading& reading);
/// Packed sequences: cu_seqlens [documents + 1], where each begins and the last ends, or an id for each token, [n] or
/// [B, n]. Tokens of one document see each other.
void read_documents(MaskReading& reading);

/// Whether the file is a mask. A picture or a table always is; a single array, or a file of arrays without attention,
/// only if one is `wanted`. Never throws; false for files that cannot be opened.
bool is_mask_file(const std::string& path, bool wanted);
/// The scenario with that mask: it becomes file(), and the expression becomes file() unless it uses it already.
Scenario with_mask_file(Scenario scenario, const std::string& path);

/// Which reading of a shape to prefer, if several fit.
enum class MaskKind : std::uint8_t {
  plain,        ///< mask: [n_q, n_k] before [B, n_k]; [B, n_q, n_k] before [B·H, n_q, n_k] and [H, n_q, n_k]
  per_token,    ///< attention_mask: [B, n_k] first, as Hugging Face's tokenizers give it
  key_padding,  ///< key_padding_mask: [B, n_k] only
  torch_attn,   ///< attn_mask: [B·H, n_q, n_k] first
  bias,         ///< attn_bias: [H, n_q, n_k] first
};

/// A mask with the attention's axes.
struct PlacedMask {
  Tensor tensor;     ///< [B|1, H|1, n_q|1, n_k|1]
  std::string axes;  ///< how its own axes were read: "[n_q, n_k]"
};

}  // namespace headlight
