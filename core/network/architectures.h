// The architectures whose networks are computed: one row each.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/network/checkpoint.h"
#include "core/network/config.h"
#include "core/network/network_spec.h"
#include "core/tensor/error.h"

namespace headlight {

class Blueprint;
struct ModelFolder;

/// The config.json of a model; or Meta's params.json, nanoGPT's model_args or minGPT's "model" as one with a
/// model_type. Throws FileError where there is none.
Config config_of(const ModelFolder& folder, const Checkpoint& checkpoint);

struct Architecture {
  std::string_view model_type;  ///< as config.json says it
  std::string_view title;       ///< as its authors say it
  void (*draw)(Blueprint& blueprint);
};

/// An array that the architecture has and the file has not.
class MissingArray : public FileError {
 public:
  using FileError::FileError;
};
/// No config.json, or one of another architecture than those of the table.
class UnknownModel : public FileError {
 public:
  using FileError::FileError;
};

/// All of them.
std::span<const Architecture> architectures();

/// The network that config and tensors make: names found, shapes checked against config.json, nothing read yet.
/// Throws FileError for a model_type that is not in the table, for a field that is not computed, and for an array that
/// is missing or of another shape than config.json says.
NetworkSpec draw_network(const Config& config, const Checkpoint& checkpoint);

}  // namespace headlight
