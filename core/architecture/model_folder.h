// Where a model is stored: a folder, one of its files, or a model that comes with Headlight.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/tensor/message.h"

namespace headlight {

inline constexpr const char* shipped_model_prefix = "model:";

/// The model that the user named, found on disk.
struct ModelFolder {
  std::string said;                            ///< "model:english", "~/gpt2", "gpt2/model.safetensors"
  std::filesystem::path folder;                ///< where config.json and the tokenizer lie
  std::filesystem::path config;                ///< config.json or Meta's params.json; empty where there is neither
  Message chosen;                              ///< what was taken of several: "snapshot 3f2a of …"; else empty
  std::vector<std::filesystem::path> tensors;  ///< one file, or every shard that the index names, in its order
};

/// The names of files that lie beside tensors: config.json and the like, and those of a tokenizer.
const std::vector<const char*>& companion_names();

/// Whether `file` names something that only a network can be: "model:ID", a folder, a .gguf, an index of shards, or a
/// file such as config.json with tensors beside it.
bool is_model_folder(const std::string& file);

/// In Hugging Face's cache (models--ORG--NAME, or the folder of these) takes the snapshot that "main" names; for a
/// shard takes all shards of its index. Throws FileError if nothing is there, if a folder holds no tensors, or if a
/// shard is missing.
ModelFolder find_model(const std::string& file);

}  // namespace headlight
