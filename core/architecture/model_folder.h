// Where a model lies: a folder, one of its files, or a model that ships.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/tensor/message.h"

namespace headlight {

inline constexpr const char* shipped_model_prefix = "model:";

/// What a person named, found on disk.
struct ModelFolder {
  std::string said;                            ///< "model:english", "~/gpt2", "gpt2/model.safetensors"
  std::filesystem::path folder;                ///< where config.json and the tokenizer lie
  std::filesystem::path config;                ///< config.json or Meta's params.json; empty where there is neither
  Message chosen;                              ///< what was taken of several: "snapshot 3f2a of …"; else empty
  std::vector<std::filesystem::path> tensors;  ///< one file, or every shard that the index names, in its order
};

/// Whether `file` names something that only a network can be: "model:ID", a folder, a .gguf, an index of shards, or a
/// file such as config.json with tensors beside it.
bool is_model_folder(const std::string& file);

/// Of a cache of Hugging Face's (models--ORG--NAME, or the folder of those) the snapshot that "main" names; of a shard
/// all of its index. Throws FileError where nothing is there, where a folder holds no tensors, or where a shard is
/// missing.
ModelFolder find_model(const std::string& file);

}  // namespace headlight
