// The table of known architectures: one row each, for whole networks and for single layers.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/tensor/error.h"
#include "core/models/architecture/checkpoint.h"
#include "core/models/architecture/config.h"
#include "core/models/architecture/network_spec.h"

namespace headlight {

class NetworkBuilder;
struct ModelFolder;

/// The config.json of a model; Meta's params.json, nanoGPT's model_args or minGPT's "model" are converted to one with a
/// model_type. Throws FileError if there is none.
Config config_of(const ModelFolder& folder, const Checkpoint& checkpoint);

/// Throws UnknownModel if layers of that model_type are recurrent; the error names the layers that are attention.
void refuse_recurrent(const Config& config, const std::string& type, const Checkpoint& checkpoint);

struct Architecture {
  /// What the row can build: both, whole networks only, or single layers only.
  enum class Scope : std::uint8_t { any, network, layer };

  std::string_view model_type;  ///< the word in config.json
  std::string_view title;       ///< as its authors spell it
  void (*build)(NetworkBuilder& builder);
  Scope scope = Scope::any;
};

/// A single layer: its name in the file, and the sizes of its own arrays, which take precedence over
/// config.json's. The file may lack every other layer and the embedding.
struct LayerAlone {
  std::string name;  ///< "model.layers.3.self_attn"
  Index width = 1, heads = 1, kv_heads = 1, d_head = 1;
  bool packed = false;                ///< query, key and value are one matrix
  std::optional<double> rope_base{};  ///< set by the user, instead of config.json's
  std::optional<Index> rotary_dim{};
};

/// The number in a layer's name: 3 for "model.layers.3.self_attn".
std::optional<Index> layer_number(const std::string& name);

/// The architecture's description of that layer. It names the architecture's arrays; the file may lack them.
struct LayerDescription {
  std::string family;  ///< "GPT-2"; "" if the model_type is unknown
  AttentionSpec attention;
  NormSpec before_attention;  ///< none: not known
  EmbeddingSpec embedding;
  std::vector<std::string> not_taken;  ///< unknown fields of config.json that may change attention
  bool input_known = false;            ///< embedding and norm are the architecture's
  bool unrotated = false;              ///< other layers of the model are rotated, this one is not
  nlohmann::json fields;               ///< of config.json
};

/// An array that the architecture has but the file does not.
class MissingArray : public FileError {
 public:
  using FileError::FileError;
};
/// No config.json, or one whose architecture is not in the table.
class UnknownModel : public FileError {
 public:
  using FileError::FileError;
};

/// The rows that can build whole networks.
std::span<const Architecture> architectures();

/// The network of config and tensors: names found, shapes checked against config.json, no numbers read yet. Throws
/// FileError for a model_type that is not in the table, for a field that is not supported, and for an array that is
/// missing or has another shape than in config.json.
NetworkSpec build_network(const Config& config, const Checkpoint& checkpoint);

/// One layer by the same rows, from the fields of its config.json at `path`. Throws FileError for a field that changes
/// attention and is not supported, and if the layers differ and the layer's name has no number.
LayerDescription describe_layer(const nlohmann::json& fields, const std::string& path, const Checkpoint& file,
                                const LayerAlone& layer);

}  // namespace headlight
