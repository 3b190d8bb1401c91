// State-dict names: which arrays of a file are the projections of a multi-head attention (contract §3).
#pragma once

#include <string>
#include <vector>

#include "core/files/array_file.h"

namespace headlight {

/// The array names of one linear layer; "" where the file has none.
struct LinearKeys {
  std::string weight, bias;
};

/// How a weight is stored.
enum class WeightLayout : std::uint8_t {
  out_in,  ///< nn.Linear: [out, in]
  in_out,  ///< GPT-2's Conv1D: [in, out]
};

/// One multi-head attention found in a file.
struct AttentionKeys {
  std::string prefix;  ///< "encoder.layer.3.attention." with its dot, or ""
  LinearKeys q, k, v;  ///< weights empty where packed
  LinearKeys packed;   ///< one [3·d, in] matrix; its bias may stand beside separate weights (nn.MultiheadAttention)
  LinearKeys o;
  WeightLayout layout = WeightLayout::out_in;

  bool is_packed() const { return !packed.weight.empty(); }
  /// The prefix without its dot.
  std::string layer() const;
};

/// Every attention in the file, in the order of its arrays.
std::vector<AttentionKeys> find_attentions(const ArrayFile& file);

/// The one that `layer` names (a prefix, with or without its dot, of exactly one), or the only one if `layer` is "".
/// Throws FileError where there is none or more than one, listing them.
AttentionKeys choose_attention(const ArrayFile& file, const std::string& layer);

}  // namespace headlight
