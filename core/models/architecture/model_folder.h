// Where a model is stored: a folder, one of its files, or a model that comes with Headlight.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/tensor/message.h"

namespace headlight {

inline constexpr const char* shipped_model_prefix = "model:";
/// Of a step of a training run, which is a network without files: "train:reverse@40"
/// (core/compute/training/settings.h).
inline constexpr std::string_view run_prefix = "train:";
/// Whether it names a model that comes with Headlight, or one that it makes: a name, not a path.
inline bool is_model_name(std::string_view file) {
  return file.starts_with(shipped_model_prefix) || file.starts_with(run_prefix);
}

/// The model that the user named, found on disk.
struct ModelFolder {
  std::string said;              ///< as named: "model:english", "~/gpt2", "gpt2/model.safetensors"
  std::filesystem::path folder;  ///< the folder of config.json and the tokenizer
  std::filesystem::path config;  ///< config.json or Meta's params.json; empty if there is neither
  Message chosen;                ///< what was chosen among several: "snapshot 3f2a of …"; otherwise empty
  std::vector<std::filesystem::path> tensors;  ///< one file, or every shard that the index names, in its order
};

/// The names of files stored next to tensors: config.json and similar, and those of a tokenizer.
const std::vector<const char*>& companion_names();

/// Whether `file` can only be a network: "model:ID", a folder, a .gguf, an index of shards, or a file such as
/// config.json with tensors next to it.
bool is_model_folder(const std::string& file);

/// In Hugging Face's cache (models--ORG--NAME, or its parent folder), uses the snapshot of "main"; for a shard, uses
/// all shards of its index. Throws FileError if nothing is found, if a folder has no tensors, or if a shard is missing.
ModelFolder find_model(const std::string& file);

}  // namespace headlight
