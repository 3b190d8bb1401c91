// What the axes of a mask in a file are: told by its shape, its name and the sizes of the attention.
#pragma once

#include <string>

#include "core/scenario/file_source.h"

namespace headlight {

/// Which reading of a shape to try first, where more than one fits.
enum class MaskKind : std::uint8_t {
  plain,        ///< mask: [n_q, n_k] before [B, n_k]; [B, n_q, n_k] before [B·H, n_q, n_k] and [H, n_q, n_k]
  per_token,    ///< attention_mask: [B, n_k] first, as Hugging Face's tokenizers give it
  key_padding,  ///< key_padding_mask: [B, n_k] only
  torch_attn,   ///< attn_mask: [B·H, n_q, n_k] first
  bias,         ///< attn_bias: [H, n_q, n_k] first
};

/// A mask as the attention takes it.
struct PlacedMask {
  Tensor tensor;     ///< [B|1, H|1, n_q|1, n_k|1]
  std::string axes;  ///< what its own were taken for: "[n_q, n_k]"
};
/// The named array, of which nothing is read where it does not fit. Throws FileError with the shapes that do.
PlacedMask placed_mask(const FileReading& reading, const Dims& dims, const std::string& name, MaskKind kind);

}  // namespace headlight
