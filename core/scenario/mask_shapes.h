// Interprets the axes of a mask in a file by its shape, its name and the attention's sizes.
#pragma once

#include <string>

#include "core/scenario/file_source.h"

namespace headlight {

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
/// Reads the named array only if its shape fits. Throws FileError with the shapes that do.
PlacedMask placed_mask(const FileReading& reading, const Dims& dims, const std::string& name, MaskKind kind);

}  // namespace headlight
