// State-dict names: which arrays of a file are the projections of a multi-head attention (file formats: README).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/arrays/array_file.h"
#include "core/base/tensor/message.h"

namespace headlight {

/// How a weight is stored.
enum class WeightLayout : std::uint8_t {
  out_in,          ///< nn.Linear: [out, in]
  in_out,          ///< GPT-2's Conv1D, Keras, Flax, x @ W: [in, out]
  head_in_out,     ///< TransformerLens: [H, in, d_head]
  in_head_out,     ///< Keras, Flax: [in, H, d_head]
  head_inner_out,  ///< the output projection of these libraries: [H, d_head, out]
};

/// Which of a matrix's outputs belong to a projection.
enum class Outputs : std::uint8_t { all, first_half, second_half };

/// The array names of one linear layer; "" if the file does not have the array.
struct LinearKeys {
  std::string weight, bias;
  WeightLayout layout = WeightLayout::out_in;
  Outputs outputs = Outputs::all;   ///< halves: keys and values are in one matrix, queries in another
  std::vector<LinearKeys> heads{};  ///< one module per head, with concatenated outputs; `weight` is that of the first
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
  LinearKeys q, k, v;  ///< no weights if packed
  LinearKeys packed;   ///< one [3·d, in] matrix; its bias may also occur with separate weights (nn.MultiheadAttention)
  Packing packing = Packing::thirds;
  LinearKeys o;
  /// Prefixes of the modules that contain only this attention, the innermost first; "" for the whole file.
  std::vector<std::string> around{};
  bool bare = false;  ///< plain matrices without ".weight"; x may be multiplied with them from either side

  bool is_packed() const { return !packed.weight.empty(); }
  bool has_packed_kv() const { return k.outputs != Outputs::all; }
  /// The prefix without its final dot.
  std::string layer() const;
};

/// The arrays that --names names: "q=ask,k=hint,v=payload,o=out". Each is a module's name or an array's, as it ends.
struct GivenNames {
  std::string q, k, v, o, qkv, bq, bk, bv, bo, bqkv, x;
};
/// Throws SettingError for a text that is none.
GivenNames given_names(const std::string& text);

/// All attentions in the file, in the order of its arrays. `names`: Scenario::names, in place of the known names;
/// throws FileError if the file lacks one of them.
std::vector<AttentionKeys> find_attentions(const ArrayFile& file, const std::string& names = {});

/// The attention of `all` that `layer` names (a prefix, with or without its final dot), or the only one if `layer` is
/// "". Throws FileError, with a list, if there is none or more than one.
AttentionKeys choose_attention(const ArrayFile& file, const std::vector<AttentionKeys>& all, const std::string& layer);

/// A name with dots between its parts, where Keras, Flax and others have "/", and without TensorFlow's ":0".
std::string dotted(std::string name);

/// The kind of quantised storage that cannot be read as numbers: "GPTQ's qweight, in 4 bits or so"; "" if `name` is not
/// one of them.
std::string quantised_form(std::string_view name);

/// The possible names of an output projection, for error messages.
Message output_names();

}  // namespace headlight
