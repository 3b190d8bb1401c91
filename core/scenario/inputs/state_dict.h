// State-dict names: which arrays of a file are the projections of a multi-head attention (file formats: README).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/arrays/array_file.h"
#include "core/base/tensor/message.h"
#include "core/models/architecture/linear_spec.h"

namespace headlight {

/// The outputs of a projection, over all heads.
Index outputs_of(const ArrayFile& file, const LinearSpec& linear);
/// The number of heads that its modules or the axes of its weight show.
std::optional<Index> heads_stored(const ArrayFile& file, const LinearSpec& linear);

/// How the rows of a packed matrix divide into query, key and value.
enum class Packing : std::uint8_t {
  thirds,     ///< all queries, all keys, all values
  per_group,  ///< for each key/value head: its query heads, its key, its value (GPT-NeoX, BLOOM, Falcon)
};

/// One multi-head attention found in a file by the names of its arrays; q, k and v have no weights if packed.
struct FoundAttention : Projections {
  std::string prefix;   ///< "encoder.layer.3.attention." with its dot, or ""
  LinearSpec packed{};  ///< one [3·d, in] matrix; its bias may also occur with separate weights (nn.MultiheadAttention)
  Packing packing = Packing::thirds;
  /// Prefixes of the modules that contain only this attention, the innermost first; "" for the whole file.
  std::vector<std::string> around{};
  bool bare = false;  ///< plain matrices without ".weight"; x may be multiplied with them from either side

  bool is_packed() const { return packed.there(); }
  /// Keys are the first half of the rows of a matrix, values the second.
  bool has_packed_kv() const { return !k.rows.empty(); }
  /// Divides that matrix, whose layout may have changed.
  void halve_packed_kv(const ArrayFile& file);
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
std::vector<FoundAttention> find_attentions(const ArrayFile& file, const std::string& names = {});

/// The attention of `all` that `layer` names (a prefix, with or without its final dot), or the only one if `layer` is
/// "". Throws FileError, with a list, if there is none or more than one.
FoundAttention choose_attention(const ArrayFile& file, const std::vector<FoundAttention>& all,
                                const std::string& layer);

/// A name with dots between its parts, where Keras, Flax and others have "/", and without TensorFlow's ":0".
std::string dotted(std::string name);

/// The kind of quantised storage that cannot be read as numbers: "GPTQ's qweight, in 4 bits or so"; "" if `name` is not
/// one of them.
std::string quantised_form(std::string_view name);

/// The possible names of an output projection, for error messages.
Message output_names();

}  // namespace headlight
