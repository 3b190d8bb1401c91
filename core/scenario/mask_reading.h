// A file's masking while it is put together: masks allow what all of them allow, biases add up.
#pragma once

#include <set>
#include <string>

#include "core/scenario/file_source.h"

namespace headlight {

/// Ends the error that nothing says what true means in a boolean attn_mask: the window asks.
inline constexpr const char* mask_polarity_is_open = "expected --mask-polarity attend or ignore";

struct MaskReading {
  const FileReading& file;
  const Dims& dims;
  Masking masking{};
  std::set<std::string> taken{};  ///< the arrays that were read as masks of the sequence

  /// 1 = may attend, [B|1, H|1, n_q|1, n_k|1].
  void restrict_to(const Tensor& attend);
  /// The same, in the mask language.
  void restrict_to(const std::string& rule);
  /// The same axes. Throws FileError for NaN.
  void add_bias(const Tensor& bias);
};

/// Whether the named array is a mask of the module's own longest sequence, and no sequence's.
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

}  // namespace headlight
