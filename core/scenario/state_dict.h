// State-dict names: which arrays of a file are the projections of a multi-head attention (docs of the files: README).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/files/array_file.h"
#include "core/tensor/message.h"

namespace headlight {

/// How a weight is stored.
enum class WeightLayout : std::uint8_t {
  out_in,          ///< nn.Linear: [out, in]
  in_out,          ///< GPT-2's Conv1D, Keras, Flax, x @ W: [in, out]
  head_in_out,     ///< TransformerLens: [H, in, d_head]
  in_head_out,     ///< Keras, Flax: [in, H, d_head]
  head_inner_out,  ///< the output projection of both: [H, d_head, out]
};

/// Which of a matrix's outputs belong to a projection.
enum class Outputs : std::uint8_t { all, first_half, second_half };

/// The arrays of one linear layer; "" where the file has none.
struct LinearKeys {
  std::string weight, bias;
  WeightLayout layout = WeightLayout::out_in;
  Outputs outputs = Outputs::all;   ///< halves: keys and values in one matrix, beside queries in another
  std::vector<LinearKeys> heads{};  ///< modules of one head each, whose outputs lie end to end; `weight` is the first's
};

/// The numbers of inputs and outputs of a stored weight, over all heads.
struct Sides {
  Index in = 0, out = 0;
};
Sides sides_of(const Shape& shape, WeightLayout layout);
/// The outputs of a projection, over all heads.
Index outputs_of(const ArrayFile& file, const LinearKeys& keys);
/// The number of heads that its modules or the axes of its weight show.
std::optional<Index> heads_stored(const ArrayFile& file, const LinearKeys& keys);

/// How the rows of a packed matrix divide into query, key and value.
enum class Packing : std::uint8_t {
  thirds,     ///< all queries, all keys, all values
  per_group,  ///< for each key/value head: its query heads, its key, its value (GPT-NeoX, BLOOM, Falcon)
};

/// One multi-head attention found in a file.
struct AttentionKeys {
  std::string prefix;  ///< "encoder.layer.3.attention." with its dot, or ""
  LinearKeys q, k, v;  ///< weights empty where packed
  LinearKeys packed;   ///< one [3·d, in] matrix; its bias may stand beside separate weights (nn.MultiheadAttention)
  Packing packing = Packing::thirds;
  LinearKeys o;
  bool bare = false;  ///< plain matrices without ".weight", which x may be multiplied with from either side

  bool is_packed() const { return !packed.weight.empty(); }
  bool has_packed_kv() const { return k.outputs != Outputs::all; }
  /// The prefix without its dot.
  std::string layer() const;
};

/// Every attention in the file, in the order of its arrays.
std::vector<AttentionKeys> find_attentions(const ArrayFile& file);

/// The one that `layer` names (a prefix, with or without its dot, of exactly one), or the only one if `layer` is "".
/// Throws FileError where there is none or more than one, listing them.
AttentionKeys choose_attention(const ArrayFile& file, const std::string& layer);

/// How weights are stored that are not numbers to compute with: "GPTQ's qweight, in 4 bits or so"; "" where `name` is
/// none of those.
std::string quantised_form(std::string_view name);

/// The names that an output projection is looked for under, for sentences.
Message output_names();

}  // namespace headlight
