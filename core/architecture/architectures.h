// The architectures that are known: one row each, for a whole network and for one of its layers alone.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/architecture/checkpoint.h"
#include "core/architecture/config.h"
#include "core/architecture/network_spec.h"
#include "core/tensor/error.h"

namespace headlight {

class NetworkBuilder;
struct ModelFolder;

/// The config.json of a model; or Meta's params.json, nanoGPT's model_args or minGPT's "model" as one with a
/// model_type. Throws FileError where there is none.
Config config_of(const ModelFolder& folder, const Checkpoint& checkpoint);

/// Throws UnknownModel if layers of that model_type are recurrent; the error names the layers that are attention.
void refuse_recurrent(const Config& config, const std::string& type, const Checkpoint& checkpoint);

struct Architecture {
  /// What the row builds: both, whole networks only, or single layers only.
  enum class Scope : std::uint8_t { any, network, layer };

  std::string_view model_type;  ///< the word in config.json
  std::string_view title;       ///< as its authors write it
  void (*build)(NetworkBuilder& builder);
  Scope scope = Scope::any;
};

/// A single layer: its name in the file, and the sizes of its own arrays, which take precedence over
/// config.json's. The file may lack every other layer and the embedding.
struct LayerAlone {
  std::string name;  ///< "model.layers.3.self_attn"
  Index width = 1, heads = 1, kv_heads = 1, d_head = 1;
  bool packed = false;                ///< query, key and value are one matrix
  std::optional<double> rope_base{};  ///< set by the user, in place of config.json's
  std::optional<Index> rotary_dim{};
};

/// The number in a layer's name: 3 for "model.layers.3.self_attn".
std::optional<Index> layer_number(const std::string& name);

/// What the architecture says about that layer. It names the architecture's arrays; the file may lack them.
struct LayerDescription {
  std::string family;  ///< "GPT-2"; "" where the model_type is not known
  AttentionSpec attention;
  NormSpec before_attention;  ///< none: not known
  EmbeddingSpec embedding;
  std::vector<std::string> not_taken;  ///< unknown fields of config.json that may change attention
  bool input_known = false;            ///< embedding and norm are the architecture's
  bool unrotated = false;              ///< other layers of the model are rotated, this one is not
  nlohmann::json fields;               ///< of config.json
};

/// An array that the architecture has and the file has not.
class MissingArray : public FileError {
 public:
  using FileError::FileError;
};
/// No config.json, or one whose architecture is not in the table.
class UnknownModel : public FileError {
 public:
  using FileError::FileError;
};

/// The rows whose whole networks are computed.
std::span<const Architecture> architectures();

/// The network of config and tensors: names found, shapes checked against config.json, no numbers read yet.
/// Throws FileError for a model_type that is not in the table, for a field that is not computed, and for an array that
/// is missing or of another shape than config.json says.
NetworkSpec build_network(const Config& config, const Checkpoint& checkpoint);

/// One layer by the same rows, from the fields of its config.json at `path`. Throws FileError for a field that changes
/// attention and is not computed, and if the layers differ and the layer's name has no number.
LayerDescription describe_layer(const nlohmann::json& fields, const std::string& path, const Checkpoint& file,
                                const LayerAlone& layer);

}  // namespace headlight
